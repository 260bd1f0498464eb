//! The agents of a work while it is played.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::agent::AgentFactory;
use crate::arena::executor::{Unit, Work, lock};
use crate::game::Game;
use crate::input::InputError;

pub(super) type Prepare<'w, P> = &'w (dyn Fn(usize) -> Result<AgentFactory<P>, InputError> + Sync);

/// Every agent of a work is prepared once, and freed after its last unit: tables may have megabytes.
pub(super) struct PreparedAgents<'w, P: Game> {
    prepare: Prepare<'w, P>,
    slots: Vec<Slot<P>>,
}

struct Slot<P: Game> {
    agent: Mutex<Option<Arc<AgentFactory<P>>>>,
    /// How often it stands in units that are not finished.
    uses_left: AtomicUsize,
}

impl<'w, P: Game> PreparedAgents<'w, P> {
    pub(super) fn new(work: &Work, prepare: Prepare<'w, P>) -> Self {
        let mut slots = Vec::<Slot<P>>::new();
        for agent in work.units.iter().flat_map(|unit| unit.agents) {
            if slots.len() <= agent {
                let unused = || Slot { agent: Mutex::default(), uses_left: 0.into() };
                slots.resize_with(agent + 1, unused);
            }
            *slots[agent].uses_left.get_mut() += 1;
        }
        Self { prepare, slots }
    }

    /// An agent, which is prepared now if it is not yet.
    pub(super) fn get(&self, agent: usize) -> Result<Arc<AgentFactory<P>>, InputError> {
        let mut held = lock(&self.slots[agent].agent);
        if let Some(prepared) = &*held {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new((self.prepare)(agent)?);
        if self.slots[agent].uses_left.load(Ordering::Relaxed) > 0 {
            *held = Some(Arc::clone(&prepared));
        }
        Ok(prepared)
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
        (0..self.slots.len()).filter(|agent| lock(&self.slots[*agent].agent).is_some()).collect()
    }
}
