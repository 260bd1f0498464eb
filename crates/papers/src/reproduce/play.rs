//! Plays the matches of a table.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::report::report;
use super::result::{Measurement, RowReport, RowSettings, RowTrace, TableReport};
use super::table::{PaperTable, Row};
use crate::reinforcement::config::{self, Learning};
use crate::reinforcement::{
    LearnPlan, LearningResult, Product, ProgressRow, ValueTable, learn, players_of,
};
use tictune_core::agent::{AgentFactory, AgentSpec, Agents, GreedySettings, Known, Limit};
use tictune_core::arena::{
    Contest, Detail, Executor, ExecutorError, MatchPlan, MatchResult, MatchSettings, Openings,
    Schedule, play_match_with, rules_of,
};
use tictune_core::files::{FileError, fingerprint};
use tictune_core::game::{Game, GameInfo};
use tictune_core::input::{InputError, Result, read_text};
use tictune_evolve::RunError;

/// How many games are played, and what the limits in a table stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Games of each row; `None` as printed.
    pub games: Option<u64>,
    /// The limit that `{monte_carlo}` stands for.
    pub monte_carlo: Limit,
    /// The limit that `{deepening}` stands for.
    pub deepening: Limit,
    /// The factor for `{seconds:X}`, X seconds per move of the document's program: that many times X seconds. Without a
    /// factor, as many positions as that program searched in X seconds (`positions_per_second` of the table).
    pub time_scale: Option<f64>,
    /// The seed of every row's match. The same match in two tables has the same result.
    pub seed: u64,
    /// The rows to play, from 1; empty for all.
    pub rows: Vec<usize>,
}

impl Default for Sizes {
    /// Liang's iterations, and as many positions as reach the depth of his searches.
    fn default() -> Self {
        let [monte_carlo, deepening] = [Limit::Iterations(25_000), Limit::Nodes(20_000)];
        Self { games: None, monte_carlo, deepening, time_scale: None, seed: 0, rows: Vec::new() }
    }
}

impl Sizes {
    /// The agents of a row of a table with their limits, but for `{equal_time}`.
    pub fn agents(&self, row: &Row, table: &PaperTable) -> Result<[String; 2]> {
        let [of_a, of_b] = row.handicap.unwrap_or([1.0; 2]);
        let [a, b] = &row.agents;
        Ok([self.fill(a, of_a, table)?, self.fill(b, of_b, table)?])
    }

    /// Fills in the limits of a spec in a table, all but `{equal_time}`. Limits of work are divided by `handicap`.
    fn fill(&self, agent: &str, handicap: f64, table: &PaperTable) -> Result<String> {
        let divided = |limit: Limit| {
            let divided = |work: u64| ((work as f64 / handicap).round() as u64).max(1);
            match limit {
                Limit::Iterations(work) => Limit::Iterations(divided(work)),
                Limit::Nodes(work) => Limit::Nodes(divided(work)),
                // What costs more takes more of its time anyway.
                of_time => of_time,
            }
        };
        let filled = agent
            .replace("{monte_carlo}", &divided(self.monte_carlo).to_string())
            .replace("{deepening}", &divided(self.deepening).to_string());
        let Some((before, rest)) = filled.split_once("{seconds:") else { return Ok(filled) };
        let wrong = |problem: &str| InputError::new(format!("agent \"{agent}\": {problem}"));
        let (seconds, after) = rest.split_once('}').ok_or_else(|| wrong("{seconds: has no }"))?;
        let seconds: f64 = seconds
            .parse()
            .ok()
            .filter(|x| (1e-6..=1e6).contains(x))
            .ok_or_else(|| wrong("{seconds:X} needs a number of seconds"))?;
        let limit = match (self.time_scale, table.positions_per_second) {
            (Some(scale), _) => Limit::Time(Duration::from_secs_f64(seconds * scale)),
            (None, Some(speed)) => Limit::Nodes(((seconds * speed).round() as u64).max(1)),
            (None, None) => return Err(wrong("the table has no positions_per_second")),
        };
        Ok(format!("{before}{}{after}", divided(limit)))
    }
}

/// The placeholder for as much time per move as the other agent of the row takes (Sista 3.3).
const EQUAL_TIME: &str = "{equal_time}";

/// How often this time is measured.
const TIMED: usize = 20;

/// A row that can be played.
struct Prepared {
    /// Its agents; another one stands in for an agent that is not ready before the row is played.
    agents: [AgentSpec; 2],
    /// What an agent has to learn first.
    plans: [Option<LearnPlan>; 2],
    settings: RowSettings,
}

