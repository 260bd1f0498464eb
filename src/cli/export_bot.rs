//! `tictune export --format codingame-rust`: an agent as a bot that its author can paste.

use super::Session;
use std::path::Path;

use super::export::note_left_out;
use super::winner::{named_after_run, winner_vector};
use crate::agent::{AgentSpec, Clock, Limit, PvsSettings};
use crate::export::Format;
use crate::export::function;
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
        let problem = format!(
            "{} cannot be written as a bot; pvs can, with weights of any evaluation of uttt: pvs:weights=tictune-patterns",
            spec.kind_name()
        );
        return Err(wrong(&problem).into());
    };
    if let Some(layout) = spec.weights().map(Weights::layout)
        && layout.game != Uttt::INFO.name
    {
        let problem = format!(
            "weights of {} cannot be written as a bot; those of uttt can, the game that CodinGame has",
            layout.game
        );
        return Err(wrong(&problem).into());
    }
    if has_extras {
        return Err(wrong("a bot has no first_move=, theory=, jump= or mix=").into());
    }
    if settings.limit.get_or_insert(clock) != &clock {
        let problem = "a bot keeps the clock of the platform: leave the limit out";
        return Err(wrong(problem).into());
    }
    let spec = AgentSpec { kind: Box::new(settings.clone()), ..spec }.complete(Uttt::INFO)?;
    let weights = spec.weights().ok_or_else(|| wrong("no weights to evaluate with"))?;
    let layout = weights.layout();
    let table = settings.table.unwrap_or(pvs::TABLE_MIB);
    let deepest = settings.depth.unwrap_or(pvs::MAX_DEPTH).clamp(1, pvs::MAX_DEPTH);
    let mut search = constants(&settings.search);
    search.push(("deepest", deepest.to_string()));
    search.push(("buckets", pvs::buckets::<UtttMove>(table).to_string()));
    let about = about(&spec.to_string(), weights);
    let function = function(layout.name, Format::Rust, Uttt::INFO);
    let bot = BotParts {
        about: &about,
        layout,
        weights: weights.values(),
        function: function.as_ref().map(|one| (one.text.as_str(), one.parameters.as_slice())),
        search: &search,
    };
    Ok(source(&bot).map_err(|error| wrong(&error.to_string()))?)
}

/// The agent that a text stands for: the folder of a run, an agent, or weights.
fn agent(text: &str, session: &Session) -> anyhow::Result<AgentSpec> {
    let path = Path::new(text);
    let scope = session.known().scope(Uttt::INFO, Path::new(""));
    let kind = text.split(':').next().unwrap_or_default();
    if !path.exists() && (session.known().kinds.get(kind).is_some() || text.starts_with('@')) {
        return Ok(AgentSpec::parse_in(text, scope)?);
    }
    if path.is_dir() {
        return winner(path, session);
    }
    let weights = Weights::find_of_any_game(text, &session.known().games, Path::new(""))?;
    Ok(AgentSpec::from(PvsSettings::default()).with_weights(weights))
}

/// The agent of a run's winner, if it is one that can be written as a bot; otherwise `pvs` with its weights. The limit of a
/// bot is the clock of the platform.
fn winner(run: &Path, session: &Session) -> anyhow::Result<AgentSpec> {
    let (plan, winner) = winner_vector(run, session)?;
    let mut agent = winner.carried_by(&plan.agent)?;
    if let Some(settings) = agent.settings_mut::<PvsSettings>() {
        (settings.limit, settings.depth, settings.table) = (None, None, None);
    } else {
        agent = AgentSpec::from(PvsSettings::default());
        note_left_out(run, session)?;
    }
    match winner.weights {
        // They were not evolved.
        None if agent.weights().is_some() => Ok(agent),
        _ => Ok(agent.with_weights(named_after_run(run, session)?)),
    }
}

/// The constants of the search by the names that they have in agents.
fn constants(settings: &pvs::Settings) -> Vec<(&'static str, String)> {
    let &pvs::Settings { reduction, reduction_base, killer, window } = settings;
    let real = |value: f64| format!("{value:?}");
    vec![
        ("reduction", real(reduction)),
        ("reduction_base", real(reduction_base)),
        ("killer", real(killer)),
        ("window", real(window)),
    ]
}

fn about(agent: &str, weights: &Weights) -> String {
    let mut text = format!(
        "A bot for Ultimate Tic-Tac-Toe on CodinGame. It plays like this agent of tictune:\n{agent}\nWritten by tictune \
         {} (export --format {FORMAT}), under the MIT or Apache 2.0 license.\n\nThe weights {} of the evaluation {}",
        env!("CARGO_PKG_VERSION"),
        weights.name,
        weights.layout().name
    );
    match weights.provenance.is_empty() {
        true => text.push_str(" have no provenance.\n"),
        false => text.push_str(&format!(":\n{}", weights.provenance)),
    }
    let slots = weights.layout().slots.iter().zip(weights.values());
    slots.for_each(|(slot, value)| text.push_str(&format!("{} = {value:?}\n", slot.name)));
    text
}
