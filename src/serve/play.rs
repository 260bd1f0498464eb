//! What the board of the page asks for: positions, moves of agents, and games of a run. Nothing of it is kept here: the
//! browser holds the game and sends its moves.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::agents::{Sources, check, most_depth, vectors_of};
use super::asker::Asker;
use crate::agent::AgentSpec;
use crate::arena::{Calls, Detail, ExecutorError, GameResult, MatchSettings, Schedule, Unit, Work};
use crate::evolve::{Plan, read_vector};
use crate::game::{GameInfo, RuleKey};
use crate::input::{InputError, reading_only_in};
use crate::registry::{PageAsk, PageRequest, Registry};
use crate::search::Stop;
use crate::weights::find_game;

/// The most moves that a page may send.
const MOST_MOVES: usize = 500;

/// How long a move or a hint may take, and a whole game.
const TIME: Duration = Duration::from_secs(15);
const TIME_OF_GAME: Duration = Duration::from_secs(60);

/// The searches that go on at once.
const MOST_SEARCHES: usize = 2;

/// What is asked about a position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    game: String,
    #[serde(default)]
    rules: String,
    #[serde(default)]
    from: Option<String>,
    moves: Vec<String>,
    /// `position`, `move` or `hint`.
    ask: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    weights: String,
    #[serde(default)]
    seed: u64,
}

/// Which game of a run is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SampleQuestion {
    run: String,
    /// `winner`, `best` or `mean`.
    vector: String,
    /// Which opponent of the last stage, from 0.
    opponent: usize,
    /// Which game, from 0.
    number: u64,
}

/// Counts the searches that go on.
#[derive(Debug, Default)]
pub(super) struct Searches(AtomicUsize);

impl Searches {
    /// Does something that takes a while, unless enough of that goes on: see [`Asker::wait`].
    fn one_more<T>(
        &self,
        asker: Asker<'_>,
        time: Duration,
        work: impl FnOnce(&AtomicBool) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        /// Ends the count, also if the code of a game panics.
        struct Guard<'s>(&'s AtomicUsize);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let before = self.0.fetch_add(1, Ordering::SeqCst);
        let _guard = Guard(&self.0);
        if before >= MOST_SEARCHES {
            return Err(InputError::new(BUSY));
        }
        asker.wait(time, work)
    }
}

/// What is said where too much goes on.
pub(super) const BUSY: &str = "two searches are still going on: try again in a moment";

/// Answers a question about a position.
pub(super) fn position(
    question: &Question,
    registry: &Registry,
    sources: &Sources,
    searches: &Searches,
    asker: Asker<'_>,
) -> Result<Value, InputError> {
    let game = registry.find(Some(&question.game))?;
    let rules_of = game.known("a board", "rules")?;
    if question.moves.len() > MOST_MOVES {
        return Err(InputError::new(format!("a game on the page has at most {MOST_MOVES} moves")));
    }
    let rules = game.info().check_rules(&question.rules);
    let rules = rules.map_err(|error| InputError::new(error.to_string()))?;
    let agent = || sources.agent(game.info(), &question.agent, &question.weights);
    let ask = |ask: PageAsk<'_>, stop: Stop<'_>| {
        let from = question.from.as_deref().filter(|from| !from.is_empty());
        let (moves, seed) = (&question.moves, question.seed);
        reading_only_in(None, || {
            rules_of.position(&PageRequest { rules: &rules, from, moves, ask, seed, stop })
        })
    };
    match question.ask.as_str() {
        "position" => ask(PageAsk::Position, Stop::NEVER),
        "move" => {
            let agent = agent()?;
            searches.one_more(asker, TIME, |stop| ask(PageAsk::Move(&agent), Stop::when(stop)))
        }
        "hint" => {
            let agent = agent()?;
            searches.one_more(asker, TIME, |stop| ask(PageAsk::Hint(&agent), Stop::when(stop)))
        }
        other => Err(InputError::new(format!("a page asks position, move or hint, not {other}"))),
    }
}

