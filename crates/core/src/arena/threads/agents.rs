//! The agents of a work while it is played.

use std::sync::{Arc, Mutex};

use crate::agent::AgentFactory;
use crate::arena::executor::{Unit, Work, lock};
use crate::game::Game;
use crate::input::Result;

pub(super) type PrepareAgent<'w, P> = &'w (dyn Fn(usize) -> Result<AgentFactory<P>> + Sync);

/// Every agent of a work is prepared once, and freed after its last unit: tables may have megabytes.
pub(super) struct PreparedAgents<'w, P: Game> {
    prepare: PrepareAgent<'w, P>,
    slots: Vec<Mutex<AgentSlot<P>>>,
}

struct AgentSlot<P: Game> {
    /// None as long as it is not prepared.
    agent: Option<Arc<AgentFactory<P>>>,
    /// How often it stands in units that are not finished.
    uses: usize,
}

impl<'w, P: Game> PreparedAgents<'w, P> {
    pub(super) fn new(work: &Work, prepare: PrepareAgent<'w, P>) -> Self {
        let used = || work.units.iter().flat_map(|unit| unit.agents);
        let mut uses = vec![0; used().max().map_or(0, |last| last + 1)];
        used().for_each(|agent| uses[agent] += 1);
        let slot = |uses| Mutex::new(AgentSlot { agent: None, uses });
        Self { prepare, slots: uses.into_iter().map(slot).collect() }
    }

    /// An agent, which is prepared now if it is not yet.
    pub(super) fn get(&self, agent: usize) -> Result<Arc<AgentFactory<P>>> {
        let mut slot = lock(&self.slots[agent]);
        if let Some(prepared) = &slot.agent {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new((self.prepare)(agent)?);
        slot.agent = (slot.uses > 0).then(|| Arc::clone(&prepared));
        Ok(prepared)
    }

    /// Frees the agents of a unit that is finished, unless they have others to play.
    pub(super) fn unit_finished(&self, unit: &Unit) {
        for agent in unit.agents {
            let mut slot = lock(&self.slots[agent]);
            slot.uses -= 1;
            if slot.uses == 0 {
                slot.agent = None;
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ready_now(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|agent| lock(&self.slots[*agent]).agent.is_some()).collect()
    }
}
