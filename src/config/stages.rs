//! The stages of an evolution: whom candidates play, how they are measured, and when a stage ends.

use super::{FITNESS_KEYS, MAX_POPULATION, OPPONENT_KEYS, Overrides, Reader, STAGE_KEYS};
use crate::agent::AgentSpec;
use crate::arena::{MAX_GAMES, Openings, Schedule};
use crate::evolve::plan::{
    CoevolutionPlan, Combine, FitnessPlan, OpponentPlan, ScoreRule, Seeds, StagePlan, Start, Stops,
    share_games,
};
use crate::input::{InputError, Table};
use crate::search::minimax::MAX_DEPTH;

/// Whom candidates play: an entry of `[[opponents]]`.
pub(super) struct Opponent {
    pub(super) agent: AgentSpec,
    pub(super) share: f64,
    /// Its own depths, instead of the stage's.
    pub(super) depths: Option<Vec<u32>>,
    /// Its own openings, instead of all games'.
    pub(super) openings: Option<Openings>,
}

impl Reader<'_, '_, '_> {
    pub(super) fn stages(
        &self,
        cmaes: &Table<'_, '_>,
        dimensions: usize,
        overrides: Overrides,
        carrier: &AgentSpec,
    ) -> Result<Vec<StagePlan>, InputError> {
        let root = self.root;
        let tables = root.tables("stages", &STAGE_KEYS)?;
        if tables.is_empty() {
            let with = if self.has_runner() { "max_generations" } else { "a depth" };
            return Err(
                root.error("stages", format!("missing; write at least one [[stages]] with {with}"))
            );
        }
        let population = cmaes.whole32("population", 2, MAX_POPULATION)?;
        let sigma = cmaes.positive("sigma")?;
        let max_evaluations = cmaes.whole("max_evaluations", 1)?.unwrap_or(10_000);
        let opponents = self.opponents(root, carrier)?;
        let mut stages = Vec::new();
        for (index, table) in tables.iter().enumerate() {
            let missing = |key: &str, hint: &str| table.error(key, format!("missing; {hint}"));
            let depths = depths(table)?;
            let depth = match depths.last() {
                Some(_) if self.has_runner() => {
                    let key = if table.has("depth") { "depth" } else { "depths" };
                    return Err(
                        table.misplaced(key, "the games of a runner have no depth: leave it out")
                    );
                }
                None if self.has_runner() => 0,
                Some(&depth) => depth,
                None => return Err(missing("depth", "the plies that agents search in this stage")),
            };
            let start = match table.word("start")? {
                None if index == 0 => Start::Initial,
                None => Start::Best,
                Some(start) if index == 0 && start != Start::Initial => {
                    let message = "the first stage has no stage before it: \"initial\"";
                    return Err(table.error("start", message));
                }
                Some(Start::Winner) if !root.has("finalists") => {
                    let message = "there is a winner only where there are finalists: write a [finalists] table";
                    return Err(table.error("start", message));
                }
                Some(start) => start,
            };
            let own = self.opponents(table, carrier)?;
            let opponents = if own.is_empty() { &opponents } else { &own };
            if opponents.is_empty() && !self.coevolves_alone()? {
                return Err(root.error(
                    "opponents",
                    "missing; write at least one [[opponents]] with an agent",
                ));
            }
            let standard = 4 + (3.0 * (dimensions as f64).ln()).floor() as u32;
            let max_generations = table.whole("max_generations", 1)?;
            let limits = [max_generations, overrides.max_generations];
            let target_fitness = table.number("target_fitness")?;
            let fitness = self.fitness(table, opponents, &depths)?;
            let population = population.unwrap_or(standard) as usize;
            self.check_opponents(&fitness, population)?;
            stages.push(StagePlan {
                depth,
                depths: if depths.len() > 1 { depths } else { Vec::new() },
                population,
                sigma: match table.positive("sigma")?.or(sigma) {
                    Some(sigma) => sigma,
                    None => {
                        return Err(cmaes.error(
                            "sigma",
                            "missing; the step size at the beginning, such as 0.3",
                        ));
                    }
                },
                start,
                stops: Stops {
                    max_generations: limits.into_iter().flatten().min(),
                    max_evaluations: table.whole("max_evaluations", 1)?.unwrap_or(max_evaluations),
                    target_fitness,
                    max_seconds: table.positive("max_seconds")?,
                    stagnation: table.whole("stagnation", 1)?,
                },
                fitness,
            });
        }
        Ok(stages)
    }

    /// The opponents of a table (the config, or a stage of its own) with their shares.
    /// `carrier` is the agent that carries the candidates, as it is at the start.
    fn opponents(
        &self,
        table: &Table<'_, '_>,
        carrier: &AgentSpec,
    ) -> Result<Vec<Opponent>, InputError> {
        let read = |entry: &Table<'_, '_>| {
            let agent = self.opponent_agent(entry, carrier)?;
            let share = share(entry)?;
            let depths = match entry.wholes("depths", 1, MAX_DEPTH)? {
                Some(depths) => Some(ascending(entry, depths)?),
                None => None,
            };
            let openings = entry.string("openings")?;
            let openings = openings.map(|text| self.openings(entry, text)).transpose()?;
            Ok(Opponent { agent, share, depths, openings })
        };
        table.tables("opponents", self.opponent_keys(&OPPONENT_KEYS))?.iter().map(read).collect()
    }

    fn fitness(
        &self,
        stage: &Table<'_, '_>,
        opponents: &[Opponent],
        depths: &[u32],
    ) -> Result<FitnessPlan, InputError> {
        let root = self.root;
        let table = root
            .table("fitness", &FITNESS_KEYS)?
            .ok_or_else(|| root.error("fitness", "missing; write a [fitness] table with games"))?;
        let schedule = table.word("schedule")?.unwrap_or(Schedule::Paired);
        if self.has_runner() && schedule != Schedule::Paired {
            let message = "a runner plays pairs of games, with sides swapped: \"paired\"";
            return Err(table.error("schedule", message));
        }
        let (holder, games) = match stage.whole("games", 1)? {
            Some(games) => (stage, games),
            None => (&table, table.whole("games", 1)?.unwrap_or(300)),
        };
        if games > MAX_GAMES {
            return Err(holder.error(
                "games",
                format!("expected at most {MAX_GAMES} games a candidate, found {games}"),
            ));
        }
        if schedule.needs_even() && !games.is_multiple_of(2) {
            let message =
                format!("expected an even number with schedule {schedule}, found {games}");
            return Err(holder.error("games", message));
        }
        let played = if self.has_runner() { &[0] } else { depths };
        let coevolution = self.coevolution(games, schedule, played)?;
        // Every opponent at each of its depths; where the stage has only one, it need not be said.
        let entries: Vec<(&Opponent, Option<u32>)> = (opponents.iter())
            .flat_map(|opponent| {
                let depths = match (opponent.depths.as_deref(), depths) {
                    (None, [] | [_]) => vec![None],
                    (own, depths) => own.unwrap_or(depths).iter().copied().map(Some).collect(),
                };
                depths.into_iter().map(move |depth| (opponent, depth))
            })
            .collect();
        let shares: Vec<f64> = entries.iter().map(|(opponent, _)| opponent.share).collect();
        let unit = schedule.unit();
        let theirs = coevolution.as_ref().map_or(0, CoevolutionPlan::games_of_a_candidate);
        let split = match shares.as_slice() {
            [] => Vec::new(),
            shares => share_games(games - theirs, unit, shares),
        };
        if let Some(index) = split.iter().position(|&games| games == 0) {
            let (Opponent { agent, .. }, depth) = &entries[index];
            let at = depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
            let message = match coevolution {
                Some(_) if theirs == games => format!(
                    "all games are the candidates' among themselves, and {agent} would play none{at}: \
                     give [coevolution] a share below 1"
                ),
                _ => format!("too few for every opponent: {agent} would play none{at}"),
            };
            return Err(holder.error("games", message));
        }
        let seeds = table.word("seeds")?.unwrap_or(Seeds::Fresh);
        let score = table.word("score")?.unwrap_or(ScoreRule::HalfTies);
        let combine = table.word("combine")?.unwrap_or(Combine::Mean);
        let openings = self.openings_of(&table, "random:4:train")?;
        let opponents = entries
            .into_iter()
            .zip(split)
            .map(|((Opponent { agent, openings, .. }, depth), games)| {
                let (agent, openings) = (agent.clone(), openings.clone());
                OpponentPlan { agent, depth, openings, games, of_hall: false }
            })
            .collect();
        let hall = self.hall(&openings)?;
        Ok(FitnessPlan {
            games,
            schedule,
            openings,
            seeds,
            score,
            combine,
            opponents,
            hall,
            coevolution,
        })
    }
}

/// The share of an opponent.
pub(super) fn share(entry: &Table<'_, '_>) -> Result<f64, InputError> {
    let share = entry.positive("share")?.unwrap_or(1.0);
    if !(1e-9..=1e9).contains(&share) {
        return Err(entry.error("share", "expected a number from 1e-9 to 1e9"));
    }
    Ok(share)
}

/// The depths of a stage, ascending and each once: `depth`, or those that are mixed by `depths`.
fn depths(table: &Table<'_, '_>) -> Result<Vec<u32>, InputError> {
    let Some(depths) = table.wholes("depths", 1, MAX_DEPTH)? else {
        return Ok(table.whole32("depth", 1, MAX_DEPTH)?.into_iter().collect());
    };
    if table.has("depth") {
        return Err(table.error("depths", "give depth or depths, not both"));
    }
    ascending(table, depths)
}

/// The depths of a list, ascending and each once.
fn ascending(table: &Table<'_, '_>, mut depths: Vec<u32>) -> Result<Vec<u32>, InputError> {
    if depths.is_empty() {
        return Err(table.error("depths", "expected at least one depth"));
    }
    depths.sort_unstable();
    depths.dedup();
    Ok(depths)
}
