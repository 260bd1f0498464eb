//! Tests of matches.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::agent::{Agent, AgentFactory, Agents, Choice, Failure, Turn};
use crate::arena::{Schedule, SideStats, play_task};
use crate::game::{Outcome, Position};
use crate::search::Stop;
use crate::stats::sprt::{Hypothesis, Model};
use crate::testing::toy::{Rules, Toy};

fn factory(text: &str) -> AgentFactory<Toy> {
    Agents::<Toy>::default().ready(text).unwrap()
}

fn settings(games: u64, schedule: Schedule) -> MatchSettings {
    MatchSettings { games, seed: 0, schedule, replay_ties: false }
}

fn play_with(
    a: &AgentFactory<Toy>,
    b: &AgentFactory<Toy>,
    openings: &str,
    settings: &MatchSettings,
    test: Option<Sprt>,
) -> Result<MatchResult, ExecutorError> {
    let openings = Openings::parse::<Toy>(openings, Rules::default(), Path::new(""))?;
    let contest = Contest { a, b, rules: Rules::default(), openings: &openings };
    play_match_with(&contest, settings, test, Detail::Moves, &|| true)
}

fn play(a: &str, b: &str, openings: &str, settings: &MatchSettings) -> MatchResult {
    play_with(&factory(a), &factory(b), openings, settings, None).unwrap()
}

fn without_times(mut result: MatchResult) -> MatchResult {
    result.elapsed = Duration::ZERO;
    for side in &mut result.summary.sides {
        (side.search, side.slowest) = (Duration::ZERO, Duration::ZERO);
    }
    for cost in result.games.iter_mut().flat_map(|game| &mut game.costs) {
        cost.time = Duration::ZERO;
    }
    result
}

/// The same result on one thread and on three.
fn on_any_threads(play: impl Fn() -> MatchResult + Sync) -> MatchResult {
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        without_times(pool.install(&play))
    });
    assert_eq!(one, three);
    one
}

#[test]
fn the_stronger_agent_wins_from_either_side_of_the_table() {
    let (strong, settings) = ("minimax:depth=3,weights=toy-lines", settings(40, Schedule::Paired));
    let ab = play(strong, "random", "random:4", &settings);
    let ba = play("random", strong, "random:4", &settings);
    assert!(ab.summary.tally.score() > 0.9 && ba.summary.tally.score() < 0.1);
    let pairs = ab.pairs.unwrap();
    assert_eq!(pairs.iter().sum::<u64>(), 20);
    let points: u64 = pairs.iter().zip(0..).map(|(count, points)| count * points).sum();
    assert_eq!(points, ab.summary.half_points());
}

