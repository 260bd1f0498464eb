//! Tests of the finalists, with an executor whose games are tosses of loaded coins.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::RngExt;

use super::{Finalist, Rounds, measure};
use crate::journal::Finalists;
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
}

impl Tosses {
    const fn new(play: fn(&Work, &Unit) -> Vec<GameResult>) -> Self {
        Self { play, games: AtomicU64::new(0) }
    }
}

impl Executor for Tosses {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, .. } = calls;
        for (index, unit) in work.units.iter().enumerate() {
            on_games(index, unit.games());
            self.games.fetch_add(unit.games(), Ordering::Relaxed);
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

/// What is found in a folder of its own.
fn run(plan: &Plan, chances: &[f64], executor: &Tosses) -> Finalists {
    let folder = tempfile::tempdir().unwrap();
    let (stop, observer, members) = (&AtomicBool::new(false), &Silent, &[]);
    let folder = folder.path();
    let context = StageContext { plan, index: 0, folder, executor, observer, stop, members };
    let rounds = Rounds::of_finalists(&SETTINGS, 0);
    measure(&context, &rounds, &finalists(plan, chances)).unwrap().0
}

#[test]
fn the_strongest_is_shown_to_lead_and_the_rest_drop_out_by_halves() {
    let executor = coins();
    let found = run(&plan(Combine::Mean), &[0.45, 0.5, 0.4, 0.8, 0.35, 0.6], &executor);
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
    let found = run(&plan(Combine::Mean), &[0.5, 0.5 + 1e-9, 0.2], &coins());
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
        shown += u32::from(run(&plan, &[0.1, 0.2], &independent).shown);
    }
    assert!(shown <= 8, "{shown} of 60");
}

#[test]
fn the_worst_opponent_counts_where_the_stage_says_so() {
    for row in run(&plan(Combine::Worst), &[0.6, 0.5], &coins()).rows {
        assert_eq!(row.score, row.by_opponent[1].score());
        assert_eq!(row.by_opponent[0].games(), 3 * row.by_opponent[1].games());
        assert!(row.score_low < row.score && row.score < row.score_high);
    }
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
    let found = run(&plan(Combine::Mean), &[0.5, 0.4], &ignores_seeds);
    assert!(!found.shown && found.verdict.starts_with("no difference shown"), "{found:?}");
    let lead = found.rows[1].behind.as_ref().unwrap();
    assert!(lead.difference > 0.5 && lead.p_value > 0.05, "{lead:?}");
    assert!(
        found.rows.iter().all(|row| row.games == 1200 && row.distinct_games < 200),
        "{found:?}"
    );
}
