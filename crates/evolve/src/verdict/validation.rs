//! Validation: a gauntlet of matches that shows how strong weights are in different searches.

use std::path::Path;

use super::matches::VerdictMatch;
use super::pairs::{MatchContext, Starts};
use crate::error::RunError;
use crate::journal::{LoggedMatch, MatchRow};
use crate::plan::{Part, Plan, ValidationPlan, Vector};
use tictune_core::agent::{AgentSpec, IterativeSettings, Limit, MctsSettings, MinimaxSettings};
use tictune_core::arena::Openings;
use tictune_core::files::{Found, Journal, escaped_cell};
use tictune_core::input::InputError;
use tictune_core::search::mcts::{Playout, Settings};
use tictune_core::seed::mix;
use tictune_core::weights::Weights;

/// The opponent of `Trial::EarlyTermination`.
pub const RANDOM_PLAYOUTS: &str = "random playouts";

/// A search in which weights are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trial {
    /// Minimax of a depth on both sides, the opponent with its own weights.
    Minimax(u32),
    /// Iterative deepening with the same limit on both sides, the opponent with its own weights.
    Iterative(Limit),
    /// Monte Carlo tree search with the same limit on both sides: playouts that end early in an
    /// evaluation with the weights, against random playouts to the end.
    EarlyTermination(Limit),
}

impl Trial {
    /// The agents A, with the weights, and B.
    fn agents(self, weights: &Weights, opponent: &Weights) -> [AgentSpec; 2] {
        let with = |spec: AgentSpec| [weights, opponent].map(|of| spec.with_weights(of.clone()));
        match self {
            Self::Minimax(depth) => {
                let depth = Some(depth);
                with(MinimaxSettings { depth, ..Default::default() }.into())
            }
            Self::Iterative(limit) => {
                let limit = Some(limit);
                with(IterativeSettings { limit, ..Default::default() }.into())
            }
            Self::EarlyTermination(limit) => {
                let random = MctsSettings { limit: Some(limit), ..Default::default() };
                let search = Settings { playout: Playout::Ept, ..Settings::default() };
                let ept = AgentSpec::from(MctsSettings { search, ..random.clone() });
                [ept.with_weights(weights.clone()), random.into()]
            }
        }
    }

    /// The agent that carries the weights, in text, without them.
    fn search(self, weights: &Weights) -> String {
        let [agent, _] = self.agents(weights, weights);
        agent.without_weights().to_string()
    }

    const fn depth(self) -> Option<u32> {
        match self {
            Self::Minimax(depth) => Some(depth),
            _ => None,
        }
    }
}

/// A match to play.
#[doc(hidden)]
pub struct Fixture<'p> {
    #[doc(hidden)]
    pub openings: &'p Openings,
    opponent: String,
    search: String,
    depth: Option<u32>,
    agents: [AgentSpec; 2],
    #[doc(hidden)]
    pub seed: u64,
}

/// The matches of weights in order.
pub fn fixtures<'p>(plan: &'p ValidationPlan, weights: &Weights, seed: u64) -> Vec<Fixture<'p>> {
    let mut fixtures = Vec::new();
    for (number, openings) in (0..).zip(&plan.openings) {
        let mut add = |trial: Trial, opponent: &Weights, name: &str, number_of_trial| {
            fixtures.push(Fixture {
                openings,
                opponent: name.into(),
                search: trial.search(weights),
                depth: trial.depth(),
                agents: trial.agents(weights, opponent),
                seed: mix(mix(seed, number), number_of_trial),
            });
        };
        for opponent in &plan.opponents {
            for &depth in &plan.depths {
                add(Trial::Minimax(depth), opponent, &opponent.name, depth.into());
            }
            for (index, &limit) in (1000..).zip(&plan.iterative) {
                add(Trial::Iterative(limit), opponent, &opponent.name, index);
            }
        }
        for (index, &limit) in (2000..).zip(&plan.early_termination) {
            add(Trial::EarlyTermination(limit), weights, RANDOM_PLAYOUTS, index);
        }
    }
    fixtures
}

