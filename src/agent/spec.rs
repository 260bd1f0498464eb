//! The text and table forms of agents, and the registry of their kinds.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Limit;
use crate::eval::{Game, WeightLayout};
use crate::input::{InputError, Table, unknown};
use crate::protocol::Protocol;
use crate::search::iterative::MAX_TABLE_MIB;
use crate::search::mcts::Settings;
use crate::search::minimax::MAX_DEPTH;
use crate::weights::{Weights, builtin, find_layout};

/// How an agent plays the first move of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstMove {
    /// It searches, as for any other move.
    #[default]
    Search,
    /// It plays the centre, as Liang's bots do.
    Centre,
}

/// The kinds of agents: the registry of their names and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A legal move at random.
    Random,
    /// The first legal move in generation order.
    Reflex,
    /// The best move by an evaluation one ply deep.
    Greedy,
    /// Fixed-depth minimax.
    Minimax,
    /// Minimax with iterative deepening, within a limit.
    Iterative,
    /// Monte Carlo tree search, within a limit.
    Mcts,
    /// Another program.
    External,
}

/// What the registry knows of a kind.
struct Entry {
    name: &'static str,
    kind: Kind,
    keys: &'static [&'static str],
    /// Whether the keys of [`Settings`] belong to it too.
    mcts: bool,
    /// How its limit may be given; empty where it takes none.
    limits: &'static str,
}

impl Kind {
    /// Every kind, in the order of the enum.
    const ALL: [Entry; 7] = [
        Entry { name: "random", kind: Self::Random, keys: &["seed"], mcts: false, limits: "" },
        Entry { name: "reflex", kind: Self::Reflex, keys: &["seed"], mcts: false, limits: "" },
        Entry {
            name: "greedy",
            kind: Self::Greedy,
            keys: &["eval", "weights", "first_move", "seed"],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "minimax",
            kind: Self::Minimax,
            keys: &["depth", "eval", "weights", "first_move", "seed"],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "iterative",
            kind: Self::Iterative,
            keys: &[
                "time",
                "nodes",
                "clock",
                "time_scale",
                "depth",
                "table",
                "eval",
                "weights",
                "first_move",
                "seed",
            ],
            mcts: false,
            limits: "time=100ms, nodes=100000 or clock=theaigames",
        },
        Entry {
            name: "mcts",
            kind: Self::Mcts,
            keys: &[
                "time",
                "iterations",
                "clock",
                "time_scale",
                "eval",
                "weights",
                "first_move",
                "seed",
            ],
            mcts: true,
            limits: "iterations=25000, time=100ms or clock=theaigames",
        },
        Entry {
            name: "external",
            kind: Self::External,
            keys: &["cmd", "protocol", "time", "clock", "time_scale", "seed"],
            mcts: false,
            limits: "",
        },
    ];

    /// The keys of its text form.
    #[must_use]
    pub fn keys(self) -> Vec<&'static str> {
        let entry = self.entry();
        let settings = if entry.mcts { &Settings::KEYS[..] } else { &[] };
        entry.keys.iter().chain(settings).copied().collect()
    }

    /// The keys that tables of agents may hold, whatever the kind.
    #[must_use]
    pub fn all_keys() -> Vec<&'static str> {
        let mut all = vec!["kind"];
        for key in Self::ALL.iter().flat_map(|entry| entry.kind.keys()) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all
    }

    /// Reads a limit of this kind of search, `KEY=VALUE`.
    ///
    /// # Errors
    /// Any other text, or a limit that the kind does not take.
    pub fn limit(self, text: &str) -> Result<Limit, InputError> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let keys: Vec<&str> =
            Limit::KEYS.into_iter().filter(|key| self.entry().keys.contains(key)).collect();
        if !keys.contains(&key) {
            return Err(InputError::new(unknown("limit", key, &keys)));
        }
        Limit::from_pair(key, value)
            .map_err(|expected| InputError::new(format!("limit \"{text}\": expected {expected}")))
    }

    /// The names of all kinds.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|entry| entry.name).collect()
    }

    const fn entry(self) -> &'static Entry {
        &Self::ALL[self as usize]
    }
}

