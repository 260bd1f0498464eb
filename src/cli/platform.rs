//! A warning where programs speak a platform's protocol, and the rules are not the platform's.

use super::note;
use crate::agent::{AgentSpec, Clock, Limit};
use crate::game::GameInfo;
use crate::programs::{ExternalSettings, Protocol};

/// How CodinGame's rule is given on the command line.
pub(super) const OPTION: &str = "--rules no_line=most_boards";

/// Warns of games without a line that are drawn, where some agent speaks CodinGame's protocol or keeps its clock. `rule` is
/// how the platform's rule is given.
pub(super) fn warn<'a>(
    game: &GameInfo,
    rules: &str,
    agents: impl IntoIterator<Item = &'a AgentSpec>,
    rule: &str,
) {
    let mut agents = agents.into_iter();
    let is_drawn =
        game.rule_keys.iter().any(|key| key.name == "no_line") && !rules.contains("most_boards");
    if is_drawn && agents.any(is_for_codingame) {
        note(&format!(
            "warning: CodinGame's rule for games without a line is {rule}; these games are draws here"
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
