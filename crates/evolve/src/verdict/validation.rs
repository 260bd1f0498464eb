//! Validation: a gauntlet of matches that shows how strong weights are in different searches.

use std::path::Path;

use super::matches::{MatchContext, Starts};
use crate::error::{Result, RunError};
use crate::journal::{LoggedMatch, MatchRow, PairedResult, header};
use crate::plan::{Plan, ValidationPlan, Vector};
use tictune_core::agent::{AgentSpec, IterativeSettings, MctsSettings, MinimaxSettings};
use tictune_core::arena::Openings;
use tictune_core::files::{Journal, ReadFields, escaped_cell};
use tictune_core::input::{InputError, distinct};
use tictune_core::search::mcts::{MctsParameters, Playout};
use tictune_core::seed::{Purpose, mix, of_run};
use tictune_core::weights::Weights;

/// The opponent of Monte Carlo tree search whose playouts end early in an evaluation.
pub const RANDOM_PLAYOUTS: &str = "random playouts";

#[derive(Clone, Debug)]
pub struct Fixture {
    pub openings: Openings,
    pub opponent: String,
    pub search: String,
    pub depth: Option<u32>,
    pub agents: [AgentSpec; 2],
    pub games: u64,
    pub seed: u64,
}

/// Matches from all openings of a validation. The seed of each is a number that tells it from the others.
fn from_all_openings(plan: &ValidationPlan, seed: u64, matches: &[Fixture]) -> Vec<Fixture> {
    let from = |(number, openings): (u64, &Openings)| {
        let (seed, openings) = (mix(seed, number), openings.clone());
        matches.iter().map(move |one| {
            let (openings, seed) = (openings.clone(), mix(seed, one.seed));
            Fixture { openings, seed, ..one.clone() }
        })
    };
    (0..).zip(&plan.openings).flat_map(from).collect()
}

pub fn fixtures(plan: &ValidationPlan, weights: &Weights, seed: u64) -> Vec<Fixture> {
    let mut matches = Vec::new();
    let (games, openings) = (plan.games, Openings::None);
    let mut add = |agents: [AgentSpec; 2], opponent: &str, depth, seed| {
        let (opponent, openings) = (opponent.into(), openings.clone());
        let search = agents[0].without_weights().to_string();
        matches.push(Fixture { openings, opponent, search, depth, agents, games, seed });
    };
    for opponent in &plan.opponents {
        let both =
            |search: AgentSpec| [weights, opponent].map(|of| search.with_weights(of.clone()));
        for &depth in &plan.depths {
            let minimax = MinimaxSettings { depth: Some(depth), ..Default::default() };
            add(both(minimax.into()), &opponent.name, Some(depth), depth.into());
        }
        for (index, &limit) in (1000..).zip(&plan.iterative) {
            let iterative = IterativeSettings { limit: Some(limit), ..Default::default() };
            add(both(iterative.into()), &opponent.name, None, index);
        }
    }
    // Playouts that end early in an evaluation with the weights, against random playouts to the end.
    for (index, &limit) in (2000..).zip(&plan.early_termination) {
        let random = MctsSettings { limit: Some(limit), ..Default::default() };
        let search = MctsParameters { playout: Playout::Ept, ..MctsParameters::default() };
        let early = AgentSpec::from(MctsSettings { search, ..random.clone() });
        add([early.with_weights(weights.clone()), random.into()], RANDOM_PLAYOUTS, None, index);
    }
    from_all_openings(plan, seed, &matches)
}