/// What tables need of their game. The rest is compiled once, and not for each game.
pub trait TableGame {
    /// Its description.
    fn info(&self) -> &'static GameInfo;
    /// What texts of agents may name.
    fn known(&self) -> &Known;
    /// The rules in text form, and where games start.
    fn openings(&self, table: &PaperTable) -> Result<(String, Openings)>;
    /// Checks that an agent can play.
    fn check(&self, agent: &AgentSpec) -> Result<()>;
    /// See [`learn`](crate::reinforcement::learn).
    fn learn(
        &self,
        plan: &LearnPlan,
        on_game: &mut dyn FnMut(),
        on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
        stop: &AtomicBool,
    ) -> Result<LearningResult, RunError>;
    /// Plays a match in which a learned table takes the place of the agent of a side.
    fn play_learned(
        &self,
        plan: &MatchPlan,
        learned: (usize, &str, ValueTable),
        progress: &(dyn Fn() -> bool + Sync),
    ) -> Result<MatchResult, ExecutorError>;
}

impl<P: Game> TableGame for Agents<P> {
    fn info(&self) -> &'static GameInfo {
        P::INFO
    }
    fn known(&self) -> &Known {
        &self.known
    }
    fn openings(&self, table: &PaperTable) -> Result<(String, Openings)> {
        let rules = rules_of::<P>(&table.rules)?;
        Ok((rules.to_string(), Openings::parse::<P>(&table.openings, rules, &table.folder)?))
    }
    fn check(&self, agent: &AgentSpec) -> Result<()> {
        self.prepare(agent).map(drop)
    }
    fn learn(
        &self,
        plan: &LearnPlan,
        on_game: &mut dyn FnMut(),
        on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
        stop: &AtomicBool,
    ) -> Result<LearningResult, RunError> {
        learn(self, plan, on_game, on_row, stop)
    }
    fn play_learned(
        &self,
        plan: &MatchPlan,
        (side, label, table): (usize, &str, ValueTable),
        progress: &(dyn Fn() -> bool + Sync),
    ) -> Result<MatchResult, ExecutorError> {
        let learned = AgentFactory::new(label, players_of::<P>(table)?);
        let other = self.prepare(&plan.agents[1 - side])?;
        let (a, b) = if side == 0 { (&learned, &other) } else { (&other, &learned) };
        let contest =
            Contest { a, b, rules: rules_of::<P>(&plan.rules)?, openings: &plan.openings };
        play_match_with(&contest, &plan.settings, plan.detail, progress)
    }
}

/// A table that is being played. It is checked completely before the first game.
pub struct Reproduction<'t> {
    game: &'t dyn TableGame,
    table: &'t PaperTable,
    rules: String,
    openings: Openings,
    rows: Vec<Prepared>,
    asked: Vec<usize>,
    /// What was measured, here or earlier, by row number from 1.
    played: BTreeMap<usize, Measurement>,
}

impl<'t> Reproduction<'t> {
    /// Prepares all rows of a table. Rows in `earlier` need not be played again.
    ///
    /// # Errors
    /// A row that does not exist; wrong agents, openings or sizes; an earlier row that was played with other settings.
    pub fn new(
        game: &'t dyn TableGame,
        table: &'t PaperTable,
        sizes: &Sizes,
        earlier: &[RowReport],
    ) -> Result<Self> {
        let in_table = |error: InputError| {
            let file = table.file.as_ref().map(|file| file.display().to_string());
            let mut error = error.context(&format!("table {}", table.name));
            // A file of weights, say, is named already.
            error.file = error.file.or(file);
            error
        };
        let (rules, openings) = game.openings(table).map_err(in_table)?;
        let schedule = table.schedule.parse().map_err(in_table)?;
        let settings = |games: Option<u64>| MatchSettings {
            games: sizes.games.or(games).unwrap_or(table.games),
            seed: sizes.seed,
            schedule,
            replay_ties: table.replay_ties,
        };
        settings(None).check().map_err(in_table)?;
        let count = table.rows.len();
        if let Some(row) = sizes.rows.iter().find(|row| !(1..=count).contains(row)) {
            let message = format!("table {} has rows 1 to {count}, not {row}", table.name);
            return Err(InputError::new(message));
        }
        let asked = if sizes.rows.is_empty() { (1..=count).collect() } else { sizes.rows.clone() };
        let mut reproduction =
            Self { game, table, rules, openings, rows: Vec::new(), asked, played: BTreeMap::new() };
        for (number, row) in (1..).zip(&table.rows) {
            let prepared = reproduction.prepare(row, sizes, settings(row.games));
            let in_row = |error: InputError| {
                let mut error = error.context(&format!("row {number}"));
                if error.file.is_none() && table.file.is_some() {
                    error.line = row.line;
                }
                in_table(error)
            };
            reproduction.rows.push(prepared.map_err(in_row)?);
        }
        for RowReport { row, settings, measurement, .. } in earlier {
            let now = row.checked_sub(1).and_then(|index| reproduction.rows.get(index));
            let difference = now.map_or_else(
                || Some("of another table".into()),
                |now| settings.difference(&now.settings),
            );
            if let Some(difference) = difference {
                return Err(InputError::new(format!(
                    "row {row} was played with other settings ({difference}); save to another folder"
                )));
            }
            if !measurement.is_of(settings.games) {
                return Err(InputError::new(format!(
                    "the results of row {row} contradict each other: it was edited or damaged; remove the row and it is \
                     played again"
                )));
            }
            reproduction.played.insert(*row, measurement.clone());
        }
        Ok(reproduction)
    }

