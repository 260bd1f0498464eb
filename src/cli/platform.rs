//! A warning where programs speak a platform's protocol, and the rules are not the platform's.

use super::note;
use crate::agent::AgentSpec;
use crate::game::GameInfo;

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
    if is_drawn && agents.any(|agent| agent.to_string().contains("codingame")) {
        note(&format!(
            "warning: CodinGame's rule for games without a line is {rule}; these games are draws here"
        ));
    }
}
