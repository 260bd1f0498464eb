//! Filling in what a spec leaves open.

use super::spec::AgentSpec;
use crate::game::GameInfo;
use crate::input::InputError;
use crate::weights::builtin;

impl AgentSpec {
    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A person; a search to a fixed depth without one; a search without its limit; an evaluation without built-in
    /// weights; a program with a placeholder that has no value, or a value that no placeholder has.
    pub fn complete(mut self, game: &'static GameInfo) -> Result<Self, InputError> {
        let has_own_limits = self.program().is_some() || self.kind.depth().is_some();
        if !has_own_limits && self.kind.fixed_depth_mut().is_some() {
            let kind = self.kind_name();
            let message = format!("agent \"{self}\" needs a depth, as in {kind}:depth=5");
            return Err(InputError::new(message));
        }
        self.complete_but_for_depth(game)
    }

    /// [`complete`](Self::complete), but the depth of a search to a fixed depth may stay open.
    ///
    /// # Errors
    /// As `complete`.
    pub fn complete_but_for_depth(mut self, game: &'static GameInfo) -> Result<Self, InputError> {
        let (evaluates, text) = (self.evaluates(), self.to_string());
        self.kind.complete(&text, game)?;
        if let Some(evaluation) = self.kind.evaluation_mut().filter(|_| evaluates)
            && evaluation.weights.is_none()
        {
            let name = match &evaluation.name {
                Some(name) => name,
                None => game.default_layout().ok_or_else(|| no_evaluation(&text, game.name))?.name,
            };
            let strongest = builtin::strongest(game, name).ok_or_else(|| {
                InputError::new(format!("no weights for {name} are built in; give weights="))
            })?;
            evaluation.weights = Some(strongest);
        }
        if let Some(program) = self.program() {
            let wrong = |error: InputError| error.context(&format!("agent \"{self}\""));
            program.check().map_err(wrong)?;
            if let (Some(message), None) = (program.missing_number(), program.name()) {
                return Err(wrong(InputError::new(message)));
            }
        }
        Ok(self)
    }

    /// The agent that plays a game best with a limit such as `time=1s`, in text: who plays unless another
    /// is named.
    pub fn strongest(game: &GameInfo, limit: &str) -> String {
        let separator = if game.strongest.contains(':') { ',' } else { ':' };
        format!("{}{separator}{limit}", game.strongest)
    }

    /// Opponents for people, from weak to strong: the name of a level, and the agent in text. In games without weights,
    /// playouts stand in for evaluations.
    #[doc(hidden)]
    pub fn levels(game: &GameInfo) -> [(&'static str, String); 5] {
        let (easy, medium) = match game.vectors {
            [] => ("mcts:iterations=50", "mcts:iterations=500"),
            _ => ("greedy", "minimax:depth=2"),
        };
        [
            ("beginner", "random".into()),
            ("easy", easy.into()),
            ("medium", medium.into()),
            ("hard", Self::strongest(game, "time=50ms")),
            ("expert", Self::strongest(game, "time=1s")),
        ]
    }
}

fn no_evaluation(agent: &str, game: &str) -> InputError {
    InputError::new(format!(
        "agent \"{agent}\" needs an evaluation, and {game} has none here: it is played by outside \
         programs (external), by random, and by mcts with random playouts"
    ))
}