/// Plays a game of a run: a vector of it against an opponent of its last stage, from an opening of the stage.
pub(super) fn sample(
    question: &SampleQuestion,
    registry: &Registry,
    sources: &Sources,
    searches: &Searches,
    asker: Asker<'_>,
) -> Result<Value, InputError> {
    /// The games that there are to choose from.
    const GAMES: u64 = 1000;
    let (dir, plan) = sources.run(&question.run)?;
    let name = vectors_of(&dir).into_iter().find(|name| *name == question.vector);
    let name = name.ok_or_else(|| InputError::new("the run has no such vector yet"))?;
    let vector = reading_only_in(Some(dir.path()), || read_vector(&plan, &dir, name))?;
    let players = players(&plan, question.opponent)?;
    let stage = plan.stages.last().ok_or_else(|| InputError::new("the run has no stage"))?;
    let carrier = vector.named(name).carried_by(&plan.agent)?.with_default_depth(stage.depth);
    let agents = vec![carrier, players];
    let game = registry.find(Some(&plan.game))?;
    agents.iter().try_for_each(|agent| check(agent, game.info()))?;
    let number = question.number % GAMES;
    let unit = Unit {
        agents: [0, 1],
        openings: 0,
        settings: MatchSettings {
            games: GAMES,
            seed: plan.seed,
            schedule: Schedule::Paired,
            replay_ties: false,
        },
        first_number: 0,
        range: number..number + 1,
        detail: Detail::Moves,
    };
    let work = Work {
        game: plan.game.clone(),
        rules: plan.rules.clone(),
        agents,
        openings: vec![stage.fitness.openings_at(question.opponent).clone()],
        units: vec![unit],
        must_start: true,
    };
    let result = searches.one_more(asker, TIME_OF_GAME, |stop| {
        let mut found: Option<Vec<GameResult>> = None;
        let mut sink = |_: usize, result: Vec<GameResult>| {
            found = Some(result);
            std::ops::ControlFlow::Continue(())
        };
        match game.threads().play(&work, Calls::new(&mut sink, stop)) {
            Ok(()) | Err(ExecutorError::Stopped) => {}
            Err(error) => return Err(error.into_input()),
        }
        found.ok_or_else(|| InputError::new("the game could not be played"))
    })?;
    let played = result.into_iter().next();
    let moves = played.and_then(|game| game.moves);
    let moves = moves.ok_or_else(|| InputError::new("the game could not be played"))?;
    // The vector begins the first game of each pair.
    let mut players = [0, 1].map(|index| short(&work.agents[index], index, &question.vector));
    if number % 2 == 1 {
        players.reverse();
    }
    Ok(json!({
        "game": plan.game,
        "rules": plan.rules,
        "from": moves.start,
        "opening_plies": moves.moves.len() - moves.costs.len(),
        "moves": moves.moves,
        "players": players,
    }))
}

/// An agent in few words: what a run evolved has its name.
fn short(agent: &AgentSpec, index: usize, vector: &str) -> String {
    if index == 0 { format!("the {vector} of the run") } else { agent.short() }
}

/// An opponent of the last stage.
fn players(plan: &Plan, index: usize) -> Result<AgentSpec, InputError> {
    let stage = plan.stages.last();
    let opponent =
        stage.and_then(|stage| Some(stage.opponent(stage.fitness.opponents.get(index)?)));
    opponent.ok_or_else(|| InputError::new("the run has no such opponent"))
}

/// What the page can set up: the games, and the run whose winner plays, if the address names one.
pub(super) fn setup(
    run: Option<&str>,
    registry: &Registry,
    sources: &Sources,
) -> Result<Value, InputError> {
    let games = registry.known().games.iter().filter(|game| !game.is_outside());
    let games = games.map(|game| game_setup(game, sources)).collect::<Vec<_>>();
    let run = run.map(|id| run_setup(id, sources)).transpose()?;
    Ok(json!({ "games": games, "run": run }))
}