/// An agent as plain data. What a spec leaves open (depth, weights) is for its context to fill: a
/// stage of an evolution, or [`complete`](Self::complete).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// What it is.
    pub kind: Kind,
    /// The depth of its search in plies, for minimax; for iterative deepening the deepest.
    pub depth: Option<u32>,
    /// The evaluation, where the spec names it without weights.
    pub evaluation: Option<String>,
    /// The weights of its evaluation.
    pub weights: Option<Weights>,
    /// How it opens a game.
    pub first_move: FirstMove,
    /// Its own seed instead of the match's.
    pub seed: Option<u64>,
    /// What ends its search, for the kinds that are limited so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The size of its transposition table in MiB, for iterative deepening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// Its parts, for Monte Carlo tree search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcts: Option<Settings>,
    /// The program, for an external agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<External>,
}

/// Another program as an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The program and its arguments, separated by spaces; quotes keep words together. No shell
    /// looks at it.
    pub command: String,
    /// The protocol that it speaks.
    pub protocol: Protocol,
}

impl AgentSpec {
    /// A spec of which only the kind is given.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            depth: None,
            evaluation: None,
            weights: None,
            first_move: FirstMove::default(),
            seed: None,
            limit: None,
            table: None,
            mcts: kind.entry().mcts.then(Settings::default),
            external: None,
        }
    }

    /// Reads the text form. Weights are built-in names, or paths relative to `folder`.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse(text: &str, game: &str, folder: &Path) -> Result<Self, InputError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let parse = || {
            let mut pairs = Vec::new();
            for part in split_outside_quotes(rest)? {
                let (key, value) = part.split_once('=').ok_or_else(|| {
                    InputError::new(format!("\"{}\" is not KEY=VALUE", part.escape_debug()))
                })?;
                pairs.push((key.trim(), unquote(value.trim())));
            }
            Self::from_pairs(kind.trim(), &pairs, game, folder)
        };
        let in_agent = |error: InputError| match error.file {
            None => error.context(&format!("agent \"{}\"", text.escape_debug())),
            Some(_) => error,
        };
        parse().map_err(in_agent)
    }

    /// Reads a TOML table with the keys of the text form, and `kind`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), with the line.
    pub fn from_table(
        table: &Table<'_, '_>,
        game: &str,
        folder: &Path,
    ) -> Result<Self, InputError> {
        let pairs = table.scalars()?;
        let kind = table.string("kind")?.ok_or_else(|| table.error("kind", "missing"))?;
        let pairs: Vec<_> = pairs.into_iter().filter(|(key, _)| *key != "kind").collect();
        let mut reader = Reader::new(kind).map_err(|error| table.error("kind", error.message))?;
        for (key, value) in &pairs {
            // Errors of a single key get that key's line; those of weight files name the file too.
            reader.read(key, value, game, folder).map_err(|error| match key {
                &"weights" => table.error(key, error),
                // The table's error names the key already.
                _ => {
                    let named = format!("{key}: ");
                    table.error(key, error.message.strip_prefix(&named).unwrap_or(&error.message))
                }
            })?;
        }
        reader.finish().map_err(|error| table.error("kind", error.message))
    }

    fn from_pairs(
        kind: &str,
        pairs: &[(&str, String)],
        game: &str,
        folder: &Path,
    ) -> Result<Self, InputError> {
        let mut reader = Reader::new(kind)?;
        for (key, value) in pairs {
            reader.read(key, value, game, folder)?;
        }
        reader.finish()
    }

    /// Whether it evaluates positions.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        match &self.mcts {
            Some(settings) => settings.evaluates(),
            None => self.kind.entry().keys.contains(&"weights"),
        }
    }

    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A minimax agent without a depth; a search without its limit; an external agent without a
    /// command; an evaluation without built-in weights.
    pub fn complete<P: Game>(mut self) -> Result<Self, InputError> {
        if self.kind == Kind::Minimax && self.depth.is_none() {
            return Err(InputError::new(format!(
                "agent \"{self}\" needs a depth, as in minimax:depth=5"
            )));
        }
        let limits = self.kind.entry().limits;
        if !limits.is_empty() && self.limit.is_none() {
            return Err(InputError::new(format!("agent \"{self}\" needs a limit: {limits}")));
        }
        if self.kind == Kind::External && self.external.is_none() {
            return Err(InputError::new(
                "an external agent needs cmd=\"PROGRAM ARGUMENTS\" and protocol=theaigames|codingame",
            ));
        }
        if self.evaluates() && self.weights.is_none() {
            let evaluation = match &self.evaluation {
                Some(name) => name.as_str(),
                None => P::layouts()[0].name,
            };
            self.weights = Some(builtin::strongest(evaluation).ok_or_else(|| {
                InputError::new(format!("no weights for {evaluation} are built in; give weights="))
            })?);
        }
        Ok(self)
    }

    /// The same agent with other weights.
    #[must_use]
    pub fn with_weights(&self, weights: Weights) -> Self {
        Self { evaluation: None, weights: Some(weights), ..self.clone() }
    }

    /// The same agent at a depth, unless it has its own.
    #[must_use]
    pub fn with_default_depth(&self, depth: u32) -> Self {
        let depth =
            if self.kind == Kind::Minimax { self.depth.or(Some(depth)) } else { self.depth };
        Self { depth, ..self.clone() }
    }

    /// The layout of its evaluation, where it has one.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights.as_ref().map(Weights::layout)
    }
}

