//! Tests of the finalists, with an executor whose games are tosses of loaded coins.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::RngExt;

use super::{Finalist, Rounds, measure};
use crate::error::Result;
use crate::journal::Finalists;
use crate::measure::cells::check_of_played;
use crate::plan::{Combine, FinalistsPlan, Plan};
use crate::stage::{Silent, StageContext};
use tictune_core::arena::{
    Calls, Executor, ExecutorError, Fingerprint, GameResult, Openings, Side, Unit, Work,
};
use tictune_core::seed::{Role, generator, mix};

/// Plays each unit as a function says.
struct Tosses {
    play: fn(&Work, &Unit) -> Vec<GameResult>,
    games: AtomicU64,
    /// Refuses to play more games than this.
    most: u64,
}

impl Tosses {
    const fn new(play: fn(&Work, &Unit) -> Vec<GameResult>) -> Self {
        Self { play, games: AtomicU64::new(0), most: u64::MAX }
    }
}

impl Executor for Tosses {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, .. } = calls;
        for (index, unit) in work.units.iter().enumerate() {
            on_games(index, unit.games());
            if self.games.fetch_add(unit.games(), Ordering::Relaxed) + unit.games() > self.most {
                return Err(ExecutorError::Stopped);
            }
            if sink(index, (self.play)(work, unit)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The first weight of agent A of a unit.
fn first_of(work: &Work, unit: &Unit) -> f64 {
    work.agents[unit.agents[0]].weights().map_or(f64::NAN, |weights| weights.values()[0])
}

/// The games of a unit, won or lost.
fn games(unit: &Unit, mut won: impl FnMut() -> bool) -> Vec<GameResult> {
    let games = unit.range.clone().map(|index| {
        let name = mix(mix(unit.settings.seed, unit.first_number), index);
        let winner = if won() { Side::A } else { Side::B };
        GameResult::reported(Some(winner), Fingerprint::of_key(name))
    });
    games.collect()
}

/// Wins a game with the probability that the first weight says; games of a pair and an opponent share their luck.
fn coins() -> Tosses {
    Tosses::new(|work, unit| {
        // An opponent's number makes it harder.
        let number = unit.agents[1] as u64;
        let chance = first_of(work, unit) - 0.1 * number as f64;
        let mut luck = generator(mix(unit.settings.seed, number), Role::Coin);
        games(unit, || luck.random::<f64>() < chance)
    })
}

pub(crate) fn plan(combine: Combine) -> Plan {
    let text = "evaluation = \"simple\"\nseed = 4\n\
                [cmaes]\nsigma = 0.3\npopulation = 3\ninitial = \"liang-simple\"\n\
                [fitness]\ngames = 40\nschedule = \"half-and-half\"\nseeds = \"fixed\"\n\
                [[opponents]]\nagent = \"random\"\nshare = 3\n[[opponents]]\nagent = \"reflex\"\n\
                [[stages]]\ndepth = 2\nmax_generations = 1\nmax_evaluations = 10\n\
                [comparison]\ngames = 2\nopenings = \"none\"\n\
                [validation]\ngames = 2\nopenings = [\"none\"]\ndepths = []\nopponents = []\n";
    let mut plan = crate::known::read(text).unwrap();
    plan.stages[0].fitness.combine = combine;
    plan
}

pub(crate) const SETTINGS: FinalistsPlan = FinalistsPlan {
    games: 80,
    rounds: 4,
    best: 1,
    means: 1,
    average: 0,
    start: true,
    model: false,
    openings: Openings::None,
};

/// Finalists whose chances to win are these.
fn finalists(plan: &Plan, chances: &[f64]) -> Vec<Finalist> {
    let finalist = |(name, &chance): (&str, &f64)| {
        let mut point = vec![0.5; plan.start_point().len()];
        point[0] = chance;
        let candidate = plan.candidate(&point).unwrap();
        Finalist { name: name.into(), generation: None, fitness: None, candidate }
    };
    ["best", "mean", "start", "a", "b", "c"].into_iter().zip(chances).map(finalist).collect()
}

fn run(folder: &Path, plan: &Plan, chances: &[f64], executor: &Tosses) -> Result<Finalists> {
    let (stop, observer, members) = (&AtomicBool::new(false), &Silent, &[]);
    let context = StageContext { plan, index: 0, folder, executor, observer, stop, members };
    let rounds = Rounds::of_finalists(&SETTINGS, 0);
    Ok(measure(&context, &rounds, &finalists(plan, chances))?.0)
}

/// The same in a folder of its own.
fn run_anew(plan: &Plan, chances: &[f64], executor: &Tosses) -> Finalists {
    run(tempfile::tempdir().unwrap().path(), plan, chances, executor).unwrap()
}

#[test]
fn the_strongest_is_shown_to_lead_and_the_rest_drop_out_by_halves() {
    let executor = coins();
    let found = run_anew(&plan(Combine::Mean), &[0.45, 0.5, 0.4, 0.8, 0.35, 0.6], &executor);
    assert_eq!((found.winner.as_str(), found.shown), ("a", true));
    assert_eq!(found.verdict, "a is shown to lead the others");
    let winner = &found.rows[0];
    assert_eq!(winner.tally.games(), winner.games);
    assert!(winner.score_low < 0.775 && 0.775 < winner.score_high, "{winner:?}");
    assert!(winner.behind.is_none() && found.rows[1..].iter().all(|row| row.behind.is_some()));
    // One row is best against mean.
    let lead = found.best_against_mean.unwrap();
    assert_eq!((lead.name.as_str(), lead.over.as_str()), ("best", "mean"));
    assert!((lead.difference + 0.05).abs() < 3.0 * lead.standard_error, "{lead:?}");
    // 80 games in the first round, 160 in the second; no more were needed than the log has.
    let all: u64 = found.rows.iter().map(|row| row.games).sum();
    assert_eq!(executor.games.into_inner(), all);
    assert!(found.rows.iter().all(|row| row.games == 80 * ((1 << row.rounds) - 1)));
}

#[test]
fn equals_are_not_said_to_differ() {
    let found = run_anew(&plan(Combine::Mean), &[0.5, 0.5 + 1e-9, 0.2], &coins());
    assert!(!found.shown && found.verdict.starts_with("no difference shown between"), "{found:?}");
    assert_eq!((found.rounds, found.rows[0].games), (4, 80 * 15));
    assert!(found.rows[2].behind.as_ref().unwrap().shown);
    // 60 runs of independent equals, however often one looks: at a level of 5 % a few lead by chance.
    let mut shown = 0;
    for seed in 0..60 {
        let mut plan = plan(Combine::Mean);
        plan.seed = seed;
        plan.stages[0].fitness.opponents.truncate(1);
        let independent = Tosses::new(|work, unit| {
            let own = mix(unit.settings.seed, first_of(work, unit).to_bits());
            let mut luck = generator(mix(own, unit.agents[1] as u64), Role::Coin);
            games(unit, || luck.random())
        });
        shown += u32::from(run_anew(&plan, &[0.1, 0.2], &independent).shown);
    }
    assert!(shown <= 8, "{shown} of 60");
}

#[test]
fn the_worst_opponent_counts_where_the_stage_says_so() {
    for row in run_anew(&plan(Combine::Worst), &[0.6, 0.5], &coins()).rows {
        assert_eq!(row.score, row.by_opponent[1].score());
        assert_eq!(row.by_opponent[0].games(), 3 * row.by_opponent[1].games());
        assert!(row.score_low < row.score && row.score < row.score_high);
    }
}

#[test]
fn a_log_torn_anywhere_is_gone_on_with() {
    let chances = [0.45, 0.5, 0.4, 0.55, 0.35];
    let whole = tempfile::tempdir().unwrap();
    let plan = plan(Combine::Mean);
    let executor = coins();
    let expected = run(whole.path(), &plan, &chances, &executor).unwrap();
    let games = executor.games.into_inner();
    let log = std::fs::read_to_string(whole.path().join("finalist-games.csv")).unwrap();
    for most in [0, 7, 80, 300, games / 2, games - 1] {
        let folder = tempfile::tempdir().unwrap();
        let stopped = Tosses { most, ..coins() };
        assert!(run(folder.path(), &plan, &chances, &stopped).is_err());
        assert_eq!(run(folder.path(), &plan, &chances, &coins()).unwrap(), expected);
        let again = std::fs::read_to_string(folder.path().join("finalist-games.csv")).unwrap();
        assert_eq!(again, log);
    }
    for bytes in (0..log.len()).step_by(397).chain([log.len()]) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("finalist-games.csv"), &log[..bytes]).unwrap();
        let executor = coins();
        assert_eq!(run(folder.path(), &plan, &chances, &executor).unwrap(), expected);
        let kept = log[..bytes].matches('\n').count().saturating_sub(1) as u64;
        assert!(executor.games.into_inner() <= games - 8 * kept, "{kept} rows were played again");
    }
}