/// The matches of a run's agent where parameters were evolved or a program was: against itself at the start, against the
/// opponents of the last stage, and against those that the config adds.
pub fn fixtures_of_agent(
    plan: &Plan,
    [winner, initial]: [&Vector; 2],
    seed: u64,
) -> Result<Vec<Fixture>, InputError> {
    let is_program = plan.agent.program().is_some();
    let plays =
        is_program || !plan.space.parameters.is_empty() || !plan.validation.agents.is_empty();
    let Some(stage) = plan.stages.last().filter(|_| plays) else { return Ok(Vec::new()) };
    let evolved = plan.agent.with_default_depth(stage.depth);
    let agent = winner.apply_to(&evolved)?;
    let mut opponents = vec![initial.apply_to(&evolved)?];
    let others = plan.validation.agents.iter().map(|agent| agent.with_default_depth(stage.depth));
    for opponent in stage.fitness.opponents.iter().map(|plan| stage.opponent(plan)).chain(others) {
        if !opponents.contains(&opponent) {
            opponents.push(opponent);
        }
    }
    let names: Vec<String> = opponents[1..].iter().map(AgentSpec::short).collect();
    let names = std::iter::once("the start".to_string()).chain(distinct(&names));
    let (games, search) = (plan.validation.games, agent.short());
    let against = |(seed, (opponent, other)): (u64, (String, AgentSpec))| {
        let (openings, search, agents) = (Openings::None, search.clone(), [agent.clone(), other]);
        Fixture { openings, opponent, search, depth: None, agents, games, seed }
    };
    let matches: Vec<Fixture> = (3000..).zip(names.zip(opponents)).map(against).collect();
    Ok(from_all_openings(&plan.validation, seed, &matches))
}

/// The validation of a run: that of the winner's weights and then, where parameters were evolved, that of the agent with them.
pub(crate) fn fixtures_of_run(
    plan: &Plan,
    [winner, initial]: [&Vector; 2],
    seed: u64,
) -> Result<Vec<Fixture>, InputError> {
    let of_weights = |weights| fixtures(&plan.validation, weights, seed);
    let mut all = winner.weights.as_ref().map_or_else(Vec::new, of_weights);
    all.extend(fixtures_of_agent(plan, [winner, initial], seed)?);
    Ok(all)
}

/// Comparison and validation of a run, with the start vector in the place of those that it will find.
pub fn matches_at_the_end(plan: &Plan) -> Result<Vec<Fixture>, InputError> {
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let evolved = initial.apply_to(&plan.comparison.agent)?;
    let seed = |purpose| of_run(plan.seed, purpose, 0, 0);
    let comparison = Fixture {
        openings: plan.comparison.openings.clone(),
        opponent: "mean".into(),
        search: "best against mean".into(),
        depth: None,
        agents: [evolved.clone(), evolved],
        games: plan.comparison.games,
        seed: seed(Purpose::Comparison),
    };
    let mut all = vec![comparison];
    all.extend(fixtures_of_run(plan, [&initial, &initial], seed(Purpose::Validation))?);
    Ok(all)
}

/// Plays matches in pairs. With `log`, a row is on disk as soon as its match is over, and rows of the log are not played again.
pub fn validate(
    context: &MatchContext<'_>,
    fixtures: &[Fixture],
    starts: Starts<'_>,
    log: Option<&Path>,
) -> Result<Vec<MatchRow>> {
    let open = |path| Journal::open(path, &header(LoggedMatch::COLUMNS, []));
    let mut journal = log.map(open).transpose()?;
    let mut rows = Vec::new();
    context.observer.matches_started(fixtures.iter().map(|one| one.games).sum());
    for Fixture { openings, opponent, search, depth, agents, games, seed } in fixtures {
        let label = format!("{search} against {opponent} from {openings}");
        context.observer.match_started(&label);
        let check = |found: ReadFields<'_>| {
            let of_here = |LoggedMatch(row): &LoggedMatch| {
                row.search == *search
                    && row.depth == *depth
                    && row.opponent == escaped_cell(opponent)
                    && row.openings == openings.to_string()
                    && row.result.games == *games
            };
            let row = found.read().filter(of_here).filter(|row| found.is(row));
            row.ok_or_else(|| {
                format!("is not the match of this place, or not with these figures: {label}")
            })
        };
        let play = || {
            let given = starts.given(openings, *games)?;
            let result = context.play_pairs(agents.clone(), given, *games, *seed)?;
            Ok::<_, RunError>(MatchRow {
                openings: openings.to_string(),
                opponent: escaped_cell(opponent).into(),
                search: search.clone(),
                depth: *depth,
                result: PairedResult::of(&result),
                no_result: result.summary.mostly_forfeited().is_some(),
                p_value_holm: None,
            })
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
