//! Plays the games of a learning plan.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use serde::Serialize;
use strum::Display;

use super::{
    LearnError, LearnPlan, Learner, Linear, Model, Opponent, Representation, Tabular, Trajectory,
    ValueTable, Worth,
};
use tictune_core::agent::{Agent, AgentFactory, Agents, Failure, Turn};
use tictune_core::arena::{BookRange, GameTask, rules_of};
use tictune_core::files::FileError;
use tictune_core::game::{Game, Outcome, Player, WeightsError, valuation};
use tictune_core::input::InputError;
use tictune_core::seed::{Generator, Purpose, Role, of_role, of_run};
use tictune_core::stats::Tally;
use tictune_core::weights::Weights;

/// The result of learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// What was learned.
    pub product: Product,
    /// The results of the exploring games, then of the others.
    pub tallies: [Tally; 2],
    /// The number of estimates or weights.
    pub known: usize,
}

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    /// The weights of an evaluation. A greedy agent with these weights plays the learner's policy.
    Weights(Weights),
    /// A table of values, for agents of the kind `learned`.
    Table(ValueTable),
}

/// Whether the learner plays random moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Phase {
    /// It does, with the plan's probability.
    Exploring,
    /// It does not; every move follows its policy.
    OwnPolicy,
}

/// A row of `progress.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressRow {
    /// Games played.
    pub games: u64,
    /// The phase of the last of these games.
    pub phase: Phase,
    /// Results of the games since the last row, from the learner's view, or the first player's in
    /// self-play.
    pub tally: Tally,
    /// The number of estimates or weights.
    pub known: usize,
    /// The mean absolute error by which estimates were changed since the last row.
    pub mean_error: f64,
}

impl ProgressRow {
    /// The names of the columns.
    pub const HEADER: [&'static str; 7] =
        ["games", "phase", "wins", "draws", "losses", "known", "mean_error"];

    /// The fields.
    #[must_use]
    pub fn fields(&self) -> [String; 7] {
        let Tally { wins, draws, losses } = self.tally;
        let [games, wins, draws, losses] =
            [self.games, wins, draws, losses].map(|count| count.to_string());
        let (phase, known) = (self.phase.to_string(), self.known.to_string());
        [games, phase, wins, draws, losses, known, format!("{:?}", self.mean_error)]
    }
}

/// Plays the games of a plan and learns from them. `on_row` gets every row of `progress.csv`, and
/// `on_game` is called after every game.
///
/// # Errors
/// If `stop` was set, if the plan is for another game, if the opponent cannot play or forfeits, if the estimates grow
/// without bound, or if `on_row` fails.
pub fn learn<P: Game>(
    agents: &Agents<P>,
    plan: &LearnPlan,
    on_game: &mut dyn FnMut(),
    on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
    stop: &AtomicBool,
) -> Result<Lesson, LearnError> {
    let games = Games { plan, on_game, on_row, stop };
    match plan.representation {
        Representation::Table(kind) => {
            let (model, tallies) = games.play(agents, Tabular::new(kind)?)?;
            let known = model.known();
            Ok(Lesson { product: Product::Table(model.table), tallies, known })
        }
        Representation::Features(layout) => {
            let (model, tallies) = games.play(agents, Linear::new(layout).map_err(input)?)?;
            let known = model.weights.len();
            let mut weights = Weights::new("learned", layout, model.weights).map_err(input)?;
            weights.provenance = provenance(plan);
            Ok(Lesson { product: Product::Weights(weights), tallies, known })
        }
    }
}

fn input(error: WeightsError) -> LearnError {
    InputError::new(error.to_string()).into()
}

/// The source of learned weights, for their file.
fn provenance(plan: &LearnPlan) -> toml::Table {
    let mut table = toml::Table::new();
    let mut put = |key: &str, value: toml::Value| table.insert(key.into(), value);
    put("source", "tictune learn".into());
    put("run", plan.name.clone().into());
    put("config_hash", plan.hash().into());
    put("method", plan.method.to_string().into());
    put("representation", plan.representation.to_string().into());
    put("opponent", plan.opponent.to_string().into());
    // Numbers that do not fit TOML's integers are rare, so they are written as text.
    for (key, number) in [("games", plan.games), ("seed", plan.seed)] {
        let value = i64::try_from(number).map_or(number.to_string().into(), toml::Value::from);
        put(key, value);
    }
    put("alpha", plan.alpha.into());
    put("gamma", plan.gamma.into());
    put("tictune", env!("CARGO_PKG_VERSION").into());
    table
}

/// The games of a plan.
struct Games<'g> {
    plan: &'g LearnPlan,
    on_game: &'g mut dyn FnMut(),
    on_row: &'g mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
    stop: &'g AtomicBool,
}

