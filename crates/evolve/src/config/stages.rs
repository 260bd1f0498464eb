//! The stages of an evolution: where they start, whom candidates play, how they are measured, and when a stage ends.

use schemars::JsonSchema;
use serde::Deserialize;

use super::evolved_agent::{Numbers, OWN_GAMES, Runner};
use super::space::Steps;
use super::{MOST_EVALUATIONS, NO_WEIGHTS, Reader, Result, none_of, regression};
use crate::plan::{
    FitnessPlan, LearnedStart, OpponentPlan, SelfPlayPlan, StagePlan, Start, Stops, share_games,
};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{MAX_GAMES, Schedule};
use tictune_core::input::{Table, all_default, percent};
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::weights::{Weights, number_namesakes};

/// How candidates are measured.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Fitness {
    #[serde(flatten)]
    pub(super) plan: FitnessPlan,
    /// A program that plays the games, if tictune does not know the game
    pub(super) runner: Option<Runner>,
}

/// A stage of an evolution. Stops are checked after each generation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StageSection {
    /// The search depth of the agents in plies
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    pub(super) depth: Option<u32>,
    /// Several depths mixed within one fitness, the games divided evenly
    #[schemars(inner(range(min = 1, max = MAX_DEPTH)))]
    pub(super) depths: Option<Vec<u32>>,
    /// Where it begins; by default at the best of the stage before, or, with a budget, at its mean
    start: Option<Start>,
    /// Its own step size at the beginning
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(super) sigma: Option<f64>,
    /// Its own games
    #[schemars(range(min = 1, max = MAX_GAMES))]
    games: Option<u64>,
    #[serde(flatten)]
    stops: Stops,
    /// Its own opponents
    #[serde(default)]
    pub(super) opponents: Vec<OpponentSection>,
}

/// An opponent of the candidates.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OpponentSection {
    /// Any agent; "initial" is the evolved agent as it was at the start
    #[serde(rename = "agent")]
    #[schemars(with = "Option<AgentSpec>")]
    _agent: AgentSpec,
    /// The evolved agent with other parameters, here or in a file of lines NAME = NUMBER
    pub(super) numbers: Option<Numbers>,
    /// A name that the program of a runner knows
    pub(super) name: Option<String>,
    /// Its share of the games, relative to the other shares
    #[serde(default = "percent::<100>")]
    #[schemars(range(min = 1e-9, max = 1e9), extend("x-takes" = "a number from 1e-9 to 1e9"))]
    share: f64,
    /// The candidate's depths against it; by default the stage's
    #[schemars(inner(range(min = 1, max = MAX_DEPTH)))]
    depths: Option<Vec<u32>>,
    /// Where these games start; by default as all games
    openings: Option<String>,
}

/// An opponent, its share, and its own depths.
type Rival = (OpponentPlan, f64, Option<Vec<u32>>);