#[test]
fn a_log_that_does_not_fit_is_refused() {
    let chances = [0.45, 0.5, 0.4];
    let whole = tempfile::tempdir().unwrap();
    let plan = plan(Combine::Mean);
    run(whole.path(), &plan, &chances, &coins()).unwrap();
    let log = std::fs::read_to_string(whole.path().join("finalist-games.csv")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let played = |line: &str| line.rsplit_once(',').unwrap().1.to_string();
    let checked = |text: String| format!("{text} {}", check_of_played(&text));
    let of_mean = played(lines[2]);
    let lost = |wins: usize| {
        let game = |number: usize| {
            format!("{}:{}:{number:016x}", number / 6, 2 * usize::from(number < wins))
        };
        checked((0..8).map(game).collect::<Vec<_>>().join(" "))
    };
    let place = ":2: expected round 1, block 1, finalist best";
    let first = format!("1,1,best,8,0,1,8,6-0-0 2-0-0,{}", lost(8));
    let second = [
        ("other,1,0,7,8,1-0-5 0-0-2", lost(1)),
        ("mean,1,0,7,8,0-0-6 0-0-2", lost(1)),
        ("mean,1,0,7,8,1-0-7", lost(1)),
        ("mean,1,0,7,8,x", lost(1)),
        ("mean,18446744073709551615,1,7,8,1-0-5 0-0-2", lost(1)),
        ("mean,1,0,7,8,1-0-5 0-0-2", lost(2)),
        ("mean,1,0,7,8,1-0-5 0-0-2", format!("{} 0:2:-", lost(1))),
        ("mean,1,0,7,8,1-0-5 0-0-2", of_mean.replacen("0:", "0:9", 1)),
        ("mean,1,0,7,8,1-0-5 0-0-2", "x".into()),
    ];
    let second = second.map(|(row, played)| format!("1,1,{row},{played}"));
    let second = second.map(|row| (2, row, "finalist mean, with 8 games"));
    for (line, new, expected) in [(1, first, place)].into_iter().chain(second) {
        let folder = tempfile::tempdir().unwrap();
        let text = log.replacen(lines[line], &new, 1);
        assert_ne!(text, log);
        std::fs::write(folder.path().join("finalist-games.csv"), text).unwrap();
        let error = run(folder.path(), &plan, &chances, &coins()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}\n{expected}");
    }
    let folder = tempfile::tempdir().unwrap();
    let more = format!("{log}{}\n", lines[1]);
    std::fs::write(folder.path().join("finalist-games.csv"), more).unwrap();
    let error = run(folder.path(), &plan, &chances, &coins()).unwrap_err();
    assert!(error.to_string().contains("ended before this row"), "{error}");
}

#[test]
fn a_program_that_ignores_its_seeds_shows_no_lead() {
    // The same few pairs in every request, whatever the seed: those of the candidate are won.
    let ignores_seeds = Tosses::new(|work, unit| {
        let strong = first_of(work, unit) > 0.45;
        let game = |number: u64| {
            let winner = if strong || number.is_multiple_of(3) { Side::A } else { Side::B };
            GameResult::reported(Some(winner), Fingerprint::unnamed(unit.settings.seed, number))
        };
        unit.range.clone().map(game).collect()
    });
    let found = run_anew(&plan(Combine::Mean), &[0.5, 0.4], &ignores_seeds);
    assert!(!found.shown && found.verdict.starts_with("no difference shown"), "{found:?}");
    let lead = found.rows[1].behind.as_ref().unwrap();
    assert!(lead.difference > 0.5 && lead.p_value > 0.05, "{lead:?}");
    assert!(
        found.rows.iter().all(|row| row.games == 1200 && row.distinct_games < 200),
        "{found:?}"
    );
}
