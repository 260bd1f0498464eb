//! The agents of a work while it is played.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::agent::AgentFactory;
use crate::arena::executor::{Unit, Work, lock};
use crate::game::Game;
use crate::input::InputError;

pub(super) type Prepare<'w, P> = &'w (dyn Fn(usize) -> Result<AgentFactory<P>, InputError> + Sync);

/// How many agents for each thread are prepared before their first games, so that no thread waits.
const AHEAD: usize = 4;

/// Every agent of a work is prepared once, shortly before its first game, and freed after its last: tables may have megabytes.
pub(super) struct PreparedAgents<'w, P: Game> {
    prepare: Prepare<'w, P>,
    slots: Vec<Slot<P>>,
    /// The agents in the order of their first units.
    order: Vec<usize>,
    /// How many of those were looked at ahead of their games.
    looked_at: AtomicUsize,
    /// How many of those may be looked at.
    may_look: AtomicUsize,
    ahead: usize,
}

struct Slot<P: Game> {
    agent: Mutex<Option<Arc<AgentFactory<P>>>>,
    /// How often it stands in units that are not finished.
    uses_left: AtomicUsize,
    place: usize,
}

impl<'w, P: Game> PreparedAgents<'w, P> {
    pub(super) fn new(work: &Work, threads: usize, prepare: Prepare<'w, P>) -> Self {
        let ahead = AHEAD * threads;
        let (mut slots, mut order) = (Vec::<Slot<P>>::new(), Vec::new());
        for agent in work.units.iter().flat_map(|unit| unit.agents) {
            if slots.len() <= agent {
                let unused = || Slot { agent: Mutex::default(), uses_left: 0.into(), place: 0 };
                slots.resize_with(agent + 1, unused);
            }
            let slot = &mut slots[agent];
            if *slot.uses_left.get_mut() == 0 {
                slot.place = order.len();
                order.push(agent);
            }
            *slot.uses_left.get_mut() += 1;
        }
        let (looked_at, may_look) = (AtomicUsize::new(0), AtomicUsize::new(ahead));
        Self { prepare, slots, order, looked_at, may_look, ahead }
    }

    /// Prepares the next agent whose games are near, if there is one.
    pub(super) fn prepare_one_ahead(&self) -> Result<(), InputError> {
        let end = self.may_look.load(Ordering::Relaxed).min(self.order.len());
        if self.looked_at.load(Ordering::Relaxed) < end {
            let place = self.looked_at.fetch_add(1, Ordering::Relaxed);
            if let Some(&agent) = self.order.get(place) {
                self.prepared(agent)?;
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, agent: usize) -> Result<Arc<AgentFactory<P>>, InputError> {
        let ahead = self.slots[agent].place.saturating_add(self.ahead);
        self.may_look.fetch_max(ahead, Ordering::Relaxed);
        self.prepared(agent)?.map_or_else(|| (self.prepare)(agent).map(Arc::new), Ok)
    }

    /// An agent; `None` if its last unit is finished.
    fn prepared(&self, agent: usize) -> Result<Option<Arc<AgentFactory<P>>>, InputError> {
        let slot = &self.slots[agent];
        let mut held = lock(&slot.agent);
        if held.is_none() && slot.uses_left.load(Ordering::Relaxed) > 0 {
            *held = Some(Arc::new((self.prepare)(agent)?));
        }
        Ok(held.clone())
    }

    /// Frees the agents of a unit that is finished, unless they have others to play.
    pub(super) fn unit_finished(&self, unit: &Unit) {
        for agent in unit.agents {
            let slot = &self.slots[agent];
            if slot.uses_left.fetch_sub(1, Ordering::Relaxed) == 1 {
                lock(&slot.agent).take();
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ready_now(&self) -> Vec<usize> {
        let is_ready = |agent: &&usize| lock(&self.slots[**agent].agent).is_some();
        self.order.iter().filter(is_ready).copied().collect()
    }
}
