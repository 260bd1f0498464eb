use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::*;
use crate::agent::{AgentSpec, Agents};
use crate::arena::executor::{Detail, play_in_order};
use crate::arena::{MatchSettings, Openings, Schedule};
use crate::testing::toy::{Toy, ToyRules};

const AGENTS: [&str; 4] = [
    "minimax:depth=2,weights=toy-lines",
    "random",
    "greedy:weights=toy-inner",
    "mcts:iterations=20,playout=ept,weights=toy-even",
];

fn spec(text: &str) -> AgentSpec {
    Agents::<Toy>::default().parse(text, Path::new("")).unwrap()
}

fn openings(text: &str) -> Openings {
    let openings = Openings::parse::<Toy>(text, ToyRules::default(), Path::new("")).unwrap();
    openings.for_match(&settings(Schedule::Coin)).unwrap()
}

fn settings(schedule: Schedule) -> MatchSettings {
    MatchSettings { games: 24, seed: 7, schedule, replay_ties: false }
}

fn unit(agents: [usize; 2], schedule: Schedule, detail: Detail) -> Unit {
    let settings = settings(schedule);
    Unit { agents, openings: 0, settings, first_number: 0, range: 0..24, detail }
}

/// Units of every kind.
fn work() -> Work {
    let units = vec![
        unit([0, 1], Schedule::Paired, Detail::Costs),
        Unit { range: 3..17, ..unit([0, 2], Schedule::HalfAndHalf, Detail::Costs) },
        Unit { openings: 1, first_number: 9, ..unit([3, 0], Schedule::Coin, Detail::Moves) },
        unit([1, 1], Schedule::First, Detail::Moves),
    ];
    Work {
        game: "toy".into(),
        rules: ToyRules::default().to_string(),
        agents: AGENTS.map(spec).to_vec(),
        openings: ["random:4", "none"].map(openings).to_vec(),
        units,
        must_start: false,
    }
}

fn executor() -> Threads<Toy> {
    Threads::default()
}

static NEVER: AtomicBool = AtomicBool::new(false);

/// The results of all units in their order.
fn play(work: &Work, threads: usize) -> Vec<Vec<GameResult>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut results = Vec::new();
    let mut sink = |unit: usize, result: Vec<GameResult>| {
        assert_eq!(unit, results.len(), "in order");
        results.push(result);
        Ok::<_, ExecutorError>(ControlFlow::Continue(()))
    };
    let told: Vec<AtomicU64> = work.units.iter().map(|_| AtomicU64::new(0)).collect();
    let on_games = |unit: usize, games: u64| {
        told[unit].fetch_add(games, Ordering::Relaxed);
    };
    pool.install(|| play_in_order(&executor(), work, &mut sink, &on_games, &NEVER)).unwrap();
    for (unit, told) in work.units.iter().zip(told) {
        assert_eq!(told.into_inner(), unit.games());
    }
    results
}

fn without_times(results: Vec<Vec<GameResult>>) -> Vec<Vec<GameResult>> {
    let without = |game: GameResult| game.repeatable(Detail::Moves);
    results.into_iter().map(|unit| unit.into_iter().map(without).collect()).collect()
}

#[test]
fn results_do_not_depend_on_threads_or_on_the_size_of_units() {
    let work = work();
    let results = without_times(play(&work, 1));
    assert_eq!(results, without_times(play(&work, 3)));
    for (unit, result) in work.units.iter().zip(&results) {
        assert_eq!(result.len() as u64, unit.games());
        let traced = unit.detail == Detail::Moves;
        assert!(result.iter().all(|game| game.moves.is_some() == traced));
    }
    let games = |results: Vec<Vec<GameResult>>| -> Vec<GameResult> {
        results.into_iter().flatten().collect()
    };
    let whole = games(results);
    for size in [1, 2, 5] {
        let units = work.units.iter().flat_map(|unit| unit.split(size).collect::<Vec<_>>());
        let parts = Work { units: units.collect(), ..work.clone() };
        assert!(parts.units.len() >= 18);
        assert_eq!(games(without_times(play(&parts, 2))), whole, "{size}");
    }
}

type UnitResult = (usize, Vec<GameResult>);

/// An executor that gives what is asked for in place of the results of the last unit.
struct Wrong(fn(UnitResult) -> Option<UnitResult>);

impl Executor for Wrong {
    fn play(
        &self,
        work: &Work,
        Calls { sink, on_games, stop }: Calls<'_>,
    ) -> Result<(), ExecutorError> {
        let mut change = |unit: usize, games: Vec<GameResult>| {
            let given = if unit == 3 { (self.0)((unit, games)) } else { Some((unit, games)) };
            given.map_or(ControlFlow::Continue(()), |(unit, games)| sink(unit, games))
        };
        executor().play(work, Calls { sink: &mut change, on_games, stop })
    }
}

