//! Plays the games of a learning plan.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use strum::Display;

use super::{LearnPlan, LearnedValues, Learner, Trajectory, ValueTable};
use tictune_core::agent::{Agent, AgentFactory, Agents, Failure, Turn};
use tictune_core::arena::{BookRange, GameTask, rules_of};
use tictune_core::files::FileError;
use tictune_core::game::{Game, Outcome, Player};
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, Role, generator, of_run};
use tictune_core::stats::Tally;
use tictune_core::weights::Weights;
use tictune_evolve::RunError;
use tictune_evolve::learn::in_toml;

#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct LearningResult {
    pub product: Product,
    /// The results of the exploring games, then of the others.
    pub tallies: [Tally; 2],
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

#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct ProgressRow {
    pub games: u64,
    /// The phase of the last of these games.
    pub phase: Phase,
    /// Results since the last row, from the learner's view, or the first player's in self-play.
    pub tally: Tally,
    pub known: usize,
    /// The mean absolute error by which estimates were changed since the last row.
    pub mean_error: f64,
}

impl ProgressRow {
    pub const HEADER: [&'static str; 7] =
        ["games", "phase", "wins", "draws", "losses", "known", "mean_error"];

    pub fn fields(&self) -> [String; 7] {
        let Tally { wins, draws, losses } = self.tally;
        let [games, wins, draws, losses] =
            [self.games, wins, draws, losses].map(|count| count.to_string());
        let (phase, known) = (self.phase.to_string(), self.known.to_string());
        [games, phase, wins, draws, losses, known, format!("{:?}", self.mean_error)]
    }
}

/// Plays the games of a plan and learns from them. `on_row` gets every row of `progress.csv`, and `on_game` is called after every game.
///
/// # Errors
/// If `stop` was set, the opponent cannot play or forfeits, the estimates grow without bound, or `on_row` fails.
pub fn learn<P: Game>(
    agents: &Agents<P>,
    plan: &LearnPlan,
    on_game: &mut dyn FnMut(),
    on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
    stop: &AtomicBool,
) -> Result<LearningResult, RunError> {
    let rules = rules_of::<P>(&plan.rules)?;
    let prepare = |agent| agents.prepare(agent);
    let opponents = plan.opponents.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
    for factory in &opponents {
        plan.openings.check_suits(factory)?;
    }
    let mut learner = Learner::new(plan).map_err(InputError::new)?;
    let seed = of_run(plan.seed, Purpose::Learning, 0, 0);
    let range = BookRange { order: plan.seed, first: 0, count: plan.games };
    let openings = plan.openings.in_range(range)?;
    let (mut tallies, mut recent) = ([Tally::default(); 2], Tally::default());
    for game in 0..plan.games {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Interrupted);
        }
        let (phase, exploration) = match game < plan.exploring_games {
            true => (Phase::Exploring, plan.exploration),
            false => (Phase::OwnPolicy, 0.0),
        };
        let task = plan.schedule.task(seed, 0, game, plan.games);
        let start = openings.draw::<P>(rules, task.seed, task.number)?;
        let start = (start.position(), start.moves.last().copied());
        let played = game + 1;
        let turn = task.number.checked_rem(opponents.len() as u64);
        let opponent = turn.map(|turn| &opponents[turn as usize]);
        let tally = play_game(&mut learner, start, opponent, &task, exploration)
            .map_err(|failure| format!("the opponent forfeited game {played}: {failure}"))
            .map_err(RunError::Failed)?;
        if !learner.model.bounded {
            return Err(RunError::Failed(format!(
                "the estimates grew without bound by game {played}: try a smaller alpha or gamma"
            )));
        }
        tallies[phase as usize] = tallies[phase as usize].plus(&tally);
        recent = recent.plus(&tally);
        on_game();
        // A row never covers both phases.
        if played.is_multiple_of(plan.report_every)
            || [plan.exploring_games, plan.games].contains(&played)
        {
            on_row(&ProgressRow {
                games: played,
                phase,
                tally: std::mem::take(&mut recent),
                known: learner.model.known(),
                mean_error: learner.errors / learner.changes.max(1) as f64,
            })?;
            (learner.errors, learner.changes) = (0.0, 0);
        }
    }
    let known = learner.model.known();
    let product = match learner.model.estimates {
        LearnedValues::Table(table) => Product::Table(table),
        LearnedValues::Weights(layout, values) => {
            let mut weights = Weights::new("learned", layout, values).map_err(InputError::new)?;
            weights.provenance = provenance(plan);
            Product::Weights(weights)
        }
    };
    Ok(LearningResult { product, tallies, known })
}

/// The source of learned weights, for their file.
fn provenance(plan: &LearnPlan) -> toml::Table {
    let keys: [(&str, toml::Value); 11] = [
        ("source", "tictune learn".into()),
        ("run", plan.name.clone().into()),
        ("config_hash", plan.hash().into()),
        ("method", plan.method.to_string().into()),
        ("representation", plan.representation.to_string().into()),
        ("opponent", plan.opponents_text().into()),
        ("games", in_toml(plan.games)),
        ("seed", in_toml(plan.seed)),
        ("alpha", plan.alpha.into()),
        ("gamma", plan.gamma.into()),
        ("tictune", env!("CARGO_PKG_VERSION").into()),
    ];
    keys.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// Plays a game and learns from it. The result is from the learner's view, or the first player's in self-play.
fn play_game<P: Game>(
    learner: &mut Learner<P>,
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
        (Trajectory::new(side), generator(task.seed, role))
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
    Ok(match outcome {
        Outcome::Draw => Tally::DRAW,
        Outcome::Win(winner) if winner == view => Tally::WIN,
        Outcome::Win(_) => Tally::LOSS,
    })
}
