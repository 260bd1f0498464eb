//! What the board of the page asks for: positions, moves of agents, and games of a run. Nothing of it is kept here: the
//! browser holds the game and sends its moves.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Site;
use super::agents::{check, vectors_of};
use super::searches::Asker;
use crate::agent::AgentSpec;
use crate::arena::{Detail, ExecutorError, MatchPlan, MatchSettings, Schedule};
use crate::evolve::read_vector;
use crate::game::{GameInfo, RuleKey};
use crate::input::{InputError, Result, reading_only_in};
use crate::registry::{Ask, Question};
use crate::search::Stop;
use crate::weights::find_game;

/// How long a move or a hint may take, and a whole game.
const TIME: Duration = Duration::from_secs(15);
const TIME_OF_GAME: Duration = Duration::from_secs(60);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SampleQuestion {
    run: String,
    /// `best` or `mean`.
    vector: String,
    /// Which opponent of the last stage, from 0.
    opponent: usize,
    /// Which game, from 0.
    number: u64,
}

impl Site<'_> {
    pub(super) fn position(&self, question: &Question, asker: Asker<'_>) -> Result<Value> {
        let game = self.registry.find(Some(&question.game))?;
        let rules_of = game.known("a board", "rules")?;
        let answer = |agent: Option<AgentSpec>, stop: Stop<'_>| {
            reading_only_in(None, || rules_of.position(question, agent, stop))
        };
        if question.ask == Ask::Position {
            return answer(None, Stop::NEVER);
        }
        let agent = self.agent(game.info(), &question.rules, &question.agent, &question.weights)?;
        self.searches.one_more(asker, TIME, |stop| answer(Some(agent), Stop::when(stop)))
    }

    /// Plays a game of a run: a vector of it against an opponent of its last stage, from an opening of the stage.
    pub(super) fn sample(&self, question: &SampleQuestion, asker: Asker<'_>) -> Result<Value> {
        let none = |what: &str| InputError::new(what);
        let (dir, plan) = self.plan_of(&question.run)?;
        let name = vectors_of(&dir).into_iter().find(|name| *name == question.vector);
        let name = name.ok_or_else(|| none("the run has no such vector yet"))?;
        let vector = reading_only_in(Some(dir.path()), || read_vector(&plan, &dir, name))?;
        let stage = plan.stages.last().ok_or_else(|| none("the run has no stage"))?;
        let opponent = stage.fitness.opponents.get(question.opponent);
        let opponent = opponent.ok_or_else(|| none("the run has no such opponent"))?;
        let evolved = vector.named(name).apply_to(&plan.agent)?.with_default_depth(stage.depth);
        // Each second game has the opening of the one before, with sides swapped.
        let mut agents = [evolved, stage.opponent(opponent)];
        // What a run evolved has its name.
        let mut players = [format!("the {name} of the run"), agents[1].short()];
        if question.number % 2 == 1 {
            agents.reverse();
            players.reverse();
        }
        let game = self.registry.find(Some(&plan.game))?;
        agents.iter().try_for_each(check)?;
        let seed = plan.seed.wrapping_add(question.number / 2);
        let settings =
            MatchSettings { games: 1, seed, schedule: Schedule::First, replay_ties: false };
        let one = MatchPlan {
            game: plan.game.clone(),
            rules: plan.rules.clone(),
            agents,
            openings: stage.fitness.openings_at(question.opponent).clone(),
            settings,
            sprt: None,
            detail: Detail::Moves,
        };
        let played = self.searches.one_more(asker, TIME_OF_GAME, |stop| {
            let played = one.play(&*game.threads(None), &|_| (), stop);
            played.map_err(ExecutorError::into_input)
        })?;
        let game = played.games.first().ok_or_else(|| none("the game could not be played"))?;
        Ok(json!({
            "game": plan.game,
            "rules": plan.rules,
            "from": game.played.start,
            "opening_plies": game.opening_plies(),
            "moves": game.played.moves,
            "players": players,
        }))
    }

    /// What the page can set up: the games, and the run whose winner plays, if the address names one.
    pub(super) fn setup(&self, run: Option<&str>) -> Result<Value> {
        let games = self.registry.known().games.iter().filter(|game| !game.is_outside());
        let games = games.map(|game| self.game_setup(game)).collect::<Vec<_>>();
        let run = run.map(|id| self.run_setup(id)).transpose()?;
        Ok(json!({ "games": games, "run": run }))
    }

    /// The rules of a game (the default of each key first), the opponents that it offers, and the weights to play with.
    fn game_setup(&self, game: &GameInfo) -> Value {
        let weights = |name: String, value: String| json!({ "name": name, "value": value });
        let built_in = game.vectors.iter();
        let built_in = built_in.map(|vector| weights(vector.name.into(), vector.name.into()));
        let files = self.files.iter().enumerate();
        let files = files.filter(|(_, weights)| weights.layout().game == game.name);
        let files = files
            .map(|(number, of)| weights(format!("file {}", of.name), format!("file:{number}")));
        let found = self.runs();
        let runs = found.iter().flat_map(|run| {
            let plan = run.dir.manifest().ok().flatten().map(|manifest| manifest.plan);
            let evolves = plan.is_some_and(|plan| plan.game == game.name && plan.initial.is_some());
            let names = if evolves { vectors_of(&run.dir) } else { Vec::new() };
            names.into_iter().map(|name| {
                weights(format!("{name} of {}", run.place), format!("run:{}:{name}", run.id))
            })
        });
        let rule = |key: &RuleKey| json!([key.name, key.values.split('|').collect::<Vec<_>>()]);
        let weights: Vec<_> = runs.chain(files).chain(built_in).collect();
        json!({
            "name": game.name,
            "rules": game.rule_keys.iter().map(rule).collect::<Vec<_>>(),
            "levels": levels(game, !weights.is_empty()),
            "built_in": !game.vectors.is_empty(),
            "weights": weights,
        })
    }

    /// A run with its vectors, those of them whose agent a page may ask for, and the opponents of its last stage that a page may
    /// ask for: their numbers and what they are.
    fn run_setup(&self, id: &str) -> Result<Value> {
        let (dir, plan) = self.plan_of(id)?;
        let game = find_game(&self.registry.known().games, &plan.game)?;
        let all = plan.stages.last().into_iter().flat_map(|stage| {
            stage.fitness.opponents.iter().map(|plan| stage.opponent(plan)).enumerate()
        });
        let opponents = all.filter(|(_, agent)| check(agent).is_ok());
        let opponents: Vec<_> = opponents.map(|(number, agent)| (number, agent.short())).collect();
        // No page starts programs.
        let vectors = if plan.agent.command().is_some() { Vec::new() } else { vectors_of(&dir) };
        let may_play =
            |vector: &&str| self.agent(game, "", "", &format!("run:{id}:{vector}")).is_ok();
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
}

