//! `tictune export --format codingame-rust`: an agent as a bot that its author can paste.

use std::path::Path;

use anyhow::{bail, ensure};

use super::Session;
use super::export::note_left_out;
use super::run_folder::{named_after_run, winner_vector};
use crate::agent::{AgentSpec, Clock, Limit, PvsSettings};
use crate::export::{Format, Language};
use crate::game::Game;
use crate::games::Uttt;
use crate::games::uttt::UtttMove;
use crate::games::uttt::platforms::codingame::source::{BotParts, FORMAT, source};
use crate::input::InputError;
use crate::search::pvs;
use crate::weights::Weights;

/// The source of a bot that plays what an agent plays. `text` is an agent, or weights that the agent `pvs` plays with.
pub(super) fn export(text: &str, session: &Session) -> anyhow::Result<String> {
    let spec = agent(text, session)?;
    let clock = Limit::Clock { clock: Clock::CodinGame, scale: 1.0 };
    let wrong = |problem: &str| InputError::new(format!("{text}: {problem}"));
    let has_extras = spec.common.change_moves();
    let Some(mut settings) = spec.settings::<PvsSettings>().cloned() else {
        let kind = spec.kind_name();
        bail!(wrong(&format!(
            "{kind} cannot be written as a bot; pvs can, with weights of any evaluation of uttt: pvs:weights=tictune-patterns"
        )));
    };
    let game = spec.weights().map_or(Uttt::INFO.name, |weights| weights.layout().game);
    if game != Uttt::INFO.name {
        bail!(wrong(&format!(
            "weights of {game} cannot be written as a bot; those of uttt can, the game that CodinGame has"
        )));
    }
    ensure!(!has_extras, wrong("a bot has no first_move=, theory=, jump= or mix="));
    if settings.limit.get_or_insert(clock) != &clock {
        bail!(wrong("a bot keeps the clock of the platform: leave the limit out"));
    }
    let spec = AgentSpec { kind: Box::new(settings.clone()), ..spec }.complete(Uttt::INFO)?;
    let weights = spec.weights().ok_or_else(|| wrong("no weights to evaluate with"))?;
    let layout = weights.layout();
    let pvs::PvsParameters {
        reduction,
        reduction_base,
        reduction_value,
        killer,
        window,
        threats: _,
    } = settings.search;
    let deepest = settings.depth.unwrap_or(pvs::MAX_DEPTH).clamp(1, pvs::MAX_DEPTH);
    let buckets = pvs::buckets::<UtttMove>(settings.table.unwrap_or(pvs::TABLE_MIB));
    let rust = Language::of(Format::Rust);
    let function = rust.and_then(|rust| rust.evaluate(layout.name, Uttt::INFO));
    let bot = BotParts {
        about: &about(&spec.to_string(), weights),
        layout,
        weights: weights.values(),
        function: function
            .as_ref()
            .map(|(text, parameters)| (text.as_str(), parameters.as_slice())),
        // The constants of the search by the names that they have in agents.
        search: &[
            ("reduction", format!("{reduction:?}")),
            ("reduction_base", format!("{reduction_base:?}")),
            ("reduction_value", format!("{reduction_value:?}")),
            ("killer", format!("{killer:?}")),
            ("window", format!("{window:?}")),
            ("deepest", deepest.to_string()),
            ("buckets", buckets.to_string()),
        ],
    };
    Ok(source(&bot).map_err(|error| wrong(&error.to_string()))?)
}

/// The agent that a text stands for: the folder of a run, an agent, or weights.
fn agent(text: &str, session: &Session) -> anyhow::Result<AgentSpec> {
    let path = Path::new(text);
    let kind = text.split(':').next().unwrap_or_default();
    if !path.exists() && (session.known().kind(kind).is_ok() || text.starts_with('@')) {
        return Ok(AgentSpec::parse_in(text, session.scope(Uttt::INFO))?);
    }
    if path.is_dir() {
        return winner(path, session);
    }
    Ok(AgentSpec::from(PvsSettings::default()).with_weights(session.weights(text)?))
}

/// The agent of a run's winner, if it is one that can be written as a bot; otherwise `pvs` with its weights. The limit of a
/// bot is the clock of the platform.
fn winner(run: &Path, session: &Session) -> anyhow::Result<AgentSpec> {
    let (plan, winner) = winner_vector(run, session)?;
    let mut agent = winner.apply_to(&plan.agent)?;
    if let Some(settings) = agent.settings_mut::<PvsSettings>() {
        (settings.limit, settings.depth, settings.table) = (None, None, None);
    } else {
        agent = AgentSpec::from(PvsSettings::default());
        note_left_out(&plan, &winner, session);
    }
    match winner.weights {
        // They were not evolved.
        None if agent.weights().is_some() => Ok(agent),
        _ => Ok(agent.with_weights(named_after_run(run, session)?)),
    }
}

fn about(agent: &str, weights: &Weights) -> String {
    let (version, layout) = (env!("CARGO_PKG_VERSION"), weights.layout());
    let provenance = match weights.provenance.is_empty() {
        true => " have no provenance.\n".into(),
        false => format!(":\n{}", weights.provenance),
    };
    let slots = layout.slots.iter().zip(weights.values());
    let slots: String = slots.map(|(slot, value)| format!("{} = {value:?}\n", slot.name)).collect();
    format!(
        "A bot for Ultimate Tic-Tac-Toe on CodinGame. It plays like this agent of tictune:\n{agent}\nWritten by tictune \
         {version} (export --format {FORMAT}), under the MIT or Apache 2.0 license.\n\nThe weights {} of the evaluation \
         {}{provenance}{slots}",
        weights.name, layout.name
    )
}
