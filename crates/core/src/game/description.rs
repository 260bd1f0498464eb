//! A game: its rules, its evaluations, and its description.

use std::any::Any;
use std::collections::HashSet;

use super::notation::shorten;
use super::{
    Board, Evaluator, NotationError, OpeningSet, Position, Searchable, WeightLayout, WeightsError,
    valuation,
};

/// A game: the rules of its [`Position`], its evaluations, and its description.
pub trait Game: Searchable {
    /// Its description: name, evaluations, built-in weights, rules.
    const INFO: &'static GameInfo;

    /// The move that the `centre` opening plays, if the game has one.
    fn centre_move() -> Option<Self::Move> {
        None
    }

    /// The sets of first moves that opening theory recommends, for agents that play by them; none by default.
    fn opening_sets() -> &'static [OpeningSet<Self::Move>] {
        &[]
    }

    /// The squares of the position, for pages that lay them out; by default pages show the drawing and a list of legal moves.
    fn board(&self) -> Option<Board<Self::Move>> {
        None
    }

    /// The position as its `Display` draws it, with the last move marked, if one is given; by default nothing is marked.
    fn drawing(&self, _last: Option<Self::Move>) -> String {
        self.to_string()
    }

    /// What other parts of a program know of the game, each found by its type: what platforms call its moves,
    /// [`Formulas`](super::Formulas), [`Pgn`](super::Pgn). A game that only plays here has none.
    fn extensions() -> &'static [Extension] {
        &[]
    }

    /// When its games end before the board ends them, by the rules; never by default.
    fn adjudication(_rules: Self::Rules) -> Adjudication {
        Adjudication::default()
    }

    /// Builds the evaluator of a layout and its values, and hands it to a visitor that is generic over its type.
    /// This is the one place where an evaluation chosen at run time becomes a type. By default the game has no evaluation; a
    /// game that lists one has to implement it.
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        _values: &[f64],
        _visitor: V,
    ) -> Result<V::Output, WeightsError> {
        Err(WeightsError(format!("{} builds no evaluation {}", Self::INFO.name, layout.name)))
    }
}

/// Something that a part of a program knows of a game: see [`Game::extensions`].
pub type Extension = &'static (dyn Any + Send + Sync);

/// When a game ends before the board ends it. By default never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Adjudication {
    /// When a game counts as won.
    pub resign: Option<Resign>,
    /// When a game counts as drawn.
    pub draw: Option<DrawAgreed>,
    /// The most plies of a game, those of its opening included; then it is a draw.
    pub max_plies: Option<u32>,
}

/// A game is lost when an agent has said for some moves that it is worth at most `-score` to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resign {
    /// The value, in the units of the agents: centipawns for UCI engines.
    pub score: u32,
    /// For how many moves of each side in succession.
    pub moves: u32,
    /// Whether the winner must have said for as many moves that it is worth at least `score` to it. One agent alone may be
    /// wrong, above all where its values are what is being evolved.
    pub two_sided: bool,
}

/// A game is drawn when both agents have said for some moves that it is worth at most `score` to either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawAgreed {
    /// The value, as for [`Resign`].
    pub score: u32,
    /// For how many moves of each side in succession.
    pub moves: u32,
    /// The moves of each side before the first such end.
    pub from: u32,
}

/// Work to do with an evaluator whose type only [`Game::with_evaluator`] knows.
pub trait EvaluatorVisitor<P: Position> {
    /// The result.
    type Output;

    /// Receives the evaluator.
    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Self::Output;
}

/// The description of a game, beyond its rules: [`Game::INFO`].
///
/// A game without rule variants or built-in weights needs only a name and layouts: see [`GameInfo::new`], and `examples/own_game`.
#[derive(Debug)]
pub struct GameInfo {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// Its evaluations, the default first; none for a game that only outside programs evaluate.
    pub layouts: &'static [&'static WeightLayout],
    /// The agent that plays it best, to which a limit is added, such as `mcts` or `pvs:weights=NAME`: it plays by default.
    pub strongest: &'static str,
    /// Where a rule such as `no_line=most_boards` is in force: the agent that plays best instead.
    pub strongest_under: &'static [(&'static str, &'static str)],
    /// Its built-in weights, the strongest of each evaluation first.
    pub vectors: &'static [BuiltInWeights],
    /// The names of the built-in weights that a validation plays against by default.
    pub pool: &'static [&'static str],
    /// An upper bound, itself excluded, of the move numbers in files: [`Position::MOVE_INDICES`].
    pub move_indices: usize,
    /// The keys of its rules; empty for a game without variants.
    pub rule_keys: &'static [RuleKey],
    /// The depths of the two stages of a first evolution, in plies: a game at the second takes some milliseconds.
    pub first_depths: [u32; 2],
    /// Functions that need the game's type: see the methods.
    pub typed: Typed,
}

/// Functions of a game's type behind [`GameInfo`]'s methods.
#[derive(Debug)]
pub struct Typed {
    has_centre: fn() -> bool,
    opening_sets: fn() -> Vec<&'static str>,
    extensions: fn() -> &'static [Extension],
    check_rules: fn(&str) -> Result<String, NotationError>,
    check_start: fn(&str, &str) -> Result<StartPosition, NotationError>,
    of_position_alone: fn(&'static WeightLayout) -> bool,
}

/// A position from which a game may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartPosition {
    /// In its standard notation.
    pub notation: String,
    /// Its [canonical key](Position::canonical_key).
    pub canonical_key: u64,
}