    fn prepare(&self, row: &Row, sizes: &Sizes, match_settings: MatchSettings) -> Result<Prepared> {
        match_settings.check()?;
        let texts = sizes.agents(row, self.table)?;
        let plans = [self.plan(&texts[0])?, self.plan(&texts[1])?];
        // To check the rest of the spec, any time will do, and any agent can replace one that has yet to learn.
        let spec = |side: usize| match &plans[side] {
            Some(_) => self.spec("random", Duration::ZERO),
            None => self.spec(&texts[side], Duration::from_secs(1)),
        };
        let agents = [spec(0)?, spec(1)?];
        agents.iter().try_for_each(|spec| self.game.check(spec))?;
        let waits = [0, 1].map(|side| plans[side].is_some() || texts[side].contains(EQUAL_TIME));
        if waits == [true; 2] {
            let message =
                "only one agent of a row can have the limit {equal_time} or be learn:CONFIG";
            return Err(InputError::new(message));
        }
        let hashes = plans.each_ref().map(|plan| plan.as_ref().map(LearnPlan::hash));
        let all = match &hashes {
            [None, None] => serde_json::to_vec(&(&agents, &self.openings)),
            hashes => serde_json::to_vec(&(&agents, &self.openings, hashes)),
        };
        let all =
            all.map_err(|error| InputError::new(format!("agents without a fingerprint: {error}")))?;
        let label =
            |side: usize| if waits[side] { texts[side].clone() } else { agents[side].to_string() };
        let MatchSettings { games, seed, schedule, replay_ties } = match_settings;
        let settings = RowSettings {
            agents: [label(0), label(1)],
            fingerprint: fingerprint(&all),
            openings: self.openings.to_string(),
            schedule,
            replay_ties,
            rules: self.rules.clone(),
            games,
            seed,
        };
        Ok(Prepared { agents, plans, settings })
    }

    /// The learning plan of an agent `learn:CONFIG`: a config file in the table's folder, or a built-in one.
    fn plan(&self, text: &str) -> Result<Option<LearnPlan>> {
        let Some(name) = text.strip_prefix("learn:") else { return Ok(None) };
        let path = self.table.folder.join(name);
        let known = self.game.known();
        let plan = match LEARNING_CONFIGS.iter().find(|config| config.0 == name) {
            Some((_, text)) if !path.exists() => config::parse(text, Path::new(name), None, known)?,
            _ => config::parse(&read_text(&path)?, &path, None, known)?,
        };
        match plan {
            Learning::Moves(plan) => Ok(Some(plan)),
            Learning::Regression(_) => {
                Err(InputError::in_file(&path, "method: is not learned from games"))
            }
        }
    }

    /// A spec with `time` in place of [`EQUAL_TIME`].
    fn spec(&self, text: &str, time: Duration) -> Result<AgentSpec> {
        let text = text.replace(EQUAL_TIME, &Limit::Time(time).to_string());
        let scope = self.game.known().scope(self.game.info(), &self.table.folder);
        AgentSpec::parse_in(&text, scope)?.complete(self.game.info())
    }

    fn match_plan(&self, agents: [AgentSpec; 2], settings: MatchSettings) -> MatchPlan {
        MatchPlan {
            game: self.game.info().name.into(),
            rules: self.rules.clone(),
            agents,
            openings: self.openings.clone(),
            settings,
            sprt: None,
            detail: if self.table.drawn.is_empty() { Detail::Costs } else { Detail::Moves },
        }
    }

    /// The rows, from 1, that are requested and not played yet, and the number of games in each.
    pub fn left(&self) -> Vec<(usize, u64)> {
        let left = self.asked.iter().filter(|row| !self.played.contains_key(row));
        left.map(|&row| (row, self.rows[row - 1].settings.games)).collect()
    }

