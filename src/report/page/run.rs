//! A run as a page shows it.

use serde::Serialize;

use super::data::RunData;
use super::drawn;
use super::evolution::{self, Correlations};
use super::results::{self, ComparisonView, ValidationView};
use super::status::{Status, number};
use super::weights::{WeightsView, beside_published};
use crate::evolve::{Admission, StagePlan};
use crate::report::charts::Chart;
use crate::report::{finalists_table, regression_table};

/// A run as a page shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunView {
    status: Status,
    /// What is evolved; every second piece is a name.
    evolves: Vec<String>,
    game: String,
    rules: String,
    seed: u64,
    config_hash: String,
    tictune: String,
    charts: Vec<Chart>,
    paths: Vec<Chart>,
    /// How many numbers have no path, since there are too many.
    without_path: usize,
    correlations: Option<Correlations>,
    learned: Option<String>,
    stages: Vec<StageView>,
    comparison: Option<ComparisonView>,
    validation: Option<ValidationView>,
    agents: Vec<(&'static str, String)>,
    weights: Option<WeightsView>,
    config: String,
}

#[derive(Clone, Debug, Serialize)]
struct StageView {
    title: String,
    about: String,
    opponents: Vec<OpponentView>,
    hall: Option<HallView>,
    ended: String,
    starts: Option<TableView>,
    finalists: Option<TableView>,
}

#[derive(Clone, Debug, Serialize)]
struct OpponentView {
    name: String,
    games: u64,
    share: f64,
}

#[derive(Clone, Debug, Serialize)]
struct HallView {
    about: String,
    table: String,
}

/// A table as text, and what came out of it.
#[derive(Clone, Debug, Serialize)]
struct TableView {
    winner: String,
    table: String,
}

impl RunView {
    /// What a page shows of a run.
    pub(crate) fn new(run: &RunData) -> Self {
        let plan = run.plan();
        let paths = drawn(&evolution::paths(run));
        Self {
            status: Status::of(run),
            evolves: plan.to_string().split('`').map(String::from).collect(),
            game: plan.game.clone(),
            rules: plan.rules.clone(),
            seed: plan.seed,
            config_hash: run.manifest.config_hash.clone(),
            tictune: run.manifest.tictune.clone(),
            charts: drawn(&evolution::plots(run)),
            without_path: if paths.is_empty() { 0 } else { run.names().len() - paths.len() },
            paths,
            correlations: evolution::correlations(run),
            learned: run.learned.as_ref().map(regression_table),
            stages: (0..plan.stages.len()).map(|index| StageView::new(run, index)).collect(),
            comparison: results::comparison(run),
            validation: results::validation(run),
            agents: run.agents.clone(),
            weights: beside_published(run),
            config: run.config.clone(),
        }
    }
}

impl StageView {
    fn new(run: &RunData, index: usize) -> Self {
        let (stage, data) = (&run.plan().stages[index], &run.stages[index]);
        let depth = match stage.has_depth() {
            true => format!(": depth {}", stage.depth_in_words()),
            false => String::new(),
        };
        let table = |found: &crate::evolve::Finalists| TableView {
            winner: found.winner.clone(),
            table: finalists_table(found),
        };
        Self {
            title: format!("Stage {}{depth}", index + 1),
            about: format!(
                "{} games a candidate; openings {}{}; population {}; sigma at its beginning {}.",
                stage.fitness.games,
                stage.fitness.openings,
                stage
                    .fitness
                    .combine
                    .in_words()
                    .map_or(String::new(), |words| format!("; {words}")),
                stage.population,
                run.plan().space.sigma_unit.in_words(stage.sigma)
            ),
            opponents: opponents(stage),
            hall: hall_of_fame(stage, &data.admissions),
            ended: match run.manifest.stages.get(index) {
                Some(record) => format!(
                    "Stopped: {}. Lowest fitness {} in {} generations{}.",
                    record.stopped,
                    number(record.best_fitness),
                    record.generations,
                    since_a_change(stage, &data.admissions, record.generations)
                ),
                None if data.rows.is_empty() => "No generation yet.".into(),
                None => format!("{} generations so far.", data.rows.len()),
            },
            starts: data.starts.as_ref().map(table),
            finalists: data.finalists.as_ref().map(table),
        }
    }
}

/// Whom the candidates of a stage play, and how often.
fn opponents(stage: &StagePlan) -> Vec<OpponentView> {
    let fitness = &stage.fitness;
    let all = fitness.games.max(1) as f64;
    let view = |name: String, games: u64| OpponentView {
        name,
        games,
        share: (1000.0 * games as f64 / all).round() / 10.0,
    };
    let pool = fitness.opponents.iter().map(|plan| {
        let openings = plan.openings.as_ref();
        let from = openings.map_or(String::new(), |openings| format!(", openings {openings}"));
        view(format!("{}{from}", stage.opponent(plan)), plan.games)
    });
    let others = fitness.coevolution.iter().map(|plan| {
        let name = format!("{} others of its generation", plan.opponents);
        view(name, fitness.coevolution_games())
    });
    pool.chain(others).collect()
}

/// The hall of fame of a stage, where it has one: one line for each admission match.
fn hall_of_fame(stage: &StagePlan, admissions: &[Admission]) -> Option<HallView> {
    let hall = stage.fitness.hall.as_ref()?;
    let mut table =
        String::from("generation  members  wins  draws  losses  distinct games  entered\n");
    for Admission { generation, members, tally, distinct_games, entered, .. } in admissions {
        table += &format!(
            "{generation:>10}  {members:>7}  {:>4}  {:>5}  {:>6}  {distinct_games:>14}  {}\n",
            tally.wins,
            tally.draws,
            tally.losses,
            if *entered { "yes" } else { "no" }
        );
    }
    let about = format!(
        "Hall of fame: {} of the games once it has members, at most {} of them. Every {} generations the mean plays \
         an admission match against the pool and the members.",
        stage.fitness.hall_games(),
        hall.size,
        hall.every
    );
    Some(HallView { about, table })
}

/// Which generations the lowest fitness is of, where it is not of all: those that met the same opponents as the last.
fn since_a_change(stage: &StagePlan, admissions: &[Admission], generations: u64) -> String {
    if stage.fitness.coevolution.is_some() {
        return " (of the last one: earlier ones met other opponents)".into();
    }
    let entered = admissions.iter().filter(|admission| admission.entered);
    let last = entered.map(|admission| admission.generation).filter(|&last| last < generations);
    last.max().map_or(String::new(), |last| {
        format!(" (of generation {} on: earlier ones met another hall of fame)", last + 1)
    })
}
