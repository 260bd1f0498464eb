//! Agents: what picks a move, and the plain data that describes it.
//!
//! An [`AgentSpec`] is text (`minimax:depth=7,weights=liang-default`) or a TOML table with the same
//! keys. Prepared for a game it becomes an [`AgentFactory`], which holds what games share (tables of
//! an evaluator) and gives every game a fresh [`Agent`] with a generator of its own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::eval::{Evaluator, EvaluatorVisitor, Game, WeightLayout};
use crate::input::{InputError, Table, unknown};
use crate::position::Position;
use crate::search::minimax::{self, MAX_DEPTH, Minimax};
use crate::seed::Generator;
use crate::weights::{Weights, builtin, find_layout};

/// Picks moves for one side of one game.
pub trait Agent<P: Position>: Send {
    /// The move to play in a position that is not over.
    fn choose(&mut self, position: &P) -> Choice<P::Move>;
}

/// A move and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Positions searched for it.
    pub nodes: u64,
}

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
}

impl Kind {
    /// Every kind with its name and the keys it takes.
    const ALL: [(&'static str, Self, &'static [&'static str]); 4] = [
        ("random", Self::Random, &["seed"]),
        ("reflex", Self::Reflex, &["seed"]),
        ("greedy", Self::Greedy, &["eval", "weights", "first_move", "seed"]),
        ("minimax", Self::Minimax, &["depth", "eval", "weights", "first_move", "seed"]),
    ];

    /// The keys that tables of agents may hold, whatever the kind.
    pub const KEYS: [&'static str; 6] = ["kind", "depth", "eval", "weights", "first_move", "seed"];

    const fn entry(self) -> &'static (&'static str, Self, &'static [&'static str]) {
        &Self::ALL[self as usize]
    }

    /// Whether agents of this kind evaluate positions.
    #[must_use]
    pub fn evaluates(self) -> bool {
        self.entry().2.contains(&"weights")
    }
}

/// An agent as plain data. What a spec leaves open (depth, weights) is for its context to fill: a
/// stage of an evolution, or [`complete`](Self::complete).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// What it is.
    pub kind: Kind,
    /// The depth of its search in plies, for minimax.
    pub depth: Option<u32>,
    /// The evaluation, where the spec names it without weights.
    pub evaluation: Option<String>,
    /// The weights of its evaluation.
    pub weights: Option<Weights>,
    /// How it opens a game.
    pub first_move: FirstMove,
    /// Its own seed instead of the match's.
    pub seed: Option<u64>,
}