/// The rules of a game (the default of each key first), the opponents that it offers, and the weights to play with.
fn game_setup(game: &GameInfo, sources: &Sources) -> Value {
    let weights = |name: String, value: String| json!({ "name": name, "value": value });
    let built_in =
        game.vectors.iter().map(|vector| weights(vector.name.into(), vector.name.into()));
    let files = sources.files.iter().enumerate();
    let files = files.filter(|(_, weights)| weights.layout().game == game.name);
    let files =
        files.map(|(number, of)| weights(format!("file {}", of.name), format!("file:{number}")));
    let found = sources.runs.all();
    let runs = found.iter().flat_map(|run| {
        let plan = run.dir.manifest().ok().flatten().map(|manifest| manifest.plan);
        let evolves = plan.is_some_and(|plan| plan.game == game.name && plan.initial.is_some());
        let names = if evolves { vectors_of(&run.dir) } else { Vec::new() };
        names.into_iter().map(|name| {
            weights(format!("{name} of {}", run.place), format!("run:{}:{name}", run.id))
        })
    });
    let rule = |key: &RuleKey| json!([key.name, key.values.split('|').collect::<Vec<_>>()]);
    json!({
        "name": game.name,
        "rules": game.rule_keys.iter().map(rule).collect::<Vec<_>>(),
        "levels": levels(game),
        "weights": runs.chain(files).chain(built_in).collect::<Vec<_>>(),
    })
}

/// A run with its vectors, those of them whose agent a page may ask for, and the opponents of its last stage that a page may
/// ask for: their numbers and what they are.
fn run_setup(id: &str, sources: &Sources) -> Result<Value, InputError> {
    let (dir, plan) = sources.run(id)?;
    let game = find_game(&sources.known.games, &plan.game)?;
    let all = plan.stages.last().into_iter().flat_map(|stage| {
        stage.fitness.opponents.iter().map(|plan| stage.opponent(plan)).enumerate()
    });
    let opponents = all.filter(|(_, agent)| check(agent, game).is_ok());
    let opponents: Vec<_> = opponents.map(|(number, agent)| (number, agent.short())).collect();
    // No page starts programs.
    let vectors = if plan.agent.command().is_some() { Vec::new() } else { vectors_of(&dir) };
    let may_play = |vector: &&str| sources.agent(game, "", &format!("run:{id}:{vector}")).is_ok();
    let agents: Vec<&str> = vectors.iter().copied().filter(may_play).collect();
    Ok(json!({
        "id": id,
        "name": plan.name,
        "game": plan.game,
        "rules": plan.rules,
        "vectors": vectors,
        "agents": agents,
        "opponents": opponents,
    }))
}

/// The opponents that a game offers: the levels of `tictune play`, and searches of fixed size; and whether each plays with
/// weights that may be chosen.
fn levels(game: &GameInfo) -> Vec<Value> {
    let has_weights = game.default_layout().is_some();
    let level = |name: &str, agent: &str, evaluates: bool| json!({ "name": name, "agent": agent, "evaluates": evaluates });
    let of_level = |(name, agent): (&str, String)| {
        let evaluates = has_weights && matches!(name, "easy" | "medium");
        match agent.split_once("time=") {
            Some((_, time)) => level(&format!("{name}: {time} a move"), &agent, evaluates),
            None => level(name, &agent, evaluates),
        }
    };
    let depths = [4, 6].into_iter().filter(|depth| has_weights && *depth <= most_depth(game));
    let of_depth =
        |depth| level(&format!("minimax, depth {depth}"), &format!("minimax:depth={depth}"), true);
    let playouts = level("tree search, 2,000 playouts", "mcts:iterations=2000", false);
    AgentSpec::levels(game)
        .into_iter()
        .map(of_level)
        .chain(depths.map(of_depth))
        .chain([playouts])
        .collect()
}
