//! The keys of runners, which play whole matches of a game of their own.

use std::time::Duration;

use super::super::key::{Key, Refusal};
use super::super::kinds::{AgentKind, Kind};
use super::super::runner::{MAX_PAIRS, RunnerSettings};
use super::super::spec::AgentSpec;
use super::Place;

const RUNNERS: &[Kind] = &[Kind::Runner];

/// What a runner's agents have beside a command and numbers.
pub(super) fn keys() -> Vec<Key> {
    fn of(spec: &AgentSpec) -> Option<&RunnerSettings> {
        match &spec.kind {
            AgentKind::Runner(settings) => Some(settings),
            _ => None,
        }
    }
    fn of_mut(spec: &mut AgentSpec) -> Result<&mut RunnerSettings, Refusal> {
        match &mut spec.kind {
            AgentKind::Runner(settings) => Ok(settings),
            _ => Err(Refusal::Part),
        }
    }
    let once = Place {
        kinds: RUNNERS,
        get: |spec| of(spec).map(|runner| runner.once),
        set: |spec, once| {
            of_mut(spec)?.once = once;
            Ok(())
        },
    };
    let pairs = Place {
        kinds: RUNNERS,
        get: |spec| of(spec).map(|runner| runner.pairs),
        set: |spec, pairs| {
            of_mut(spec)?.pairs = pairs;
            Ok(())
        },
    };
    let fits = |time: &Duration| *time <= Duration::from_secs(86_400) && time.as_millis() >= 1;
    let timeout = Key::new(
        "timeout",
        RUNNERS,
        "a time from 1ms to 1day",
        move |spec, text, _| {
            let time = humantime::parse_duration(text).ok();
            of_mut(spec)?.timeout = time.filter(fits).ok_or(Refusal::Value)?;
            Ok(())
        },
        |spec| {
            let timeout = of(spec)?.timeout;
            Some(humantime::format_duration(timeout).to_string().replace(' ', ""))
        },
    );
    let timeout = timeout.checked_by(move |spec| of(spec).is_none_or(|of| fits(&of.timeout)));
    let name = Key::new(
        "name",
        RUNNERS,
        "a name that the program knows",
        |spec, text, _| {
            if text.is_empty() || text.contains(char::is_control) || text.len() > 200 {
                return Err(Refusal::Value);
            }
            of_mut(spec)?.name = Some(text.into());
            Ok(())
        },
        |spec| of(spec)?.name.clone(),
    );
    vec![
        Key::switch("once", once)
            .help("Whether the program is started for each request, with {NAME} in cmd, and ends with a line W D L"),
        timeout.example("60s").help("How long a runner may take for a request"),
        Key::whole("pairs", pairs, 1..=MAX_PAIRS, "a whole number")
            .example("10")
            .help("The most pairs of games of a request"),
        name.example("cautious").help("A name by which a runner knows the agent"),
    ]
}