impl AgentSpec {
    /// Reads the text form. Weights are built-in names, or paths relative to `folder`.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse(text: &str, game: &str, folder: &Path) -> Result<Self, InputError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut pairs = Vec::new();
        for part in split_outside_quotes(rest)? {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                InputError::new(format!("\"{}\" is not KEY=VALUE", part.escape_debug()))
            })?;
            pairs.push((key.trim().to_string(), unquote(value.trim()).to_string()));
        }
        let pairs: Vec<(&str, String)> =
            pairs.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        Self::from_pairs(kind.trim(), &pairs, game, folder).map_err(|error| match error.file {
            None => error.context(&format!("agent \"{}\"", text.escape_debug())),
            Some(_) => error,
        })
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
        // Errors of a single key get that key's line.
        Self::from_pairs(kind, &[], game, folder)
            .map_err(|error| table.error("kind", error.message))?;
        for pair in &pairs {
            if pair.0 != "weights" {
                Self::from_pairs(kind, std::slice::from_ref(pair), game, folder)
                    .map_err(|error| table.error(pair.0, error.message))?;
            }
        }
        Self::from_pairs(kind, &pairs, game, folder).map_err(|error| table.error("weights", error))
    }

    fn from_pairs(
        kind: &str,
        pairs: &[(&str, String)],
        game: &str,
        folder: &Path,
    ) -> Result<Self, InputError> {
        let Some((_, kind, keys)) = Kind::ALL.iter().find(|(name, ..)| *name == kind) else {
            return Err(InputError::new(unknown("agent", kind, &Kind::ALL.map(|(name, ..)| name))));
        };
        let mut spec = Self {
            kind: *kind,
            depth: None,
            evaluation: None,
            weights: None,
            first_move: FirstMove::default(),
            seed: None,
        };
        for (index, (key, value)) in pairs.iter().enumerate() {
            if !keys.contains(key) {
                return Err(InputError::new(unknown("key", key, keys)));
            }
            if pairs[..index].iter().any(|(earlier, _)| earlier == key) {
                return Err(InputError::new(format!("key \"{key}\" is given twice")));
            }
            let wrong = |expected: &str| {
                let value: String = value.chars().take(40).collect();
                InputError::new(format!(
                    "{key}: expected {expected}, found \"{}\"",
                    value.escape_debug()
                ))
            };
            match *key {
                "depth" => {
                    let depth = value.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
                    let expected = format!("a number of plies from 1 to {MAX_DEPTH}");
                    spec.depth = Some(depth.ok_or_else(|| wrong(&expected))?);
                }
                "eval" => spec.evaluation = Some(find_layout(game, value)?.name.into()),
                "weights" => spec.weights = Some(Weights::find(value, game, folder)?),
                "first_move" => {
                    spec.first_move = match value.as_str() {
                        "search" => FirstMove::Search,
                        "centre" => FirstMove::Centre,
                        _ => return Err(wrong("search or centre")),
                    }
                }
                _ => {
                    let seed = value.parse().map_err(|_| wrong("a whole number from 0"))?;
                    spec.seed = Some(seed);
                }
            }
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
        Ok(spec)
    }

    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A minimax agent without a depth; an evaluation without built-in weights.
    pub fn complete<P: Game>(mut self) -> Result<Self, InputError> {
        if self.kind == Kind::Minimax && self.depth.is_none() {
            return Err(InputError::new(format!(
                "agent \"{self}\" needs a depth, as in minimax:depth=5"
            )));
        }
        if self.kind.evaluates() && self.weights.is_none() {
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
        let depth = if self.kind == Kind::Minimax { self.depth.or(Some(depth)) } else { None };
        Self { depth, ..self.clone() }
    }

    /// The layout of its evaluation, where it has one.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights.as_ref().map(Weights::layout)
    }

    /// Builds what its games share.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub fn prepare<P: Game>(&self) -> Result<AgentFactory<P>, InputError> {
        let spec = self.clone().complete::<P>()?;
        let label = spec.to_string();
        let own_seed = spec.seed;
        let spawn: Spawn<P> = match (spec.kind, &spec.weights) {
            (Kind::Random, _) => {
                Arc::new(|seed| Box::new(RandomAgent { generator: Generator::seed_from_u64(seed) }))
            }
            (Kind::Greedy | Kind::Minimax, Some(weights)) => {
                let depth = spec.depth.unwrap_or(1);
                let visitor = SearchVisitor { depth, first_move: spec.first_move };
                P::with_evaluator(weights.layout(), weights.values(), visitor)
                    .map_err(|error| InputError::new(format!("agent \"{label}\": {error}")))?
            }
            _ => Arc::new(|_| Box::new(ReflexAgent)),
        };
        Ok(AgentFactory { label, own_seed, spawn })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.entry().0)?;
        let mut separator = ':';
        let mut key = |f: &mut fmt::Formatter<'_>, name: &str, value: String| {
            write!(f, "{separator}{name}={value}")?;
            separator = ',';
            Ok(())
        };
        if let Some(depth) = self.depth {
            key(f, "depth", depth.to_string())?;
        }
        if let Some(evaluation) = self.layout().map(|l| l.name).or(self.evaluation.as_deref()) {
            key(f, "eval", evaluation.into())?;
        }
        if let Some(weights) = &self.weights {
            key(f, "weights", quote(&weights.name))?;
        }
        if self.first_move == FirstMove::Centre {
            key(f, "first_move", "centre".into())?;
        }
        if let Some(seed) = self.seed {
            key(f, "seed", seed.to_string())?;
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

fn unquote(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

fn quote(value: &str) -> String {
    if value.contains([',', ' ', '=']) { format!("\"{value}\"") } else { value.into() }
}

type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// Makes a fresh agent for each game.
#[derive(Clone)]
pub struct AgentFactory<P> {
    label: String,
    own_seed: Option<u64>,
    spawn: Spawn<P>,
}

impl<P> fmt::Debug for AgentFactory<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentFactory({})", self.label)
    }
}

