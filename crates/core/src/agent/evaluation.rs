//! The evaluation of an agent.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agents::Spawn;
use super::kind::AgentKind;
use crate::game::{Evaluator, EvaluatorVisitor, Game};
use crate::input::InputError;
use crate::weights::Weights;

/// The evaluation of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evaluation {
    /// The evaluation, where weights do not tell; by default that of the game
    #[serde(rename = "eval")]
    #[schemars(
        example = &"comprehensive",
        extend("x-names" = "evaluation", "x-takes" = "an evaluation of the game")
    )]
    pub name: Option<String>,
    /// A built-in name or a path; by default the strongest built-in weights
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub weights: Option<Weights>,
}

/// Players of a search with the evaluator of its weights. `label` is the text form of the agent.
pub(super) fn searching<P: Game>(
    search: &impl AgentKind,
    label: &str,
) -> Result<Spawn<P>, InputError> {
    search
        .evaluation()
        .and_then(|evaluation| evaluation.weights.as_ref())
        .ok_or_else(|| InputError::new("no weights to evaluate with"))
        .and_then(|weights| {
            P::with_evaluator(weights.layout(), weights.values(), WithEvaluator(search))
                .map_err(|error| InputError::new(error.to_string()))
                .flatten()
        })
        .map_err(|error| error.context(&format!("agent \"{label}\"")))
}

struct WithEvaluator<'k, K>(&'k K);

impl<P: Game, K: AgentKind> EvaluatorVisitor<P> for WithEvaluator<'_, K> {
    type Output = Result<Spawn<P>, InputError>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Result<Spawn<P>, InputError> {
        self.0.search(Arc::new(evaluator))
    }
}