/// The matches of a run's agent where parameters were evolved or a program was: against itself at the start, against the
/// opponents of the last stage, and against those that the config adds.
fn fixtures_of_agent<'p>(
    plan: &'p Plan,
    [winner, initial]: [&Vector; 2],
    seed: u64,
) -> Result<Vec<Fixture<'p>>, InputError> {
    let mut fixtures = Vec::new();
    let is_program = plan.agent.program().is_some();
    let plays =
        is_program || !plan.space.parameters.is_empty() || !plan.validation.agents.is_empty();
    let Some(stage) = plan.stages.last().filter(|_| plays) else { return Ok(fixtures) };
    let carrier = plan.agent.with_default_depth(stage.depth);
    let agent = winner.carried_by(&carrier)?;
    let mut opponents = vec![("the start".to_string(), initial.carried_by(&carrier)?)];
    let others = plan.validation.agents.iter().map(|agent| agent.with_default_depth(stage.depth));
    for opponent in stage.fitness.opponents.iter().map(|plan| stage.opponent(plan)).chain(others) {
        if !opponents.iter().any(|(_, other)| *other == opponent) {
            opponents.push((opponent.short(), opponent));
        }
    }
    for (number, openings) in (0..).zip(&plan.validation.openings) {
        for (index, (name, opponent)) in (3000..).zip(&opponents) {
            fixtures.push(Fixture {
                openings,
                opponent: name.clone(),
                search: agent.short(),
                depth: None,
                agents: [agent.clone(), opponent.clone()],
                seed: mix(mix(seed, number), index),
            });
        }
    }
    Ok(fixtures)
}

/// The openings and the seed of each match of a run's validation.
pub(super) fn seeds_of_validation(
    plan: &Plan,
    seed: u64,
) -> Result<Vec<(&Openings, u64)>, InputError> {
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let of_weights = |weights| fixtures(&plan.validation, weights, seed);
    let mut all = initial.weights.as_ref().map_or_else(Vec::new, of_weights);
    all.extend(fixtures_of_agent(plan, [&initial, &initial], seed)?);
    Ok(all.into_iter().map(|fixture| (fixture.openings, fixture.seed)).collect())
}

/// The matches of the rows of weights after a run, as far as their openings go.
///
/// # Errors
/// A book whose positions were not read.
pub fn openings_of_validation(
    plan: &ValidationPlan,
    (seed, starts): (u64, Starts<'_>),
    weights: &Weights,
) -> Result<Vec<VerdictMatch>, InputError> {
    let count = plan.games / 2;
    let of_fixture = |fixture: Fixture<'_>| {
        let openings = starts.given(fixture.openings, plan.games)?;
        Ok(VerdictMatch { part: Part::After, openings, seed: fixture.seed, count })
    };
    fixtures(plan, weights, seed).into_iter().map(of_fixture).collect()
}

/// A match at the end of a run, as far as its time depends on it.
#[derive(Clone, Debug)]
pub struct EndMatch {
    /// The search of the first agent, in text.
    pub search: String,
    /// The opponent's name.
    pub opponent: String,
    pub agents: [AgentSpec; 2],
    pub openings: Openings,
    /// The depth of minimax, in a validation by depths.
    pub depth: Option<u32>,
    pub games: u64,
}

/// Comparison and validation of a run, with the start vector in the place of those that it will find.
///
/// # Errors
/// A carrier that cannot have the vector.
pub fn matches_at_the_end(plan: &Plan) -> Result<Vec<EndMatch>, InputError> {
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let carrier = initial.carried_by(&plan.comparison.agent)?;
    let comparison = EndMatch {
        search: "best against mean".into(),
        opponent: "mean".into(),
        agents: [carrier.clone(), carrier],
        openings: plan.comparison.openings.clone(),
        depth: None,
        games: plan.comparison.games,
    };
    let of_weights = |weights| fixtures(&plan.validation, weights, 0);
    let mut validation = initial.weights.as_ref().map_or_else(Vec::new, of_weights);
    validation.extend(fixtures_of_agent(plan, [&initial, &initial], 0)?);
    let of_fixture = |fixture: Fixture<'_>| EndMatch {
        search: fixture.search,
        opponent: fixture.opponent,
        agents: fixture.agents,
        openings: fixture.openings.clone(),
        depth: fixture.depth,
        games: plan.validation.games,
    };
    Ok(std::iter::once(comparison).chain(validation.into_iter().map(of_fixture)).collect())
}