/// A key of a game's rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleKey {
    /// What `--rules` and configs call it.
    pub name: &'static str,
    /// Its values, the default first, as in `draw|most_boards`.
    pub values: &'static str,
}

/// Weights that are compiled in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInWeights {
    /// Their name.
    pub name: &'static str,
    /// The text of their weight file.
    pub toml: &'static str,
}

impl GameInfo {
    /// A game with a name and evaluations, and nothing else.
    pub const fn new<P: Game>(
        name: &'static str,
        layouts: &'static [&'static WeightLayout],
    ) -> Self {
        let typed = Typed {
            has_centre: || P::centre_move().is_some(),
            opening_sets: || P::opening_sets().iter().map(|set| set.name).collect(),
            extensions: P::extensions,
            check_rules: |rules| Ok(rules.parse::<P::Rules>()?.to_string()),
            check_start: check_start::<P>,
            of_position_alone: |layout| {
                let zero = valuation::<P>(layout, &vec![0.0; layout.len()]);
                zero.is_ok_and(|zero| zero.is_of_position_alone())
            },
        };
        Self {
            name,
            layouts,
            strongest: "mcts",
            strongest_under: &[],
            vectors: &[],
            pool: &[],
            move_indices: P::MOVE_INDICES,
            rule_keys: &[],
            first_depths: [3, 5],
            typed,
        }
    }

    /// The game of a runner: a program plays it, and tictune knows neither its rules nor its positions.
    pub const OUTSIDE: &'static Self = &Self {
        name: "runner",
        layouts: &[],
        strongest: "runner",
        strongest_under: &[],
        vectors: &[],
        pool: &[],
        move_indices: 0,
        rule_keys: &[],
        first_depths: [1, 1],
        typed: Typed {
            has_centre: || false,
            opening_sets: Vec::new,
            extensions: || &[],
            check_rules: |_| Ok(String::new()),
            check_start: |_, _| {
                Err(NotationError("tictune does not know the positions of a runner's game".into()))
            },
            of_position_alone: |_| false,
        },
    };

    /// Whether it is [that of a runner](Self::OUTSIDE).
    pub fn is_outside(&self) -> bool {
        self.name == Self::OUTSIDE.name
    }

    /// Whether it has [a move that the `centre` opening plays](Game::centre_move).
    pub fn has_centre(&self) -> bool {
        (self.typed.has_centre)()
    }

    /// The names of its [sets of opening moves](Game::opening_sets).
    pub fn opening_sets(&self) -> Vec<&'static str> {
        (self.typed.opening_sets)()
    }

    /// Its [extension](Game::extensions) of a type.
    pub fn extension<T: Any>(&self) -> Option<&'static T> {
        (self.typed.extensions)().iter().find_map(|extension| extension.downcast_ref())
    }

    /// Whether an evaluation of the game looks at positions alone, not at the moves that led there: see
    /// [`Evaluator::OF_POSITION_ALONE`](Evaluator::OF_POSITION_ALONE).
    pub fn of_position_alone(&self, layout: &'static WeightLayout) -> bool {
        (self.typed.of_position_alone)(layout)
    }

    /// Panics unless the layouts name the game, and differ in their names.
    pub fn assert_consistent(&self) {
        let mut names = HashSet::new();
        for WeightLayout { game, name, .. } in self.layouts {
            assert_eq!(*game, self.name, "the evaluation {name} names another game than its own");
            assert!(names.insert(name), "the game {game} has two evaluations called {name}");
        }
    }

    /// Its variants in words: the keys with their values.
    pub fn rules_in_words(&self) -> String {
        if self.rule_keys.is_empty() {
            return format!("{} has none", self.name);
        }
        let keys: Vec<String> =
            self.rule_keys.iter().map(|key| format!("{}={}", key.name, key.values)).collect();
        format!("{} for {}", keys.join(", "), self.name)
    }

    /// Reads rules, `KEY=VALUE,...`, and returns them in their standard text form.
    pub fn check_rules(&self, rules: &str) -> Result<String, NotationError> {
        if self.rule_keys.is_empty() && !rules.trim().is_empty() {
            let (name, shown) = (self.name, shorten(rules));
            let message = format!("the rules of {name} have no variants: leave \"{shown}\" out");
            return Err(NotationError(message));
        }
        let mut seen = HashSet::new();
        let mut keys = rules.split(',').filter_map(|part| Some(part.split_once('=')?.0.trim()));
        if let Some(key) = keys.find(|key| !seen.insert(*key)) {
            return Err(NotationError(format!("{key} is given twice")));
        }
        (self.typed.check_rules)(rules)
    }

    /// Reads a position from which a game may start, in which it is not over.
    pub fn check_start(&self, position: &str, rules: &str) -> Result<StartPosition, NotationError> {
        (self.typed.check_start)(position, rules)
    }
}

fn check_start<P: Position>(position: &str, rules: &str) -> Result<StartPosition, NotationError> {
    let position = P::from_notation(position, rules.parse()?)?;
    if position.outcome().is_some() {
        return Err(NotationError("the game is over in this position".into()));
    }
    Ok(StartPosition { notation: position.notation(), canonical_key: position.canonical_key() })
}
