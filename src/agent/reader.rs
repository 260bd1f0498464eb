//! Reading agents from text and tables, key by key.

use super::{
    AgentSpec, External, FirstMove, Habits, Kind, Learned, Limit, Options, Theory, habits, options,
};
use crate::input::{InputError, unknown};
use crate::protocol::Protocol;
use crate::search::iterative::MAX_TABLE_MIB;
use crate::search::minimax::MAX_DEPTH;
use crate::weights::{Scope, Weights};

/// Reads a spec key by key.
pub(super) struct Reader {
    spec: AgentSpec,
    seen: Vec<String>,
    command: Option<String>,
    protocol: Option<Protocol>,
    time_scale: Option<f64>,
    habits: habits::Reading,
    options: options::Reading,
    theory_plies: Option<u32>,
}

impl Reader {
    pub(super) fn new(kind: &str) -> Result<Self, InputError> {
        let entry = Kind::ALL.iter().find(|entry| entry.name == kind);
        let entry = entry.ok_or_else(|| InputError::new(unknown("agent", kind, &Kind::names())))?;
        Ok(Self {
            spec: AgentSpec::new(entry.kind),
            seen: Vec::new(),
            command: None,
            protocol: None,
            time_scale: None,
            habits: habits::Reading::default(),
            options: options::Reading::default(),
            theory_plies: None,
        })
    }

    /// Whether it is a key of the kind, and is not read yet.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.spec.kind.keys().contains(&key) && !self.seen.iter().any(|earlier| earlier == key)
    }

    pub(super) fn read(
        &mut self,
        key: &str,
        value: &str,
        scope: Scope<'_>,
    ) -> Result<(), InputError> {
        let keys = self.spec.kind.keys();
        if !keys.contains(&key) {
            return Err(InputError::new(unknown("key", key, &keys)));
        }
        if self.seen.iter().any(|earlier| earlier == key) {
            return Err(InputError::new(format!("key \"{key}\" is given twice")));
        }
        self.seen.push(key.into());
        let wrong = |expected: &str| {
            let value: String = value.chars().take(40).collect();
            let found = value.escape_debug();
            InputError::new(format!("{key}: expected {expected}, found \"{found}\""))
        };
        let spec = &mut self.spec;
        match key {
            "depth" => {
                let depth = value.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
                let expected = format!("a number of plies from 1 to {MAX_DEPTH}");
                spec.depth = Some(depth.ok_or_else(|| wrong(&expected))?);
            }
            "eval" => spec.evaluation = Some(scope.layout(value)?.name.into()),
            "weights" => spec.weights = Some(Weights::find(value, scope)?),
            "from" => spec.learned = Some(Learned::find(&scope.folder.join(value), scope.game)?),
            "first_move" => {
                spec.first_move = match value {
                    "search" => FirstMove::Search,
                    "centre" => {
                        if !scope.game.centre {
                            let game = scope.game.name;
                            let message = format!("first_move: {game} has no centre to begin with");
                            return Err(InputError::new(message));
                        }
                        FirstMove::Centre
                    }
                    _ => return Err(wrong("search or centre")),
                }
            }
            "theory" => {
                let theory = Theory { set: value.into(), plies: Theory::PLIES };
                theory.check(scope.game).map_err(InputError::new)?;
                spec.theory = Some(theory);
            }
            "theory_plies" => {
                let plies = value.parse().map_err(|_| wrong("a whole number of moves from 0"))?;
                self.theory_plies = Some(plies);
            }
            "seed" => {
                let seed = value.parse().map_err(|_| wrong("a whole number from 0"))?;
                spec.seed = Some(seed);
            }
            "nodes" | "iterations" | "time" | "clock" => {
                if spec.limit.is_some() {
                    return Err(InputError::new("a search has one limit; two are given"));
                }
                let limit = Limit::from_pair(key, value).map_err(|expected| wrong(&expected))?;
                spec.limit = Some(limit);
            }
            "time_scale" => {
                let scale = value.parse().ok().filter(|x: &f64| (0.001..=1000.0).contains(x));
                let scale = scale.ok_or_else(|| wrong("a number from 0.001 to 1000"))?;
                self.time_scale = Some(scale);
            }
            "table" => {
                let size = value.parse().ok().filter(|size| (1..=MAX_TABLE_MIB).contains(size));
                let expected = format!("a number of MiB from 1 to {MAX_TABLE_MIB}");
                spec.table = Some(size.ok_or_else(|| wrong(&expected))?);
            }
            "cmd" if value.trim().is_empty() => return Err(wrong("a program and its arguments")),
            "cmd" => self.command = Some(value.into()),
            "protocol" => {
                let protocol = Protocol::ALL.iter().find(|known| known.to_string() == value);
                let names = Protocol::ALL.map(|known| known.to_string()).join(" or ");
                self.protocol = Some(*protocol.ok_or_else(|| wrong(&names))?);
            }
            _ if Options::KEYS.contains(&key) => self.options.set(key, value, Some(scope))?,
            _ if Habits::KEYS.contains(&key) => self.habits.set(key, value, Some(scope))?,
            _ => {
                let settings = spec.mcts.get_or_insert_default();
                settings.set(key, value).map_err(|expected| wrong(&expected))?;
            }
        }
        Ok(())
    }

    /// What only all keys together tell.
    pub(super) fn finish(self) -> Result<AgentSpec, InputError> {
        let Self { mut spec, command, protocol, time_scale, habits, options, theory_plies, .. } =
            self;
        spec.habits = habits.finish()?;
        spec.options = options.finish(spec.table.is_some())?;
        if let Some(plies) = theory_plies {
            match &mut spec.theory {
                Some(theory) => theory.plies = plies,
                None => return Err(InputError::new("theory_plies goes with theory=")),
            }
        }
        if let Some(factor) = time_scale {
            match &mut spec.limit {
                Some(Limit::Clock { scale, .. }) => *scale = factor,
                _ => return Err(InputError::new("time_scale goes with clock=")),
            }
        }
        if spec.kind == Kind::External && !(command.is_none() && protocol.is_none()) {
            let missing = |key: &str| InputError::new(format!("an external agent needs {key}="));
            spec.external = Some(External {
                command: command.ok_or_else(|| missing("cmd"))?,
                protocol: protocol.ok_or_else(|| missing("protocol"))?,
            });
        }
        if let (Some(evaluation), Some(weights)) = (&spec.evaluation, &spec.weights)
            && weights.layout().name != evaluation
        {
            return Err(InputError::new(format!(
                "eval={evaluation} does not go with weights {}, which are of {}",
                weights.name,
                weights.layout().name
            )));
        }
        if !spec.evaluates() && (spec.evaluation.is_some() || spec.weights.is_some()) {
            return Err(InputError::new(
                "nothing in this search evaluates positions: weights= and eval= go with \
                 playout=ept, partial or total, or with expansion=heuristic",
            ));
        }
        Ok(spec)
    }
}

/// The parts of `a=1,b="x,y"` between commas that are outside quotes.
pub(super) fn split_outside_quotes(text: &str) -> Result<Vec<&str>, InputError> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    if quoted {
        return Err(InputError::new(format!(
            "a quote is not closed in \"{}\"",
            text.escape_debug()
        )));
    }
    if !text.is_empty() {
        parts.push(&text[start..]);
    }
    Ok(parts)
}

pub(super) fn unquote(value: &str) -> String {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value).to_string()
}
