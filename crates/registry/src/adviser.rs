//! An agent that a person plays against or asks for a hint: its choice, the line that it expects, and its values of all moves.

use std::time::{Duration, Instant};

use super::Result;
use super::record::GameSoFar;
use tictune_core::agent::{
    Agent, AgentFactory, AgentSpec, Agents, Choice, Failure, GreedySettings, Limit,
    MinimaxSettings, PvsSettings, Turn, Value, in_weights,
};
use tictune_core::game::{Evaluator, EvaluatorVisitor, Game, Outcome};
use tictune_core::input::InputError;
use tictune_core::search::Stop;
use tictune_core::seed::mix;

/// How long all moves together are thought about for their values, by an agent that may have a limit.
const TIME_FOR_VALUES: Duration = Duration::from_secs(1);
/// No further move is begun after this time.
const LONGEST: Duration = Duration::from_secs(3);

/// An agent by its data, and what makes its players.
pub(super) struct Adviser<P: Game> {
    spec: AgentSpec,
    agents: Agents<P>,
    pub(super) factory: AgentFactory<P>,
    seed: u64,
}

/// What an agent thinks of legal moves, each searched on its own, and how long each was searched, where time limits the agent.
pub(super) type MoveValues<M> = (Vec<(M, Value)>, Option<Duration>);

impl<P: Game> Adviser<P> {
    /// Prepares an agent. Its own seed, if it has one, stands in for the other.
    pub(super) fn new(agents: &Agents<P>, spec: AgentSpec, seed: u64) -> Result<Self> {
        let factory = agents.prepare(&spec)?;
        let seed = factory.own_seed.unwrap_or(seed);
        Ok(Self { spec, agents: agents.clone(), factory, seed })
    }

    pub(super) fn player(&self) -> Box<dyn Agent<P>> {
        self.factory.spawn(self.seed)
    }

    /// What a fresh player would do in a position, with the line that it expects, and how long it took. The game itself stays as it is.
    pub(super) fn advise(
        &self,
        record: &GameSoFar<P>,
        stop: Stop<'_>,
    ) -> Result<(Choice<P::Move>, Duration), Failure> {
        let seed = mix(self.seed, u64::from(record.position().ply()));
        let mut agent = self.factory.spawn(seed);
        think(&mut *agent, &record.turn(stop))
    }

    /// What the agent thinks of each legal move: its value of the position after it. Searches of a fixed depth are one ply less deep;
    /// those that may have a limit get a share of [`TIME_FOR_VALUES`] instead of theirs. Moves for which there is no time are left out.
    pub(super) fn values(
        &self,
        record: &GameSoFar<P>,
        stop: Stop<'_>,
    ) -> Result<MoveValues<P::Move>> {
        let position = record.position();
        let count = position.legal_move_count().max(1) as u32;
        let mut after = self.spec.clone();
        let minimax = after.settings::<MinimaxSettings>();
        if after.is::<GreedySettings>() || minimax.is_some_and(|search| search.depth == Some(1)) {
            // The evaluation after each move; nothing of an agent with two evaluations, which takes either at random.
            let weights = after.weights().filter(|_| after.common.mix.is_none());
            let values = weights.map(|weights| {
                P::with_evaluator(weights.layout(), weights.values(), AfterMoves(position))
            });
            return Ok((values.transpose().map_err(InputError::new)?.unwrap_or_default(), None));
        }
        if let Some(Some(depth)) = after.kind.fixed_depth_mut() {
            if *depth < 2 {
                return Ok(MoveValues::default());
            }
            *depth -= 1;
        }
        if let Some(settings) = after.settings_mut::<PvsSettings>() {
            // Each move has an agent of its own.
            settings.table = Some(1);
        }
        let mut time_each = None;
        if let Some(limit) = after.kind.limit_mut() {
            let share = (TIME_FOR_VALUES / count).max(Duration::from_millis(1));
            time_each = Some(share);
            *limit = Some(Limit::Time(share));
        }
        let factory = self.agents.prepare(&after)?;
        let started = Instant::now();
        let mut values: Vec<(P::Move, Value)> = Vec::new();
        let mut draws = Vec::new();
        for mv in position.legal_moves() {
            if started.elapsed() > LONGEST || stop.is_set() {
                break;
            }
            let next = position.after(mv);
            let value = match next.outcome() {
                Some(Outcome::Draw) => {
                    draws.push(mv);
                    continue;
                }
                Some(Outcome::Win(winner)) => {
                    let is_won = winner == position.side_to_move();
                    Some(Value::Weights(if is_won { f64::INFINITY } else { f64::NEG_INFINITY }))
                }
                None => {
                    let mut agent = factory.spawn(mix(self.seed, u64::from(next.ply())));
                    let turn = Turn { last_move: Some(mv), stop, ..Turn::new(&next) };
                    let choice = agent.choose(&turn);
                    choice.ok().and_then(|choice| choice.value).map(for_the_other_side)
                }
            };
            values.extend(value.map(|value| (mv, value)));
        }
        let draw = draw_beside(&values);
        values.extend(draws.into_iter().map(|mv| (mv, draw)));
        Ok((values, time_each))
    }
}

/// The value of a draw in the unit that other moves are valued in.
fn draw_beside<M>(values: &[(M, Value)]) -> Value {
    let unit = values.iter().map(|(_, value)| value).find(|value| order(**value).is_finite());
    match unit {
        Some(Value::Share(_)) => Value::Share(0.5),
        Some(Value::Centipawns(_)) => Value::Centipawns(0.0),
        Some(Value::Weights(_)) | None => Value::Weights(0.0),
    }
}

struct AfterMoves<'p, P>(&'p P);

impl<P: Game> EvaluatorVisitor<P> for AfterMoves<'_, P> {
    type Output = Vec<(P::Move, Value)>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Self::Output {
        let Self(position) = self;
        let (state, player) = (evaluator.state(position), position.side_to_move());
        let value = |mv: P::Move| {
            let score = evaluator.score_after(&state, position, mv).seen_by(player);
            (mv, Value::Weights(in_weights::<P, E>(&evaluator, score)))
        };
        position.legal_moves().map(value).collect()
    }
}

pub(super) fn think<P: Game>(
    agent: &mut dyn Agent<P>,
    turn: &Turn<'_, P>,
) -> Result<(Choice<P::Move>, Duration), Failure> {
    let started = Instant::now();
    let choice = agent.choose(turn)?;
    let took = started.elapsed();
    if !turn.position.is_legal(choice.mv) {
        return Err(Failure::IllegalMove(choice.mv.to_string()));
    }
    Ok((choice, took))
}

const fn for_the_other_side(value: Value) -> Value {
    match value {
        // Not -0.
        Value::Weights(value) => Value::Weights(0.0 - value),
        Value::Share(share) => Value::Share(1.0 - share),
        Value::Centipawns(value) => Value::Centipawns(0.0 - value),
    }
}

/// A number that orders values of one agent. Games that end at once are beyond all shares.
pub(super) const fn order(value: Value) -> f64 {
    match value {
        Value::Weights(value) | Value::Centipawns(value) => value,
        Value::Share(share) => share,
    }
}
