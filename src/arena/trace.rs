//! Matches move by move: what each game was, and what each of its moves cost.

use std::fmt;
use std::time::Duration;

use super::matches::Kept;
use super::{Contest, MatchResult, MatchSettings, Schedule, matches, sequential};
use crate::agent::Failure;
use crate::game::{Game, Player};
use crate::input::InputError;
use crate::stats::sprt::Sprt;

/// What one move cost the agent that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCost {
    /// Moves made before it since the start of the game, by both players.
    pub ply: u32,
    /// Who made it.
    pub player: Player,
    /// The moves there were to choose from.
    pub legal_moves: u32,
    /// Positions searched for it, by agents that count positions.
    pub nodes: u64,
    /// Iterations of Monte Carlo tree search for it.
    pub iterations: u64,
    /// Wall time of the choice.
    pub time: Duration,
}

/// A game of a match, move by move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTrace<M> {
    /// Its number in the match, from 0.
    pub game: u64,
    /// The number of its pair, from 0, where games are paired.
    pub pair: Option<u64>,
    /// Whether A moved first.
    pub a_first: bool,
    /// Half points of A: 2 a win, 1 a draw.
    pub half_points: u64,
    /// How it was forfeited, if it was.
    pub failure: Option<Failure>,
    /// Where it started, in notation.
    pub start: String,
    /// Every move from there, the opening's included.
    pub moves: Vec<M>,
    /// What the last of them cost, as many as are not the opening's, in their order.
    pub costs: Vec<MoveCost>,
}

impl<M: fmt::Display> GameTrace<M> {
    /// The same with its moves in notation.
    #[must_use]
    pub fn in_notation(self) -> GameTrace<String> {
        let moves = self.moves.iter().map(ToString::to_string).collect();
        let Self { game, pair, a_first, half_points, failure, start, costs, .. } = self;
        GameTrace { game, pair, a_first, half_points, failure, start, moves, costs }
    }
}

impl<M> GameTrace<M> {
    fn new(settings: &MatchSettings, index: u64, kept: Kept<M>) -> Option<Self> {
        let task = settings.schedule.task(settings.seed, 0, index, settings.games);
        let trace = *kept.trace?;
        Some(Self {
            game: index,
            pair: (settings.schedule == Schedule::Paired).then_some(task.number),
            a_first: task.a_first,
            half_points: kept.summary.half_points(),
            failure: kept.failure,
            start: trace.start,
            moves: kept.game.1,
            costs: trace.costs,
        })
    }

    /// How many of the moves are the opening's.
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

/// Plays a match as [`play_match`](super::play_match) or, with a test, as
/// [`play_until_decided`](super::play_until_decided), and gives its games besides, in their order.
/// Where ties are replayed, a game is the last that was played for it. All is the same on any number
/// of threads but the times.
///
/// # Errors
/// As those.
#[expect(clippy::type_complexity, reason = "a result and its games need no name")]
pub fn play_match_traced<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    test: Option<&Sprt>,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<(MatchResult, Vec<GameTrace<P::Move>>)>, InputError> {
    let played = match test {
        Some(test) => sequential::play_and_keep(contest, settings, test, true, progress)?,
        None => matches::play_and_keep(contest, settings, true, progress)?,
    };
    Ok(played.map(|(result, games)| {
        let traces = (0..).zip(games);
        (result, traces.filter_map(|(index, kept)| GameTrace::new(settings, index, kept)).collect())
    }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::agent::{Agent, AgentFactory, Choice, Turn};
    use crate::arena::matches::tests::{factory, play, settings, without_times};
    use crate::arena::{Openings, SideStats};
    use crate::game::{Outcome, Position};
    use crate::games::uttt::{Rules, Uttt, UtttMove};

    fn traced(
        a: &str,
        b: &str,
        openings: &str,
        settings: &MatchSettings,
        test: Option<&Sprt>,
    ) -> (MatchResult, Vec<GameTrace<UtttMove>>) {
        let (a, b) = (factory(a), factory(b));
        let openings = Openings::parse::<Uttt>(openings, Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        play_match_traced(&contest, settings, test, &|| true).unwrap().unwrap()
    }

    const A: &str = "minimax:depth=2,weights=liang-default";
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
                let mut position = Uttt::from_notation(&trace.start, Rules::default()).unwrap();
                for (number, &mv) in trace.moves.iter().enumerate() {
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
                    position.play(mv).unwrap();
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
        impl Agent<Uttt> for Stubborn {
            fn choose(&mut self, _: &Turn<'_, Uttt>) -> Result<Choice<UtttMove>, Failure> {
                Ok(Choice::free(UtttMove::CENTRE))
            }
        }
        let (a, b) = (AgentFactory::custom("stubborn", |_| Stubborn), factory("reflex"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        let settings = settings(1, Schedule::First);
        let (_, traces) = play_match_traced(&contest, &settings, None, &|| true).unwrap().unwrap();
        let trace = &traces[0];
        assert_eq!((trace.moves.len(), trace.costs.len(), trace.half_points), (2, 2, 0));
        assert_eq!(trace.failure, Some(Failure::IllegalMove("4,4".into())));
    }
}