impl<P: Position> AgentFactory<P> {
    /// A factory of agents that are no [`AgentSpec`]; `spawn` turns a seed into an agent.
    pub fn custom<A: Agent<P> + 'static>(
        label: impl Into<String>,
        spawn: impl Fn(u64) -> A + Send + Sync + 'static,
    ) -> Self {
        Self {
            label: label.into(),
            own_seed: None,
            spawn: Arc::new(move |seed| Box::new(spawn(seed))),
        }
    }

    /// The text form of its spec, complete.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The seed that stands in for the match's, if the spec has one.
    #[must_use]
    pub const fn own_seed(&self) -> Option<u64> {
        self.own_seed
    }

    /// A fresh agent whose random numbers come from a seed.
    #[must_use]
    pub fn spawn(&self, seed: u64) -> Box<dyn Agent<P>> {
        (self.spawn)(seed)
    }
}

struct RandomAgent {
    generator: Generator,
}

impl<P: Position> Agent<P> for RandomAgent {
    fn choose(&mut self, position: &P) -> Choice<P::Move> {
        let index = self.generator.random_range(0..position.legal_move_count() as u32);
        let mut moves = position.legal_moves().skip(index as usize);
        Choice { mv: moves.next().expect("the index is below the count"), nodes: 0 }
    }
}

struct ReflexAgent;

impl<P: Position> Agent<P> for ReflexAgent {
    fn choose(&mut self, position: &P) -> Choice<P::Move> {
        Choice { mv: position.legal_moves().next().expect("the game is not over"), nodes: 0 }
    }
}

/// Minimax, and greedy as minimax one ply deep.
struct MinimaxAgent<E> {
    evaluator: Arc<E>,
    depth: u32,
    first_move: FirstMove,
    generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for MinimaxAgent<E> {
    fn choose(&mut self, position: &P) -> Choice<P::Move> {
        if self.first_move == FirstMove::Centre
            && let Some(mv) = P::centre_move()
            && *position == P::start(position.rules())
        {
            return Choice { mv, nodes: 0 };
        }
        let analysis = Minimax::new(&*self.evaluator).analyse(position, self.depth);
        let mv = minimax::choose(position, &analysis, &mut self.generator);
        Choice { mv, nodes: analysis.nodes }
    }
}

struct SearchVisitor {
    depth: u32,
    first_move: FirstMove,
}

impl<P: Game> EvaluatorVisitor<P> for SearchVisitor {
    type Output = Spawn<P>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Spawn<P> {
        let evaluator = Arc::new(evaluator);
        Arc::new(move |seed| {
            Box::new(MinimaxAgent {
                evaluator: Arc::clone(&evaluator),
                depth: self.depth,
                first_move: self.first_move,
                generator: Generator::seed_from_u64(seed),
            })
        })
    }
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
    }

    #[test]
    fn errors_list_what_is_known() {
        for (text, expected) in [
            ("minmax", "did you mean \"minimax\"? Known: random, reflex, greedy, minimax"),
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
        for (index, (_, kind, keys)) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert!(keys.iter().all(|key| Kind::KEYS.contains(key)));
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
