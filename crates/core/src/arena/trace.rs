//! Matches move by move: every game, and the cost of every move.

use super::game::MoveCost;
use super::result::{GameMoves, GameResult};
use super::schedule::Schedule;
use super::settings::MatchSettings;
use super::summary::Summary;
use crate::agent::Failure;
use crate::game::Player;

/// A game of a match, move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct GameTrace {
    /// Its number in the match, from 0.
    pub game: u64,
    /// The number of its pair, from 0, where games are paired.
    pub pair: Option<u64>,
    /// Whether A moved first.
    pub a_first: bool,
    /// Half points of A: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// The forfeit, if there was one.
    pub failure: Option<Failure>,
    /// Where it started, in notation.
    pub start: String,
    /// Every move from there in notation, the opening's included.
    pub moves: Vec<String>,
    /// The costs of the moves after the opening, in order.
    pub costs: Vec<MoveCost>,
}

impl GameTrace {
    /// The game of an index of a match; `None` where its moves were not kept.
    pub(super) fn new(settings: &MatchSettings, index: u64, game: GameResult) -> Option<Self> {
        let half_points = Summary::of(&game).half_points();
        let GameMoves { start, moves, costs } = *game.moves?;
        let task = settings.schedule.task(settings.seed, 0, index, settings.games);
        Some(Self {
            game: index,
            pair: (settings.schedule == Schedule::Paired).then_some(task.number),
            a_first: task.a_first,
            half_points,
            failure: game.failure,
            start,
            moves,
            costs,
        })
    }

    /// The number of moves of the opening.
    #[must_use]
    pub fn opening_plies(&self) -> usize {
        self.moves.len() - self.costs.len()
    }

    /// Whether A made a move of this player.
    #[must_use]
    pub fn is_a(&self, player: Player) -> bool {
        (player == Player::First) == self.a_first
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::agent::{Agent, AgentFactory, Choice, Turn};
    use crate::arena::matches::tests::{factory, play, settings, without_times};
    use crate::arena::{Contest, MatchResult, Openings, SideStats, play_match_traced};
    use crate::game::{Outcome, Position};
    use crate::stats::sprt::Sprt;
    use crate::testing::toy::{Rules, Toy};

    fn traced(
        a: &str,
        b: &str,
        openings: &str,
        settings: &MatchSettings,
        test: Option<&Sprt>,
    ) -> (MatchResult, Vec<GameTrace>) {
        let (a, b) = (factory(a), factory(b));
        let openings = Openings::parse::<Toy>(openings, Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        let played = play_match_traced(&contest, settings, test, &|| true).unwrap().unwrap();
        (played.result, played.games)
    }

    const A: &str = "minimax:depth=2,weights=toy-lines";
    const B: &str = "mcts:iterations=30";

    #[test]
    fn a_trace_replays_its_game_and_its_costs_sum_to_those_of_the_match() {
        for (schedule, replay_ties, openings) in
            [(Schedule::Paired, false, "random:4"), (Schedule::Coin, true, "none")]
        {
            let settings = MatchSettings { replay_ties, ..settings(12, schedule) };
            let (result, traces) = traced(A, B, openings, &settings, None);
            assert_eq!(
                without_times(result.clone()),
                without_times(play(A, B, openings, &settings))
            );
            assert_eq!(traces.len(), 12);
            let mut sides = [SideStats::default(); 2];
            let mut half_points = 0;
            for (index, trace) in traces.iter().enumerate() {
                assert_eq!(trace.game, index as u64);
                let paired = schedule == Schedule::Paired;
                assert_eq!(trace.pair, paired.then_some(index as u64 / 2));
                assert!(!paired || trace.a_first == index.is_multiple_of(2));
                assert_eq!(trace.opening_plies(), if paired { 4 } else { 0 });
                let mut position = Toy::from_notation(&trace.start, Rules::default()).unwrap();
                for (number, mv) in trace.moves.iter().enumerate() {
                    if let Some(cost) =
                        number.checked_sub(trace.opening_plies()).map(|number| trace.costs[number])
                    {
                        assert_eq!(cost.ply, position.ply());
                        assert_eq!(cost.player, position.side_to_move());
                        assert_eq!(cost.legal_moves as usize, position.legal_move_count());
                        let side = &mut sides[usize::from(!trace.is_a(cost.player))];
                        side.moves += 1;
                        side.nodes += cost.nodes;
                        side.iterations += cost.iterations;
                        side.search += cost.time;
                        side.slowest = side.slowest.max(cost.time);
                    }
                    position.play(Toy::parse_move(mv).unwrap()).unwrap();
                }
                let expected = match position.outcome().unwrap() {
                    Outcome::Draw => 1,
                    Outcome::Win(winner) => 2 * u64::from(trace.is_a(winner)),
                };
                assert_eq!(trace.half_points, expected);
                half_points += expected;
            }
            // Games that were replayed spent on ties, too, in neither account.
            assert_eq!(sides, result.summary.sides);
            assert_eq!(half_points, result.summary.half_points());
        }
    }

    #[test]
    fn traces_do_not_depend_on_threads_and_stop_with_a_sequential_test() {
        let test = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        for test in [None, Some(&test)] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let settings = settings(200, Schedule::Paired);
                let (result, mut traces) =
                    pool.install(|| traced(A, "random", "random:2", &settings, test));
                assert_eq!(traces.len() as u64, result.summary.tally.games());
                for cost in traces.iter_mut().flat_map(|trace| &mut trace.costs) {
                    cost.time = Duration::ZERO;
                }
                traces
            };
            let traces = run(1);
            assert_eq!(traces, run(3));
            assert!(test.is_none() || traces.len() < 200);
        }
    }

    #[test]
    fn a_forfeited_move_is_not_among_the_moves() {
        struct Stubborn;
        impl Agent<Toy> for Stubborn {
            fn choose(&mut self, _: &Turn<'_, Toy>) -> Result<Choice<u8>, Failure> {
                Ok(Choice::free(Toy::CENTRE))
            }
        }
        let (a, b) = (AgentFactory::custom("stubborn", |_| Stubborn), factory("reflex"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        let settings = settings(1, Schedule::First);
        let played = play_match_traced(&contest, &settings, None, &|| true).unwrap().unwrap();
        let trace = &played.games[0];
        assert_eq!((trace.moves.len(), trace.costs.len(), trace.half_points), (2, 2, 0));
        assert_eq!(trace.failure, Some(Failure::IllegalMove("12".into())));
    }
}