/// Reads a spec key by key.
struct Reader {
    spec: AgentSpec,
    seen: Vec<String>,
    command: Option<String>,
    protocol: Option<Protocol>,
    time_scale: Option<f64>,
}

impl Reader {
    fn new(kind: &str) -> Result<Self, InputError> {
        let entry = Kind::ALL.iter().find(|entry| entry.name == kind);
        let entry = entry.ok_or_else(|| InputError::new(unknown("agent", kind, &Kind::names())))?;
        Ok(Self {
            spec: AgentSpec::new(entry.kind),
            seen: Vec::new(),
            command: None,
            protocol: None,
            time_scale: None,
        })
    }

    fn read(
        &mut self,
        key: &str,
        value: &str,
        game: &str,
        folder: &Path,
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
            "eval" => spec.evaluation = Some(find_layout(game, value)?.name.into()),
            "weights" => spec.weights = Some(Weights::find(value, game, folder)?),
            "first_move" => {
                spec.first_move = match value {
                    "search" => FirstMove::Search,
                    "centre" => FirstMove::Centre,
                    _ => return Err(wrong("search or centre")),
                }
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
            _ => {
                let settings = spec.mcts.get_or_insert_default();
                settings.set(key, value).map_err(|expected| wrong(&expected))?;
            }
        }
        Ok(())
    }

    /// What only all keys together tell.
    fn finish(self) -> Result<AgentSpec, InputError> {
        let Self { mut spec, command, protocol, time_scale, .. } = self;
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

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.entry().name)?;
        let mut separator = ':';
        let mut key = |f: &mut fmt::Formatter<'_>, name: &str, value: &str| {
            write!(f, "{separator}{name}={}", quote(value))?;
            separator = ',';
            Ok(())
        };
        if let Some(External { command, protocol }) = &self.external {
            key(f, "cmd", command)?;
            key(f, "protocol", &protocol.to_string())?;
        }
        if let Some(settings) = &self.mcts {
            let default = Settings::default();
            for name in Settings::KEYS {
                let value = settings.get(name);
                if let Some(value) = &value
                    && (matches!(name, "tree" | "playout")
                        || default.get(name) != Some(value.clone()))
                {
                    key(f, name, value)?;
                }
            }
        }
        if let Some(limit) = self.limit {
            for (name, value) in limit.pairs() {
                key(f, name, &value)?;
            }
        }
        if let Some(depth) = self.depth {
            key(f, "depth", &depth.to_string())?;
        }
        if let Some(size) = self.table {
            key(f, "table", &size.to_string())?;
        }
        if let Some(evaluation) = self.layout().map(|l| l.name).or(self.evaluation.as_deref()) {
            key(f, "eval", evaluation)?;
        }
        if let Some(weights) = &self.weights {
            key(f, "weights", &weights.name)?;
        }
        if self.first_move == FirstMove::Centre {
            key(f, "first_move", "centre")?;
        }
        if let Some(seed) = self.seed {
            key(f, "seed", &seed.to_string())?;
        }
        Ok(())
    }
}

/// The parts of `a=1,b="x,y"` between commas that are outside quotes.
fn split_outside_quotes(text: &str) -> Result<Vec<&str>, InputError> {
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

fn unquote(value: &str) -> String {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value).to_string()
}

