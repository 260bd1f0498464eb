//! How often a verdict is false: matches, tournaments and evolutions between equals, whose games are tosses of coins.
//!
//! The games come from an executor, so that everything after them is the code of a real run. The coins may fall alike in both
//! games of a pair, be often drawn, or be few, so that games repeat one another.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use tictune::Agents;
use tictune::arena::{
    Calls, Detail, Entrant, ExecutorError, Fingerprint, GameMoves, GameResult, MatchPlan, Side,
    Tournament, TournamentFormat, TournamentPlan, Work,
};
use tictune::built_in;
use tictune::config::{Overrides, parse};
use tictune::evolve::{RunResult, Silent, run};
use tictune::games::Uttt;
use tictune::seed::mix;
use tictune::stats::sprt::{Hypothesis, Model, Sprt};
use tictune::stats::{SIGNIFICANCE, holm, wilson_interval};
use tictune::{AgentSpec, Executor, MatchResult, MatchSettings, Openings, RunDir, Schedule};

/// How games come out.
#[derive(Clone, Copy, Debug)]
struct Coins {
    /// The share of games that are drawn.
    draws: f64,
    /// The share of pairs whose second game comes out as the first, from A's view.
    alike: f64,
    /// How many different games there are for each side of a match; no limit if 0.
    games: u64,
    /// A's expected share of points in games that are no draws.
    score: f64,
}

/// Independent games, none drawn, between equals.
const FAIR: Coins = Coins { draws: 0.0, alike: 0.0, games: 0, score: 0.5 };

