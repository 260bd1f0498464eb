//! A warning where programs speak a platform's protocol, and the rules are not the platform's.

use super::Session;
use crate::agent::{AgentSpec, Clock, Limit};
use crate::programs::{ExternalSettings, Protocol};
use crate::registry::AnyGame;

/// Warns where some agent speaks CodinGame's protocol or keeps its clock, and the rules are not those of the platform. `how`
/// says how rules are given.
pub(super) fn warn<'a>(
    session: &Session,
    game: &dyn AnyGame,
    rules: &str,
    agents: impl IntoIterator<Item = &'a AgentSpec>,
    how: &str,
) {
    // Nobody but its program knows the rules of a runner's game.
    let Ok(game) = game.known("", "") else { return };
    let of_platform = game.platform_rules(Protocol::CodinGame);
    if rules != of_platform && agents.into_iter().any(is_for_codingame) {
        session.note(&format!(
            "warning: CodinGame's rules are {of_platform}, and here they are {rules}; {how} changes them"
        ));
    }
}

/// Whether an agent speaks CodinGame's protocol or keeps its clock.
fn is_for_codingame(agent: &AgentSpec) -> bool {
    let speaks = |of: &ExternalSettings| of.protocol == Protocol::CodinGame;
    let speaks = agent.settings().is_some_and(speaks);
    speaks || matches!(agent.kind.limit(), Some(Limit::Clock { clock: Clock::CodinGame, .. }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::agent::Agents;
    use crate::games::Uttt;

    #[test]
    fn a_platform_is_known_by_protocol_and_clock() {
        for (agent, expected) in [
            ("external:cmd=./bot,protocol=codingame", true),
            ("mcts:clock=codingame", true),
            ("external:cmd=/codingame/bot,protocol=theaigames", false),
            ("mcts:clock=theaigames", false),
            ("random", false),
        ] {
            let agent = Agents::<Uttt>::of::<crate::built_in::BuiltInKinds>()
                .parse(agent, Path::new(""))
                .unwrap();
            assert_eq!(is_for_codingame(&agent), expected, "{agent}");
        }
    }
}