/// The model after the games, and the results of both phases.
type Played<M> = (M, [Tally; 2]);

impl Games<'_> {
    fn play<P: Game, M: Model<P>>(
        self,
        agents: &Agents<P>,
        model: M,
    ) -> Result<Played<M>, LearnError> {
        let plan = self.plan;
        let rules = rules_of::<P>(&plan.rules)?;
        let opponent: Option<AgentFactory<P>> = match &plan.opponent {
            Opponent::SelfPlay => None,
            Opponent::Agent(agent) => Some(agents.prepare(agent)?),
        };
        if let Some(factory) = &opponent {
            plan.openings.check_suits(factory)?;
        }
        let value = &plan.value.weights;
        let evaluation = valuation(value.layout(), value.values()).map_err(input)?;
        let (win, method) = (plan.value.win, plan.method);
        let worth = Worth { win, evaluation };
        let (alpha, gamma) = (plan.alpha, plan.gamma);
        let mut learner = Learner { model, worth, method, alpha, gamma, errors: 0.0, changes: 0 };
        let seed = of_run(plan.seed, Purpose::Learning, 0, 0);
        let range = BookRange { order: plan.seed, first: 0, count: plan.games };
        let openings = plan.openings.in_range(range)?;
        let (mut tallies, mut recent) = ([Tally::default(); 2], Tally::default());
        for game in 0..plan.games {
            if self.stop.load(Ordering::Relaxed) {
                return Err(LearnError::Stopped);
            }
            let phase =
                if game < plan.exploring_games { Phase::Exploring } else { Phase::OwnPolicy };
            let exploration = if phase == Phase::Exploring { plan.exploration } else { 0.0 };
            let task = plan.schedule.task(seed, 0, game, plan.games);
            let start = openings.draw::<P>(rules, task.seed, task.number)?;
            let tally = play_game(
                &mut learner,
                (start.position(), start.moves.last().copied()),
                opponent.as_ref(),
                &task,
                exploration,
            )
            .map_err(|failure| LearnError::Opponent { game: game + 1, failure })?;
            if !learner.model.is_bounded() {
                return Err(LearnError::Diverged { game: game + 1 });
            }
            tallies[phase as usize] = tallies[phase as usize].plus(&tally);
            recent = recent.plus(&tally);
            (self.on_game)();
            let played = game + 1;
            // A row never covers both phases.
            if played.is_multiple_of(plan.report_every)
                || played == plan.exploring_games
                || played == plan.games
            {
                (self.on_row)(&ProgressRow {
                    games: played,
                    phase,
                    tally: std::mem::take(&mut recent),
                    known: learner.model.known(),
                    mean_error: learner.errors / learner.changes.max(1) as f64,
                })?;
                (learner.errors, learner.changes) = (0.0, 0);
            }
        }
        Ok((learner.model, tallies))
    }
}

/// Plays a game and learns from it. Returns the result from the learner's view, or the first player's
/// in self-play.
fn play_game<P: Game, M: Model<P>>(
    learner: &mut Learner<P, M>,
    (mut position, mut last_move): (P, Option<P::Move>),
    opponent: Option<&AgentFactory<P>>,
    task: &GameTask,
    exploration: f64,
) -> Result<Tally, Failure> {
    let view = if task.a_first || opponent.is_none() { Player::First } else { Player::Second };
    let mut agent: Option<Box<dyn Agent<P>>> =
        opponent.map(|factory| task.spawn(factory, Role::AgentB));
    let mut sides = Player::BOTH.map(|side| {
        let role = if side == view { Role::AgentA } else { Role::AgentB };
        (Trajectory::new(side), Generator::seed_from_u64(of_role(task.seed, role)))
    });
    let outcome = loop {
        if let Some(outcome) = position.outcome() {
            break outcome;
        }
        let side = position.side_to_move();
        let mv = match &mut agent {
            Some(agent) if side != view => {
                let turn = Turn { last_move, ..Turn::new(&position) };
                let mv = agent.choose(&turn)?.mv;
                if !position.is_legal(mv) {
                    return Err(Failure::IllegalMove(mv.to_string()));
                }
                mv
            }
            _ => {
                let (trajectory, generator) = &mut sides[side.index()];
                learner.play(&position, trajectory, exploration, generator)
            }
        };
        position.play_unchecked(mv);
        last_move = Some(mv);
    };
    // The trajectory of an opponent that is an agent is empty, so nothing is learned from it.
    for (trajectory, _) in &sides {
        learner.finish(&position, trajectory);
    }
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    match outcome {
        Outcome::Draw => draws = 1,
        Outcome::Win(winner) if winner == view => wins = 1,
        Outcome::Win(_) => losses = 1,
    }
    Ok(Tally { wins, draws, losses })
}