#[test]
fn results_that_are_not_those_of_the_work_are_refused() {
    for (wrong, expected) in [
        (Wrong(|_| None), "the executor gave no results for unit 3"),
        (
            Wrong(|(unit, games)| Some((unit, games[1..].to_vec()))),
            "23 results for unit 3, which has 24 games",
        ),
        (Wrong(|(_, games)| Some((9, games))), "24 results for unit 9, which has 0 games"),
        (Wrong(|(_, games)| Some((1, games))), "24 results for unit 1, which has 14 games"),
    ] {
        let mut sink = |_, _| Ok::<_, ExecutorError>(ControlFlow::Continue(()));
        let error = play_in_order(&wrong, &work(), &mut sink, &|_, _| (), &NEVER).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn splitting_divides_no_pair_and_keeps_all_games() {
    let ranges = |schedule, range: Range<u64>, games| -> Vec<Range<u64>> {
        let unit = Unit { range, ..unit([0, 1], schedule, Detail::Costs) };
        unit.split(games).map(|part| part.range).collect()
    };
    assert_eq!(ranges(Schedule::Paired, 0..10, 5), [0..4, 4..8, 8..10]);
    assert_eq!(ranges(Schedule::Paired, 0..6, 1), [0..2, 2..4, 4..6]);
    assert_eq!(ranges(Schedule::Paired, 3..9, 2), [3..4, 4..6, 6..8, 8..9]);
    assert_eq!(ranges(Schedule::Coin, 3..9, 4), [3..7, 7..9]);
    assert_eq!(ranges(Schedule::Coin, 3..9, 0).len(), 6);
    assert_eq!(ranges(Schedule::Paired, 0..10, u64::MAX).len(), 1);
}

#[test]
fn an_error_of_the_sink_ends_the_work() {
    let work = work();
    let mut calls = 0;
    let mut sink = |_, _| {
        calls += 1;
        Err(ExecutorError::Input(InputError::new("enough")))
    };
    let executor = executor();
    let error = play_in_order(&executor, &work, &mut sink, &|_, _| (), &NEVER).unwrap_err();
    assert_eq!(error.to_string(), "enough");
    assert_eq!(calls, 1);
    // One that has had enough is no error.
    let mut sink = |_, _| Ok::<_, ExecutorError>(ControlFlow::Break(()));
    play_in_order(&executor, &work, &mut sink, &|_, _| (), &NEVER).unwrap();
}

#[test]
fn work_that_makes_no_sense_is_refused() {
    let refused = |edit: &dyn Fn(&mut Work)| {
        let mut work = work();
        edit(&mut work);
        let mut sink = |_, _| ControlFlow::Continue(());
        executor().play(&work, Calls::new(&mut sink, &NEVER)).unwrap_err().to_string()
    };
    assert!(refused(&|work| work.game = "qubic".into()).contains("games of qubic"));
    assert!(refused(&|work| work.rules = "no such rules".into()).contains("expected lines=all"));
    assert!(refused(&|work| work.units[2].agents[1] = 4).contains("unit 2 names agents"));
    assert!(refused(&|work| work.units[0].openings = 2).contains("unit 0 names openings"));
    assert!(refused(&|work| work.units[1].range.end = 25).contains("unit 1 names games"));
    assert!(refused(&|work| work.units[1].range = 5..5).contains("unit 1 names games"));
    assert!(refused(&|work| work.units[0].settings.games = 3).contains("an even number"));
    assert!(refused(&|work| work.units[0].settings.games = 1 << 63).contains("at most 10000000"));
    assert!(refused(&|work| work.agents[2] = spec("minimax")).contains("needs a depth"));
}

#[test]
fn agents_are_freed_after_their_last_games() {
    let units = [1, 2].map(|other| unit([other, 0], Schedule::First, Detail::Costs)).to_vec();
    let work = Work { units, ..work() };
    let players = Agents::<Toy>::default();
    let prepare = |agent: usize| players.prepare(&work.agents[agent]);
    let agents = PreparedAgents::<Toy>::new(&work, &prepare);
    (0..3).for_each(|agent| drop(agents.get(agent).unwrap()));
    assert_eq!(agents.ready_now(), [0, 1, 2]);
    agents.unit_finished(&work.units[0]);
    assert_eq!(agents.ready_now(), [0, 2], "who plays on stays");
    agents.unit_finished(&work.units[1]);
    agents.get(2).unwrap();
    assert!(agents.ready_now().is_empty());
}
