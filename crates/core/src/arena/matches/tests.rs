//! Tests of matches, and what those of other files share with them.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::agent::Agents;
use crate::agent::{Agent, Choice, Failure, Turn};
use crate::arena::{MatchResult, Schedule, play_match};
use crate::game::Position;
use crate::testing::toy::{Rules, Toy};

pub(in crate::arena) fn factory(text: &str) -> AgentFactory<Toy> {
    Agents::<Toy>::default().ready(text).unwrap()
}

pub(in crate::arena) fn settings(games: u64, schedule: Schedule) -> MatchSettings {
    MatchSettings { games, seed: 0, schedule, replay_ties: false }
}

pub(in crate::arena) fn play(
    a: &str,
    b: &str,
    openings: &str,
    settings: &MatchSettings,
) -> MatchResult {
    let (a, b) = (factory(a), factory(b));
    let openings = Openings::parse::<Toy>(openings, Rules::default(), Path::new("")).unwrap();
    let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
    play_match(&contest, settings, &|| true).unwrap().unwrap()
}

pub(in crate::arena) fn without_times(mut result: MatchResult) -> MatchResult {
    result.elapsed = Duration::ZERO;
    for side in &mut result.summary.sides {
        (side.search, side.slowest) = (Duration::ZERO, Duration::ZERO);
    }
    result
}

#[test]
fn the_stronger_agent_wins_from_either_side_of_the_table() {
    let ab = play(
        "minimax:depth=3,weights=toy-lines",
        "random",
        "random:4",
        &settings(40, Schedule::Paired),
    );
    let ba = play(
        "random",
        "minimax:depth=3,weights=toy-lines",
        "random:4",
        &settings(40, Schedule::Paired),
    );
    assert!(ab.summary.tally.score() > 0.9 && ba.summary.tally.score() < 0.1);
    let pairs = ab.pairs.unwrap();
    assert_eq!(pairs.iter().sum::<u64>(), 20);
    let points: u64 = pairs.iter().zip(0..).map(|(count, points)| count * points).sum();
    assert_eq!(points, ab.summary.half_points());
}

#[test]
fn results_do_not_depend_on_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let play = || play("greedy", "random", "random:2", &settings(60, Schedule::Coin));
        without_times(pool.install(play))
    };
    assert_eq!(run(1), run(3));
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
fn repeated_games_are_seen() {
    let result = play("reflex", "reflex", "none", &settings(10, Schedule::First));
    assert_eq!(result.distinct_games, 1);
    let result = play("random", "random", "none", &settings(200, Schedule::Paired));
    assert_eq!(result.distinct_games, 200);
}

#[test]
fn replayed_ties_leave_no_draw_unless_the_agents_repeat_themselves() {
    let replay = MatchSettings { replay_ties: true, ..settings(100, Schedule::Coin) };
    assert_eq!(play("random", "random", "none", &replay).summary.tally.draws, 0);
}

#[test]
fn games_that_cannot_be_paired_are_refused() {
    let (a, b) = (factory("random"), factory("random"));
    let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
    for (games, schedule, expected) in [
        (3, Schedule::Paired, "even number"),
        (3, Schedule::HalfAndHalf, "even number"),
        (0, Schedule::Coin, "at least one"),
        (u64::MAX - 1, Schedule::Paired, "at most 10000000 games"),
    ] {
        let error = play_match(&contest, &settings(games, schedule), &|| true).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_match_that_is_stopped_has_no_result() {
    let (a, b) = (factory("random"), factory("random"));
    let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
    assert_eq!(play_match(&contest, &settings(10, Schedule::Coin), &|| false), Ok(None));
}

#[test]
fn an_illegal_move_loses_the_game_and_is_counted() {
    struct Stubborn;
    impl Agent<Toy> for Stubborn {
        fn choose(&mut self, _: &Turn<'_, Toy>) -> Result<Choice<u8>, Failure> {
            Ok(Choice::free(Toy::CENTRE))
        }
    }
    let (a, b) = (AgentFactory::custom("stubborn", |_| Stubborn), factory("random"));
    let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
    let result = play_match(&contest, &settings(10, Schedule::First), &|| true).unwrap().unwrap();
    assert_eq!((result.summary.tally.losses, result.summary.errors), (10, [10, 0]));
    assert_eq!(result.forfeits.len(), 10);
    assert_eq!(result.forfeits[3].failure.to_string(), "illegal move 12");
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
    let error = play_task(&contest, &task, None, &|| true, Stop::NEVER).unwrap_err();
    assert!(matches!(error, ExecutorError::Panicked(_)), "{error}");
    let text = error.to_string();
    for expected in [
        "panicked: no fourth move".to_string(),
        format!(
            "in the game of seed {} from the opening \"...../...../...../...../.....\"",
            task.seed
        ),
        "after the moves \"12 ".into(),
        "between broken (A) and random (B), where A moves first".into(),
    ] {
        assert!(text.contains(&expected), "{text}");
    }
    let error = play_match(&contest, &settings(10, Schedule::First), &|| true).unwrap_err();
    assert!(error.to_string().contains("no fourth move"), "{error}");
}
