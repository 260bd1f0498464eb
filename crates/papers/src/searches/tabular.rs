//! Monte Carlo tree search with its statistics in a table (Sista 2016, Appendix A).
//!
//! Statistics belong to a player and the position that a move of theirs leads to, so that all ways to a position share them.
//! Where a move leads to a position without statistics, one of *all* moves is drawn. Otherwise the move of the greatest UCT
//! value is made, the last of several. A playout adds its first new position to the table, which is kept for the whole game.
//! The move with the highest share of wins is played: of several, the one with more playouts, then the first. A draw counts as
//! a loss for both.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    AgentKind, AgentSettings, Choice, Limit, MoveTimes, Spawn, Timer, Turn, Value, limit, spawn,
};
use tictune_core::game::{Game, Outcome, Player, Position};
use tictune_core::input::Result;
use tictune_core::search::Budget;
use tictune_core::seed::Generator;

/// Searches like mcts, with statistics in a table by position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["nodes"]))]
pub struct TabularSettings {
    /// The exploration constant C
    #[serde(rename = "c")]
    #[schemars(range(min = 0), example = 1.4, extend("x-evolves" = true))]
    pub exploration: f64,
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
}

impl Default for TabularSettings {
    fn default() -> Self {
        Self { exploration: 1.4, limit: None }
    }
}

impl AgentSettings for TabularSettings {
    tictune_core::fields_of_settings!(limit);

    fn mebibytes(&self) -> u32 {
        // At most about 128 bytes per position.
        (MAX_POSITIONS >> 13) as u32
    }
}

impl AgentKind for TabularSettings {
    const NAME: &'static str = "tabular";

    tictune_core::described_here!();

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>> {
        let (exploration, limit) = (self.exploration, Limit::of_complete(self.limit));
        Ok(spawn(move |seed| {
            let mut timer = Timer::new(limit, MoveTimes::MonteCarlo);
            let mut search = Tabular::new(exploration, seed);
            move |turn: &Turn<'_, P>| {
                let iterations = search.search(turn.position, timer.start(turn));
                let (mv, sums) = search.best(turn.position);
                let timeouts = timer.stop();
                let value = (sums.playouts > 0).then(|| Value::Share(sums.share()));
                Ok(Choice { iterations, timeouts, value, ..Choice::free(mv) })
            }
        }))
    }
}

/// The most positions of a table. Once it is full, playouts add none.
const MAX_POSITIONS: usize = 4_000_000;

/// Playouts through a position, and those that the player who moved there has won.
#[derive(Clone, Copy, Debug, Default)]
struct PositionSums {
    playouts: u32,
    wins: u32,
}

impl PositionSums {
    fn share(self) -> f64 {
        f64::from(self.wins) / f64::from(self.playouts)
    }
}

struct Tabular<P> {
    table: HashMap<P, PositionSums>,
    exploration: f64,
    generator: Generator,
}

impl<P: Position> Tabular<P> {
    fn new(exploration: f64, seed: u64) -> Self {
        let generator = Generator::seed_from_u64(seed);
        Self { table: HashMap::new(), exploration, generator }
    }

    /// Returns the number of playouts. A forced move needs none.
    fn search(&mut self, position: &P, budget: Budget<'_>) -> u64 {
        if position.legal_move_count() == 1 {
            return 0;
        }
        let mut done = 0;
        while done < budget.most.max(1) && (done == 0 || !budget.is_late()) {
            self.play_out(position);
            done += 1;
        }
        done
    }

    fn play_out(&mut self, root: &P) {
        let (mut position, mut path, mut is_new) = (root.clone(), Vec::new(), false);
        while position.outcome().is_none() {
            let mover = position.side_to_move();
            position = position.after(self.next_move(&position));
            if !is_new && self.table.len() < MAX_POSITIONS && !self.table.contains_key(&position) {
                self.table.insert(position.clone(), PositionSums::default());
                is_new = true;
            }
            path.push((mover, position.clone()));
        }
        let won_by = |player: Player| position.outcome() == Some(Outcome::Win(player));
        for (mover, position) in path {
            if let Some(sums) = self.table.get_mut(&position) {
                sums.playouts += 1;
                sums.wins += u32::from(won_by(mover));
            }
        }
    }

    fn next_move(&mut self, position: &P) -> P::Move {
        let known = |mv| self.table.get(&position.after(mv)).map(|sums| (mv, *sums));
        let Some(children) = position.legal_moves().map(known).collect::<Option<Vec<_>>>() else {
            let index = self.generator.random_range(0..position.legal_move_count() as u32);
            return position.nth_legal_move(index as usize);
        };
        let all: u32 = children.iter().map(|(_, sums)| sums.playouts).sum();
        let log = libm::log(f64::from(all));
        let value = |sums: PositionSums| {
            sums.share() + self.exploration * (log / f64::from(sums.playouts)).sqrt()
        };
        let best = children.iter().max_by(|a, b| value(a.1).total_cmp(&value(b.1)));
        best.expect("a position that is not over has moves").0
    }

    /// The move to play, and its statistics.
    fn best(&self, position: &P) -> (P::Move, PositionSums) {
        let sums = |mv| self.table.get(&position.after(mv)).copied().unwrap_or_default();
        let share = |sums: PositionSums| if sums.playouts == 0 { 0.0 } else { sums.share() };
        let order = |a: PositionSums, b: PositionSums| {
            share(a).total_cmp(&share(b)).then(a.playouts.cmp(&b.playouts))
        };
        let moves = position.legal_moves().map(|mv| (mv, sums(mv)));
        // The first of several.
        let best = moves.min_by(|a, b| order(b.1, a.1));
        best.expect("a position that is not over has moves")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune_core::game::Searchable;
    use tictune_core::testing::play::RandomGame;
    use tictune_games::uttt::{Rules, Uttt};

    fn searched(position: &Uttt, playouts: u64) -> Tabular<Uttt> {
        let mut search = Tabular::new(1.4, 1);
        assert_eq!(search.search(position, Budget::of(playouts)), playouts);
        search
    }

    /// Each playout goes through one child of the root, and adds one position where it does not end before.
    #[test]
    fn statistics_add_up() {
        let start = Uttt::start(Rules::default());
        let search = searched(&start, 2000);
        let of_root: Vec<PositionSums> =
            start.legal_moves().map(|mv| search.table[&start.after(mv)]).collect();
        // Until all 81 moves have been drawn, some playouts add positions below.
        assert_eq!(of_root.iter().map(|sums| sums.playouts).sum::<u32>(), 2000);
        assert_eq!(search.table.len(), 2000);
        assert!(search.table.values().all(|sums| sums.wins <= sums.playouts && sums.playouts > 0));
    }

    #[test]
    fn a_move_that_wins_is_played() {
        let positions = (0..20).filter_map(|seed| {
            let playout = RandomGame::<Uttt>::new(Rules::default(), seed);
            let mut positions = playout.steps().map(|step| step.position);
            positions.find(|position| position.winning_move().is_some())
        });
        for position in positions.filter(|position| position.legal_move_count() > 1) {
            let (found, sums) = searched(&position, 1000).best(&position);
            // Others may win in every playout, too.
            assert_eq!(sums.share(), 1.0, "{position} {found}");
        }
    }
}