#[test]
fn an_agent_with_its_own_seed_ignores_the_matchs() {
    let run = |seed| {
        let settings = MatchSettings { seed, ..settings(20, Schedule::First) };
        without_times(play("random:seed=1", "random:seed=2", "none", &settings))
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn repeated_games_are_seen_and_replayed_ties_leave_no_draw() {
    let result = play("reflex", "reflex", "none", &settings(10, Schedule::First));
    assert_eq!(result.distinct_games, 1);
    let result = play("random", "random", "none", &settings(200, Schedule::Paired));
    assert_eq!(result.distinct_games, 200);
    let replay = MatchSettings { replay_ties: true, ..settings(100, Schedule::Coin) };
    assert_eq!(play("random", "random", "none", &replay).summary.tally.draws, 0);
}

#[test]
fn matches_that_cannot_be_played_are_refused() {
    let (random, test) =
        (factory("random"), Sprt::new([-1.0, 1.0], [0.05; 2], Model::Logistic).unwrap());
    for (games, schedule, test, expected) in [
        (3, Schedule::Paired, None, "even number"),
        (3, Schedule::HalfAndHalf, None, "even number"),
        (0, Schedule::Coin, None, "at least one"),
        (u64::MAX - 1, Schedule::Paired, None, "at most 10000000 games"),
        (10, Schedule::HalfAndHalf, Some(test), "not with half-and-half"),
    ] {
        let error = play_with(&random, &random, "none", &settings(games, schedule), test);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_match_that_is_stopped_has_no_result() {
    let random = factory("random");
    let (a, b, rules) = (&random, &random, Rules::default());
    let contest = Contest { a, b, rules, openings: &Openings::None };
    let played = play_match(&contest, &settings(10, Schedule::Coin), &|| false);
    assert!(matches!(played, Err(ExecutorError::Stopped)));
}

#[test]
fn an_illegal_move_loses_the_game_and_is_counted() {
    struct Stubborn;
    impl Agent<Toy> for Stubborn {
        fn choose(&mut self, _: &Turn<'_, Toy>) -> Result<Choice<u8>, Failure> {
            Ok(Choice::free(Toy::CENTRE))
        }
    }
    let (a, b) = (AgentFactory::custom("stubborn", |_| Stubborn), factory("reflex"));
    let result = play_with(&a, &b, "none", &settings(10, Schedule::First), None).unwrap();
    assert_eq!((result.summary.tally.losses, result.summary.errors), (10, [10, 0]));
    assert_eq!(result.forfeits.len(), 10);
    let failure = Failure::IllegalMove("12".into());
    assert_eq!(result.forfeits[3].failure, failure);
    // The forfeited move is not among the moves.
    let trace = &result.games[0];
    assert_eq!((trace.moves.len(), trace.costs.len(), trace.half_points), (2, 2, 0));
    assert_eq!(trace.failure, Some(failure));
}

#[test]
fn a_panic_in_a_game_is_an_error_that_names_the_game() {
    struct Broken;
    impl Agent<Toy> for Broken {
        fn choose(&mut self, turn: &Turn<'_, Toy>) -> Result<Choice<u8>, Failure> {
            assert!(turn.position.ply() < 3, "no fourth move");
            let first = turn.position.legal_moves().next();
            Ok(Choice::free(first.expect("a position that is not over")))
        }
    }
    let (a, b) = (AgentFactory::custom("broken", |_| Broken), factory("random"));
    let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::Centre };
    let task = settings(10, Schedule::First).schedule.task(5, 0, 0, 10);
    let error = play_task(&contest, &task, &|| true, Stop::NEVER).unwrap_err();
    assert!(matches!(error, ExecutorError::Panicked(_)), "{error}");
    let text = error.to_string();
    for expected in [
        "panicked: no fourth move, in the game of seed ",
        &format!("{} from the opening \"...../...../...../...../.....\", after", task.seed),
        "after the moves \"12 ",
        "between broken (A) and random (B), where A moves first",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_trace_replays_its_game_and_its_costs_sum_to_those_of_the_match() {
    let (a, b) = ("minimax:depth=2,weights=toy-lines", "mcts:iterations=30");
    for (schedule, replay_ties, openings) in
        [(Schedule::Paired, false, "random:4"), (Schedule::Coin, true, "none")]
    {
        let paired = schedule == Schedule::Paired;
        let result = play(a, b, openings, &MatchSettings { replay_ties, ..settings(12, schedule) });
        assert_eq!(result.games.len(), 12);
        let mut sides = [SideStats::default(); 2];
        for (index, trace) in result.games.iter().enumerate() {
            assert_eq!(trace.game, index as u64);
            assert_eq!(trace.pair, paired.then_some(index as u64 / 2));
            assert!(!paired || trace.a_first == index.is_multiple_of(2));
            assert_eq!(trace.opening_plies(), if paired { 4 } else { 0 });
            let mut position = Toy::from_notation(&trace.start, Rules::default()).unwrap();
            for (number, mv) in trace.moves.iter().enumerate() {
                if let Some(place) = number.checked_sub(trace.opening_plies()) {
                    let cost = trace.costs[place];
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
        }
        // Games that were replayed spent on ties, too, in neither account.
        assert_eq!(sides, result.summary.sides);
        let half_points: u64 = result.games.iter().map(|game| game.half_points).sum();
        assert_eq!(half_points, result.summary.half_points());
    }
}

#[test]
fn a_sequential_test_ends_at_the_same_pair_on_any_threads() {
    let test = Some(Sprt::new([0.0, 50.0], [0.05; 2], Model::Logistic).unwrap());
    let (greedy, random) = (factory("greedy"), factory("random"));
    for schedule in [Schedule::Paired, Schedule::Coin] {
        let play = |games, test| {
            play_with(&greedy, &random, "random:4", &settings(games, schedule), test).unwrap()
        };
        let result = on_any_threads(|| play(5000, test));
        let sprt = result.sprt.unwrap();
        assert_eq!(sprt.decision, Some(Hypothesis::H1));
        let games = result.summary.tally.games();
        assert!((2..2000).contains(&games), "{games}");
        // What was counted is a beginning of the match without a test.
        let whole = MatchResult { sprt: Some(sprt), ..without_times(play(games, None)) };
        assert_eq!(result, whole);
    }
    let open = Some(Sprt::new([-1.0, 1.0], [0.05; 2], Model::Logistic).unwrap());
    let result = play_with(&random, &random, "none", &settings(150, Schedule::Paired), open);
    let result = result.unwrap();
    assert_eq!((result.summary.tally.games(), result.sprt.unwrap().decision), (150, None));
}