    /// Plays a row that is left. `on_game` is called after every game, from any thread. Also returns its moves and games, if the
    /// table has figures of them.
    ///
    /// An agent with the limit `{equal_time}` gets the time per move that the other agent takes against a random player on an idle
    /// machine, which is measured first. An agent `learn:CONFIG` learns first.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set; openings that cannot be drawn.
    pub fn play(
        &mut self,
        executor: &dyn Executor,
        row: usize,
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<(Measurement, Option<RowTrace>), ExecutorError> {
        let Prepared { agents, plans, settings: row_settings } = &self.rows[row - 1];
        let settings = row_settings.of_match();
        let mut agents = agents.clone();
        let (mut equal_time, mut learned) = (None, None);
        for (side, label) in row_settings.agents.iter().enumerate() {
            if let Some(plan) = &plans[side] {
                let result = self.game.learn(plan, &mut || {}, &mut |_| Ok(()), stop);
                let result = result.map_err(|error| match error {
                    RunError::Interrupted => ExecutorError::Stopped,
                    error => InputError::new(format!("{label}: {error}")).into(),
                })?;
                match result.product {
                    Product::Table(table) => learned = Some((side, label.as_str(), table)),
                    Product::Weights(weights) => {
                        let greedy = AgentSpec::from(GreedySettings::default());
                        agents[side] = greedy.with_weights(weights);
                    }
                }
            } else if label.contains(EQUAL_TIME) {
                // Against a random player, over at least a hundred moves, as in Sista. The least of several times is that of a quiet
                // moment.
                let timed = [agents[1 - side].clone(), self.spec("random", Duration::ZERO)?];
                let schedule = Schedule::HalfAndHalf;
                let timed =
                    self.match_plan(timed, MatchSettings { games: 8, schedule, ..settings });
                let mut milliseconds = f64::INFINITY;
                for _ in 0..TIMED {
                    let timed = timed.play(executor, &|_| (), stop)?;
                    milliseconds =
                        milliseconds.min(Measurement::of(&timed).milliseconds_per_move[0]);
                }
                equal_time = Some(milliseconds);
                let time = Duration::from_secs_f64(milliseconds / 1e3).max(*Limit::TIMES.start());
                agents[side] = self.spec(label, time)?;
            }
        }
        let plan = self.match_plan(agents, settings);
        let result = match learned {
            None => plan.play(executor, &|games| (0..games).for_each(|_| on_game()), stop)?,
            // A learned table exists in this process only, so its match is played here.
            Some(learned) => {
                let progress = || {
                    on_game();
                    !stop.load(Ordering::Relaxed)
                };
                self.game.play_learned(&plan, learned, &progress)?
            }
        };
        let trace = (!self.table.drawn.is_empty()).then(|| RowTrace::of(&result.games));
        let measurement = Measurement {
            equal_time,
            milliseconds_deviation: trace.as_ref().map(RowTrace::deviation_of_times),
            ..Measurement::of(&result)
        };
        self.played.insert(row, measurement.clone());
        Ok((measurement, trace))
    }

    /// Compares the table with what has been measured so far; `command` repeats the measurement.
    pub fn report(&self, command: &str) -> TableReport {
        let settings = self.rows.iter().map(|row| &row.settings);
        let played = (1..).zip(settings).filter_map(|(number, settings)| {
            self.played.get(&number).map(|measurement| (number, settings, measurement))
        });
        report(command, self.table, played.collect())
    }
}

macro_rules! learning_configs {
    ($($name:literal)*) => {
        /// The built-in learning configs by name.
        const LEARNING_CONFIGS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../experiments/lifshitz/", $name)))),*];
    };
}

learning_configs! {
    "learn-state-actions.toml" "learn-features.toml" "learn-td-lambda.toml" "learn-monte-carlo.toml"
    "learn-binary-features.toml"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;

    #[test]
    fn a_handicap_divides_limits_of_work() {
        let mut table = PaperTable::built_in().unwrap().swap_remove(0);
        table.positions_per_second = Some(1000.0);
        let mut sizes = Sizes { deepening: Limit::Nodes(9), ..Sizes::default() };
        for (agent, handicap, expected) in [
            ("mcts:{monte_carlo},c=0.3", 1.0, "mcts:iterations=25000,c=0.3"),
            ("mcts:{monte_carlo}", 2.5, "mcts:iterations=10000"),
            ("iterative:{deepening}", 100.0, "iterative:nodes=1"),
            ("iterative:{seconds:0.5}", 2.0, "iterative:nodes=250"),
        ] {
            assert_eq!(sizes.fill(agent, handicap, &table).unwrap(), expected);
        }
        sizes.time_scale = Some(1.0);
        let timed = sizes.fill("iterative:{seconds:0.5}", 2.0, &table).unwrap();
        assert_eq!(timed, "iterative:time=500ms");
    }

    #[test]
    fn configs_of_the_table_of_learning_are_built_in() {
        let table = include_str!("../../experiments/lifshitz/tables/learning.toml");
        for (name, text) in LEARNING_CONFIGS {
            assert!(table.contains(&format!("\"learn:{name}\"")), "{name}");
            assert!(config::parse(text, Path::new(name), None, &built_in()).is_ok(), "{name}");
        }
        assert_eq!(table.matches("\"learn:").count(), LEARNING_CONFIGS.len());
    }
}