impl Reader<'_, '_, '_> {
    /// A stage where none is written, if there is a budget, and the game says how deep searches go, or none are to be limited.
    pub(super) fn add_usual_stage(&mut self, evolved: &AgentSpec) {
        let depths = evolved.needs_depth().then(|| self.scope.game.first_depths.to_vec());
        let is_known = depths.is_none() || self.layout.is_some();
        if self.in_pairs() && self.config.stages.is_empty() && is_known {
            self.config.stages.push(StageSection { depths, ..all_default() });
        }
    }

    pub(super) fn stages(&self, dimensions: usize, evolved: &AgentSpec) -> Result<Vec<StagePlan>> {
        let (root, cmaes) = (self.root, &self.config.cmaes);
        if self.config.stages.is_empty() {
            let with = if self.has_runner() { "max_generations" } else { "a depth" };
            let message = format!("missing; write at least one [[stages]] with {with}");
            return Err(root.error("stages", message));
        }
        let opponents = self.opponents(&self.config.opponents, root, evolved)?;
        let default_sigma = self.default_sigma(dimensions).map(|(sigma, _)| sigma);
        let mut stages = Vec::new();
        let tables = root.inners("stages");
        for (index, keys) in self.config.stages.iter().enumerate() {
            let table = tables.get(index).unwrap_or(root);
            let depths = depths(keys, table)?;
            if self.has_runner() {
                none_of(table, &["depth", "depths"], OWN_GAMES)?;
            }
            let start = match keys.start {
                None if index == 0 => Start::Initial,
                None if self.in_pairs() => Start::Mean,
                None => Start::Best,
                Some(start) if index == 0 && start != Start::Initial => {
                    let message = "the first stage has no stage before it: \"initial\"";
                    return Err(table.error("start", message));
                }
                Some(start) => start,
            };
            let own = self.opponents(&keys.opponents, table, evolved)?;
            let opponents = if own.is_empty() { &opponents } else { &own };
            if opponents.is_empty() && !self.in_pairs() {
                let message = "missing; write at least one [[opponents]] with an agent";
                return Err(root.error("opponents", message));
            }
            // Agents with limits of their own, such as nodes, have no use for a depth.
            let in_games = opponents.iter().map(|(plan, ..)| &plan.agent);
            let needs_depth = [evolved].into_iter().chain(in_games).any(AgentSpec::needs_depth);
            if needs_depth && depths.is_empty() {
                let message = "missing; the plies that agents search in this stage";
                return Err(table.error("depth", message));
            }
            let depth = depths.last().copied().unwrap_or_default();
            let mut stops = keys.stops.clone();
            let limits = [stops.max_generations, self.overrides.max_generations];
            stops.max_generations = limits.into_iter().flatten().min();
            if stops.max_evaluations == 0 {
                let default = if self.in_pairs() { u64::MAX } else { MOST_EVALUATIONS };
                stops.max_evaluations = cmaes.max_evaluations.unwrap_or(default);
            }
            let fitness = self.fitness(keys, table, opponents, &depths)?;
            let default = self.default_population(dimensions, &fitness);
            let population = cmaes.population.unwrap_or(default) as usize;
            if self.in_pairs() && population % 2 == 1 {
                let message =
                    format!("candidates are pairs: expected an even number, found {population}");
                return Err(self.section("cmaes").error("population", message));
            }
            stages.push(StagePlan {
                depth,
                depths: if depths.len() > 1 { depths } else { Vec::new() },
                population,
                sigma: keys.sigma.or(cmaes.sigma).or(default_sigma).ok_or_else(|| {
                    let message = "missing; the step size at the beginning, such as 0.3";
                    self.section("cmaes").error("sigma", message)
                })?,
                start,
                stops,
                fitness,
            });
        }
        self.share_budget(&mut stages)?;
        Ok(stages)
    }

    pub(super) fn learned_start(
        &self,
        seed: u64,
        initial: Option<&Weights>,
        with_parameters: bool,
        depth: u32,
    ) -> Result<Option<LearnedStart>> {
        let Some(keys) = self.regression(depth) else { return Ok(None) };
        let table = self.section(if self.config.learn.is_some() { "learn" } else { "budget" });
        let Some(initial) = initial else {
            return Err(table.error_here(NO_WEIGHTS));
        };
        if with_parameters {
            return Err(
                table.error_here("it learns only weights: evolve [[parameters]] in a separate run")
            );
        }
        let of_run = (self.name.clone(), self.rules.clone(), seed);
        Ok(Some(LearnedStart {
            regression: regression::read(&keys, &table, self.scope, of_run, initial.clone())?,
            steps: self.config.cmaes.scale == Steps::Initial,
            axes: self.in_pairs(),
            keeps_start: self.learns_directions(),
        }))
    }

    /// The opponents of a table (the config, or a stage of its own) with their shares.
    /// `evolved` is the evolved agent as it is at the start.
    fn opponents(
        &self,
        opponents: &[OpponentSection],
        table: &Table<'_, '_>,
        evolved: &AgentSpec,
    ) -> Result<Vec<Rival>> {
        let read = |(keys, table): (&OpponentSection, Table<'_, '_>)| {
            let agent = self.opponent_agent(keys, &table, evolved)?;
            let depths = keys.depths.clone().map(|depths| ascending(&table, depths)).transpose()?;
            let openings = keys.openings.as_ref();
            let openings = openings.map(|text| self.openings(&table, text)).transpose()?;
            let plan = OpponentPlan { agent, depth: None, openings, games: 0 };
            Ok((plan, keys.share, depths))
        };
        let own = opponents.iter().zip(table.inners("opponents")).map(read);
        let mut own = own.collect::<Result<Vec<Rival>>>()?;
        let weights = own.iter_mut().flat_map(|(plan, ..)| plan.agent.all_weights_mut());
        number_namesakes(weights.map(|(_, weights)| weights));
        Ok(own)
    }

    fn fitness(
        &self,
        stage: &StageSection,
        table_of_stage: &Table<'_, '_>,
        opponents: &[Rival],
        depths: &[u32],
    ) -> Result<FitnessPlan> {
        let (keys, table) = (&self.config.fitness.plan, self.section("fitness"));
        let schedule = keys.schedule;
        if self.has_runner() && schedule != Schedule::Paired {
            let message = "a runner plays pairs of games, with sides swapped: \"paired\"";
            return Err(table.error("schedule", message));
        }
        // Every opponent at each of its depths; where the stage has only one, it need not be said.
        let mut entries: Vec<(OpponentPlan, f64)> = Vec::new();
        for (plan, share, own) in opponents {
            let depths = match (own.as_deref(), depths) {
                (None, [] | [_]) => vec![None],
                (own, depths) => own.unwrap_or(depths).iter().copied().map(Some).collect(),
            };
            let at = |depth| (OpponentPlan { depth, ..plan.clone() }, *share);
            entries.extend(depths.into_iter().map(at));
        }
        let (mut opponents, mut shares): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let mirrored = self.depths_of_self_play(opponents.is_empty(), depths)?;
        let default =
            if shares.is_empty() { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 };
        shares.resize(shares.len() + mirrored.len(), default);
        let (holder, games) = match stage.games {
            Some(games) => (table_of_stage, games),
            None => (&table, self.games_of_candidate(&table, keys.games, &shares)),
        };
        if !games.is_multiple_of(schedule.unit()) {
            let message =
                format!("expected an even number with schedule {schedule}, found {games}");
            return Err(holder.error("games", message));
        }
        let mut split = share_games(games, schedule.unit(), &shares).into_iter();
        opponents.iter_mut().zip(&mut split).for_each(|(plan, games)| plan.games = games);
        let self_play: Vec<_> = mirrored
            .iter()
            .zip(split)
            .map(|(&depth, games)| SelfPlayPlan { depth, games })
            .filter(|plan| plan.games > 0 || opponents.is_empty())
            .collect();
        let nobody = opponents.iter().find(|plan| plan.games == 0);
        let nobody = nobody.map(|plan| (plan.agent.to_string(), plan.depth));
        let alone = self_play.iter().find(|plan| opponents.is_empty() && plan.games == 0);
        let alone = alone.map(|plan| ("the other of the pair".into(), Some(plan.depth)));
        if let Some((agent, depth)) = nobody.or(alone) {
            let at = depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
            let message = format!("too few for every opponent: {agent} would play none{at}");
            return Err(holder.error("games", message));
        }
        let openings = self.openings_of(&table, "random:4:train")?;
        Ok(FitnessPlan { games, openings, opponents, self_play, ..keys.clone() })
    }

    fn games_of_candidate(&self, table: &Table<'_, '_>, written: u64, shares: &[f64]) -> u64 {
        if self.config.budget.is_none() || table.has("games") {
            return written;
        }
        let unit = self.config.fitness.plan.schedule.unit();
        let enough = |units: &u64| !share_games(units * unit, unit, shares).contains(&0);
        // Very unequal shares want more games than a default should give: then the written number, or its default, is refused.
        let mut few = 1..1000;
        few.find(enough).map_or(written, |least| unit * least)
    }
}

/// The depths of a stage, ascending and each once: `depth`, or those that are mixed by `depths`.
fn depths(keys: &StageSection, table: &Table<'_, '_>) -> Result<Vec<u32>> {
    match (keys.depth, &keys.depths) {
        (depth, None) => Ok(depth.into_iter().collect()),
        (None, Some(depths)) => ascending(table, depths.clone()),
        _ => Err(table.error("depths", "give depth or depths, not both")),
    }
}

fn ascending(table: &Table<'_, '_>, mut depths: Vec<u32>) -> Result<Vec<u32>> {
    if depths.is_empty() {
        return Err(table.error("depths", "expected at least one depth"));
    }
    depths.sort_unstable();
    depths.dedup();
    Ok(depths)
}