/// The opponents that a game offers: the levels of `tictune play`, and searches of fixed size; and whether each plays with
/// weights that may be chosen.
fn levels(game: &GameInfo, has_weights: bool) -> Vec<Value> {
    let level = |name: &str, agent: &str, evaluates: bool| json!({ "name": name, "agent": agent, "evaluates": evaluates });
    let of_level = |(name, agent): (&str, String)| {
        let evaluates = !game.vectors.is_empty() && matches!(name, "easy" | "medium");
        let time = agent.split_once("time=").map(|(_, time)| format!("{name}: {time} per move"));
        // By its name, since the strongest agent depends on the rules.
        level(time.as_deref().unwrap_or(name), name, evaluates)
    };
    let mut levels: Vec<Value> = AgentSpec::levels(game, "").into_iter().map(of_level).collect();
    // Within a second a move, about: plies beyond the depth at which a game takes some milliseconds.
    let deepest = game.first_depths[1].saturating_add(3);
    for depth in [4, 6].into_iter().filter(|depth| has_weights && *depth <= deepest) {
        let (name, agent) = (format!("minimax, depth {depth}"), format!("minimax:depth={depth}"));
        levels.push(level(&name, &agent, true));
    }
    levels.push(level("tree search, 2,000 playouts", "mcts:iterations=2000", false));
    levels
}