/// A number from 0 to 1 that follows from another.
fn share(number: u64) -> f64 {
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

impl Coins {
    /// A game of a match, which has luck of its own: its result from A's view, and its name.
    fn game(&self, luck: u64, pair: u64, second: bool) -> (Option<Side>, u64) {
        let of_pair = mix(mix(luck, 1), pair);
        let side = if second && share(mix(of_pair, 7)) >= self.alike { 3 } else { 2 };
        let own = mix(of_pair, side);
        let name = match self.games {
            0 => own,
            games => mix(mix(luck, side), own % games),
        };
        let winner = match share(mix(name, 9)) {
            toss if toss < self.draws => None,
            toss if toss < self.draws + (1.0 - self.draws) * self.score => Some(Side::A),
            _ => Some(Side::B),
        };
        // Games that came out alike are still two games, with sides swapped.
        (winner, mix(name, u64::from(second)))
    }
}

impl Executor for Coins {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        for (index, unit) in work.units.iter().enumerate() {
            // Every vector and every opponent has luck of its own.
            let text = unit.agents.map(|agent| format!("{agent} {:?}", work.agents.get(agent)));
            let luck = text
                .iter()
                .flat_map(|text| text.bytes())
                .fold(unit.settings.seed, |luck, byte| mix(luck, byte.into()));
            let game = |number: u64| {
                let pair = unit.first_number + number / 2;
                let (winner, name) = self.game(luck, pair, number % 2 == 1);
                let name = format!("{name:016x}");
                let mut result = GameResult::reported(winner, Fingerprint::of_text(&name));
                if unit.detail == Detail::Moves {
                    let (start, moves) = (String::new(), vec![name]);
                    result.moves = Some(Box::new(GameMoves { start, moves, costs: Vec::new() }));
                }
                result
            };
            if (calls.sink)(index, unit.range.clone().map(game).collect()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A row of the table: what was tried, how often, and how often its verdict was false.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) trials: u64,
    pub(super) wrong: u64,
}

impl Row {
    pub(super) fn interval(&self) -> (f64, f64) {
        wilson_interval(self.wrong as f64 / self.trials as f64, self.trials as f64)
    }

    /// Whether the share may be the 5 % that are promised, or less.
    pub(super) fn keeps_its_level(&self) -> bool {
        self.interval().0 <= SIGNIFICANCE
    }
}

type Tried<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Tries something with many seeds, and counts how often each of its verdicts was false.
fn count(
    trials: u64,
    seed: u64,
    names: &[String],
    trial: impl Fn(u64) -> Tried<Vec<bool>> + Sync,
) -> Tried<Vec<Row>> {
    let all: Vec<Vec<bool>> =
        (0..trials).into_par_iter().map(|number| trial(mix(seed, number))).collect::<Tried<_>>()?;
    let row = |(place, name): (usize, &String)| Row {
        what: name.clone(),
        trials,
        wrong: all.iter().filter(|wrong| wrong[place]).count() as u64,
    };
    Ok(names.iter().enumerate().map(row).collect())
}

fn agent(text: &str) -> Tried<AgentSpec> {
    Ok(Agents::<Uttt>::default().parse(text, Path::new(""))?)
}

const fn settings(games: u64, seed: u64) -> MatchSettings {
    MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false }
}

fn play(coins: &Coins, games: u64, seed: u64, sprt: Option<Sprt>) -> Tried<MatchResult> {
    let plan = MatchPlan {
        game: "uttt".into(),
        rules: String::new(),
        agents: [agent("reflex")?, agent("random")?],
        openings: Openings::None,
        settings: settings(games, seed),
        sprt,
        detail: Detail::Costs,
    };
    Ok(plan.play(coins, &|_| (), &AtomicBool::new(false))?)
}

fn is_shown(p: Option<f64>) -> bool {
    p.is_some_and(|p| p < SIGNIFICANCE)
}

/// Matches of so many games: a difference is said to be shown.
fn matches(trials: u64, seed: u64, name: &str, coins: Coins) -> Tried<Vec<Row>> {
    let lengths = [20, 100, 1000];
    let names = lengths.map(|games| format!("match of {games} games, {name}"));
    count(trials, seed, &names, |seed| {
        let shown = |&games: &u64| Ok(is_shown(play(&coins, games, seed, None)?.figures().p));
        lengths.iter().map(shown).collect()
    })
}

/// A sequential test of both hypotheses: each is true once, and the other is accepted.
fn sequential(trials: u64, seed: u64, name: &str, coins: Coins, model: Model) -> Tried<Vec<Row>> {
    // With few decided games, a lead of 60 Elo is more than winning all of them.
    let elo1 = if coins.draws > 0.5 { 20.0 } else { 60.0 };
    let names = ["H1 accepted, H0 true", "H0 accepted, H1 true"]
        .map(|wrong| format!("sequential test, {model}, {name}: {wrong}"));
    let test = Sprt::new([0.0, elo1], [SIGNIFICANCE; 2], model)?;
    // The share of points of a lead as large as H1 says, in a game or in standard deviations of one.
    let deviation = ((1.0 - coins.draws) / 4.0).sqrt();
    let correlated = (1.0 + coins.alike).sqrt();
    let points = match model {
        Model::Logistic => 1.0 / (1.0 + 10_f64.powf(-elo1 / 400.0)) - 0.5,
        Model::Normalized => elo1 / 800.0 * std::f64::consts::LN_10 * deviation * correlated,
    };
    let ahead = Coins { score: 0.5 + points / (1.0 - coins.draws), ..coins };
    count(trials, seed, &names, |seed| {
        let accepts = |coins: &Coins, wrong: Hypothesis| -> Tried<bool> {
            let result = play(coins, 100_000, seed, Some(test))?;
            Ok(result.sprt.is_some_and(|state| state.decision == Some(wrong)))
        };
        Ok(vec![accepts(&coins, Hypothesis::H1)?, accepts(&ahead, Hypothesis::H0)?])
    })
}

/// Tournaments of four equals: any pairing is said to differ, after Holm's correction; or the interval of a rating does not
/// hold 0.
fn tournaments(trials: u64, seed: u64, name: &str, coins: Coins) -> Tried<Vec<Row>> {
    let names = [
        format!("tournament of four, {name}: a pairing, after Holm"),
        format!("tournament of four, {name}: the first rating"),
    ];
    count(trials, seed, &names, |seed| {
        let entrant = |seed: u64| -> Tried<Entrant> {
            Ok(Entrant {
                name: format!("equal-{seed}"),
                agent: agent(&format!("greedy:seed={seed}"))?,
            })
        };
        let plan = TournamentPlan {
            name: "equals".into(),
            game: "uttt".into(),
            rules: String::new(),
            format: TournamentFormat::RoundRobin,
            settings: settings(60, seed),
            openings: Openings::None,
            entrants: (1..=4).map(entrant).collect::<Tried<_>>()?,
        };
        let tournament = Tournament::new::<Uttt>(&plan, &Agents::default())?;
        let games = tournament.play(&coins, None, &|| (), &AtomicBool::new(false))?;
        let results = tournament.results(&games);
        let p: Vec<f64> = results.iter().filter_map(|pairing| pairing.result.figures().p).collect();
        let rating = tournament.ratings(&results)[0];
        let apart =
            rating.low.is_some_and(|low| low > 0.0) || rating.high.is_some_and(|high| high < 0.0);
        Ok(vec![holm(&p).into_iter().any(|p| p < SIGNIFICANCE), apart])
    })
}

/// The config of an evolution whose candidates cannot matter, against the first so many published vectors.
fn equals(seed: u64, opponents: usize) -> String {
    let all = ["liang-default", "liang-simple", "liang-optimized", "liang-comprehensive"];
    let pool = all[..opponents]
        .iter()
        .map(|name| format!("{{ agent = \"greedy:weights={name}\" }}"))
        .collect::<Vec<_>>()
        .join(", ");
    let (seed, games) = (seed as u32, 8 * opponents);
    format!(
        r#"name = "equals"
seed = {seed}
evaluation = "simple"
cmaes = {{ population = 4, sigma = 0.3, initial = 0.5 }}
opponents = [{pool}]
stages = [{{ depth = 1, max_generations = 2 }}]
comparison = {{ games = 100, openings = "none" }}
fitness.games = {games}
fitness.openings = "none"
[validation]
games = 100
depths = [1, 2]
openings = ["none"]
opponents = ["liang-default", "liang-simple"]
"#
    )
}

fn evolve(config: &str, coins: &Coins) -> Tried<RunResult> {
    let plan = parse(config, Path::new("equals.toml"), Overrides::default(), &built_in())?;
    let folder = tempfile::tempdir()?;
    let dir = RunDir::new(folder.path(), &built_in());
    dir.create(config, &plan)?;
    Ok(run(&plan, &dir, coins, &Silent, &AtomicBool::new(false))?)
}

/// The verdicts of whole evolutions.
fn evolutions(
    trials: u64,
    seed: u64,
    name: &str,
    coins: Coins,
    opponents: usize,
) -> Tried<Vec<Row>> {
    let names = ["best against mean", "validation, after Holm"]
        .map(|verdict| format!("evolution against {opponents}, {name}: {verdict}"));
    count(trials, seed, &names, |seed| {
        let found = evolve(&equals(seed, opponents), &coins)?;
        let validation = found.validation.iter().any(|row| is_shown(row.p_value_holm));
        Ok(vec![found.comparison.shown, validation])
    })
}

/// All rows. A match is tried so often; what takes longer, less often.
pub(super) fn rows(trials: u64, seed: u64) -> Tried<Vec<Row>> {
    let kinds: BTreeMap<&str, Coins> = BTreeMap::from([
        ("independent games", FAIR),
        ("half correlated pairs", Coins { alike: 0.5, ..FAIR }),
        ("equal pairs", Coins { alike: 1.0, ..FAIR }),
        ("90 % drawn", Coins { draws: 0.9, ..FAIR }),
        ("90 % drawn, equal pairs", Coins { draws: 0.9, alike: 1.0, ..FAIR }),
        ("40 different games per side", Coins { games: 40, ..FAIR }),
        ("20 different games per side", Coins { games: 20, ..FAIR }),
        ("20 different games per side, half drawn", Coins { games: 20, draws: 0.5, ..FAIR }),
    ]);
    let mut rows = Vec::new();
    for (number, (name, coins)) in (0..).zip(&kinds) {
        let seed = mix(seed, number);
        rows.extend(matches(trials, seed, name, *coins)?);
    }
    for (number, (name, coins)) in (100..).zip(&kinds) {
        let seed = mix(seed, number);
        if coins.games == 0 {
            for model in [Model::Logistic, Model::Normalized] {
                rows.extend(sequential(trials / 4, mix(seed, model as u64), name, *coins, model)?);
            }
        }
        rows.extend(tournaments(trials / 4, seed, name, *coins)?);
        for opponents in [1, 2, 4] {
            let seed = mix(seed, opponents as u64 + 4);
            rows.extend(evolutions(trials / 10, seed, name, *coins, opponents)?);
        }
    }
    Ok(rows)
}