fn quote(value: &str) -> String {
    if value.contains([',', ' ', '=']) { format!("\"{value}\"") } else { value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Uttt;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<AgentSpec, String> {
        AgentSpec::parse(text, "uttt", Path::new("")).map_err(|error| error.to_string())
    }

    #[test]
    fn text_forms_round_trip() {
        for text in [
            "random",
            "random:seed=4",
            "reflex",
            "greedy:eval=simple,weights=liang-simple",
            "minimax:depth=7,eval=comprehensive,weights=liang-comprehensive,first_move=centre",
            "minimax:depth=3,eval=advanced,weights=liang-default,seed=9",
            "iterative:nodes=5000,depth=9,table=16,eval=advanced,weights=liang-default",
            "iterative:time=100ms,eval=simple,weights=liang-simple",
            "iterative:clock=theaigames,time_scale=0.05",
            "mcts:tree=uct,playout=random,iterations=25000",
            "mcts:tree=uct,playout=random,time=1s500ms",
            "mcts:tree=rave,playout=ept,c=0.7,boundary=0.5,threads=2,parallel=tree,clock=theaigames",
            "external:cmd=\"java -cp bots, Bot 7\",protocol=theaigames,time=1s",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_open_is_filled_with_the_strongest() {
        let complete =
            |text: &str| parse(text).and_then(|s| s.complete::<Uttt>().map_err(|e| e.to_string()));
        assert_eq!(
            complete("minimax:depth=2,eval=comprehensive").unwrap().to_string(),
            "minimax:depth=2,eval=comprehensive,weights=liang-comprehensive"
        );
        assert_eq!(
            complete("minimax:depth=2,weights=liang-simple").unwrap().to_string(),
            "minimax:depth=2,eval=simple,weights=liang-simple"
        );
        assert!(complete("minimax:eval=simple").unwrap_err().contains("needs a depth"));
        assert!(complete("mcts:c=1").unwrap_err().contains("needs a limit: iterations=25000"));
        assert!(complete("iterative").unwrap_err().contains("nodes=100000"));
        assert!(complete("external").unwrap_err().contains("needs cmd="));
        assert_eq!(
            complete("mcts:playout=ept,iterations=9,eval=comprehensive").unwrap().to_string(),
            "mcts:tree=uct,playout=ept,iterations=9,eval=comprehensive,weights=liang-comprehensive"
        );
    }

    #[test]
    fn errors_list_what_is_known() {
        for (text, expected) in [
            (
                "minmax",
                "did you mean \"minimax\"? Known: random, reflex, greedy, minimax, iterative, mcts, external",
            ),
            ("minimax:dept=3", "did you mean \"depth\"?"),
            ("random:depth=3", "Known: seed"),
            ("minimax:depth=0", "depth: expected a number of plies from 1 to 32, found \"0\""),
            ("minimax:depth=3,depth=3", "given twice"),
            ("minimax:depth", "is not KEY=VALUE"),
            ("minimax:weights=liang-defaul", "did you mean \"liang-default\"?"),
            ("minimax:weights=./none.toml", "./none.toml: cannot be read"),
            ("minimax:eval=advance", "did you mean \"advanced\"?"),
            ("minimax:eval=simple,weights=liang-default", "does not go with weights liang-default"),
            ("minimax:weights=\"x", "quote"),
            ("minimax:first_move=corner", "search or centre"),
            ("random:seed=-1", "a whole number"),
            ("iterative:nodes=5,time=1s", "two are given"),
            ("iterative:nodes=0", "nodes: expected a whole number from 1, found \"0\""),
            ("iterative:time=0.1", "a time from 1ms to 1h"),
            ("iterative:clock=chess", "unknown clock \"chess\". Known: theaigames, codingame"),
            ("iterative:nodes=5,time_scale=2", "goes with clock="),
            ("mcts:playout=heavy", "playout: expected random, win-first, ept, partial, total"),
            ("mcts:c=-1", "c: expected a number from 0, found \"-1\""),
            ("mcts:c=NaN", "a number from 0"),
            ("mcts:iterations=10,weights=liang-default", "nothing in this search evaluates"),
            ("mcts:draw=2", "a number from 0 to 1"),
            ("mcts:treee=uct", "did you mean \"tree\"?"),
            ("external:protocol=theaigames", "needs cmd="),
            ("external:cmd=x,protocol=gtp", "expected theaigames or codingame"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn quotes_hold_commas() {
        assert_eq!(
            split_outside_quotes("a=1,b=\"x, y\",c=2").unwrap(),
            ["a=1", "b=\"x, y\"", "c=2"]
        );
    }

    #[test]
    fn the_kinds_stand_in_the_order_of_their_table() {
        for (index, entry) in Kind::ALL.iter().enumerate() {
            assert_eq!(entry.kind as usize, index);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = parse(&text);
        }

        #[test]
        fn no_near_miss_panics(text in "(minimax|random|greedy):((depth|eval|weights|seed|first_move)=[a-z0-9\"./,=-]{0,8},?){0,4}") {
            let _ = parse(&text);
        }
    }
}