/// Plays weights against every opponent in every search of the plan from all openings, in pairs. With
/// `log`, a row is on disk as soon as its match is over, and rows of the log are not played again.
///
/// # Errors
/// [`RunError::Interrupted`] if it was stopped; a log of other matches; a failure of the file system.
pub fn validate(
    context: &MatchContext<'_>,
    plan: &ValidationPlan,
    (seed, starts): (u64, Starts<'_>),
    weights: &Weights,
    log: Option<&Path>,
) -> Result<Vec<MatchRow>, RunError> {
    play_all(context, fixtures(plan, weights, seed), (plan.games, starts), log)
}

/// Plays the agent of a run in which parameters were evolved: against itself at the start, and against the opponents of the
/// last stage, from the openings of the plan's validation.
///
/// # Errors
/// As [`validate`].
pub fn validate_agent(
    context: &MatchContext<'_>,
    plan: &Plan,
    (games, seed, starts): (u64, u64, Starts<'_>),
    winner: &Vector,
) -> Result<Vec<MatchRow>, RunError> {
    let initial = plan.vector_at("initial", &plan.start_point())?;
    play_all(context, fixtures_of_agent(plan, [winner, &initial], seed)?, (games, starts), None)
}

/// [`validate`] for the winner of a run; then, where parameters were evolved, the agent with them.
pub(crate) fn validate_run(
    context: &MatchContext<'_>,
    plan: &Plan,
    seed: u64,
    [winner, initial]: [&Vector; 2],
    log: &Path,
) -> Result<Vec<MatchRow>, RunError> {
    let validation = &plan.validation;
    let of_weights = |weights| fixtures(validation, weights, seed);
    let mut all = winner.weights.as_ref().map_or_else(Vec::new, of_weights);
    all.extend(fixtures_of_agent(plan, [winner, initial], seed)?);
    let starts = Starts::OfRun(plan, Part::Validation);
    play_all(context, all, (validation.games, starts), Some(log))
}

fn play_all(
    context: &MatchContext<'_>,
    fixtures: Vec<Fixture<'_>>,
    (games, starts): (u64, Starts<'_>),
    log: Option<&Path>,
) -> Result<Vec<MatchRow>, RunError> {
    let open = |path| Journal::open(path, &MatchRow::header());
    let mut journal = log.map(open).transpose()?;
    let mut rows = Vec::new();
    for fixture in fixtures {
        let Fixture { openings, opponent, search, depth, agents, seed } = &fixture;
        let label = format!("{search} against {opponent} from {openings}");
        context.observer.match_started(&label, games);
        let check = |found: Found<'_>| {
            let of_here = |LoggedMatch(row): &LoggedMatch| {
                row.search == *search
                    && row.depth == *depth
                    && row.opponent == escaped_cell(opponent)
                    && row.openings == openings.to_string()
                    && row.tally.games() == games
            };
            let row = found.read().filter(of_here);
            let row = row.ok_or_else(|| format!("is not the match of this place: {label}"))?;
            found
                .is(&row)
                .then_some(row)
                .ok_or_else(|| "its figures do not follow from its results".into())
        };
        let play = || {
            let given = starts.given(openings, games)?;
            let result = context.play_pairs(agents, &given, games, *seed)?;
            Ok::<_, RunError>(MatchRow::new(openings, opponent, search.clone(), *depth, &result))
        };
        let row = match &mut journal {
            Some(journal) => journal.next(check, || play().map(LoggedMatch))?.0,
            None => play()?,
        };
        context.observer.match_finished(&row);
        rows.push(row);
    }
    if let Some(journal) = journal {
        journal.finish("the validation ended before this row")?;
    }
    let corrected = MatchRow::corrected(&rows);
    for (row, p) in rows.iter_mut().zip(corrected) {
        row.p_value_holm = p;
    }
    Ok(rows)
}
