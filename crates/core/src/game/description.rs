//! A game: its rules, its evaluations, and its description.

use std::any::{Any, TypeId};

use super::text::shorten;
use super::{
    Adjudication, Board, Evaluator, NotationError, OpeningSet, Position, WeightLayout, WeightsError,
};

/// A game: the rules of its [`Position`], its evaluations, and its description.
pub trait Game: Position {
    /// Its description: name, evaluations, built-in weights, rules.
    const INFO: &'static GameInfo;

    /// The move that the `centre` opening plays, if the game has one.
    #[must_use]
    fn centre_move() -> Option<Self::Move> {
        None
    }

    /// The sets of first moves that opening theory recommends, for agents that play by them; none by default.
    #[must_use]
    fn opening_sets() -> &'static [OpeningSet<Self::Move>] {
        &[]
    }

    /// The squares of the position, for pages that lay them out; by default there are none, and pages show the drawing and a list
    /// of the legal moves.
    #[must_use]
    fn board(&self) -> Option<Board<Self::Move>> {
        None
    }

    /// What other parts of a program know of the game, found by its type: such as what platforms call its moves.
    /// A game that only plays here has none.
    #[must_use]
    fn extension(_of: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        None
    }

    /// When its games end before the board ends them, by the rules; never by default.
    #[must_use]
    fn adjudication(_rules: Self::Rules) -> Adjudication {
        Adjudication::default()
    }

    /// Builds the evaluator of a layout and its values, and hands it to a visitor that is generic over its type.
    /// This is the one place where an evaluation chosen at run time becomes a type.
    ///
    /// # Errors
    /// The values do not fit the layout.
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError>;
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
/// A game without rule variants or built-in weights needs only a name and layouts:
///
/// ```
/// use tictune_core::game::{Game, GameInfo, Slot, WeightLayout};
///
/// const LINES: &WeightLayout = &WeightLayout {
///     game: "connect-four",
///     name: "lines",
///     description: "open lines by their number of marks",
///     slots: &[Slot { name: "two", description: "lines with two marks", greatest_count: 30 }],
/// };
///
/// const fn info<ConnectFour: Game>() -> GameInfo {
///     GameInfo::new::<ConnectFour>("connect-four", &[LINES])
/// }
/// ```
#[derive(Debug)]
pub struct GameInfo {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// Its evaluations, the default first; none for a game that only outside programs evaluate.
    pub layouts: &'static [&'static WeightLayout],
    /// The agent that plays it best, to which a limit is added, such as `mcts` or `pvs:weights=NAME`. It plays where no
    /// agent is named.
    pub strongest: &'static str,
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
    /// Whether it has [a move that the `centre` opening plays](Game::centre_move).
    pub centre: bool,
    /// The names of its [sets of opening moves](Game::opening_sets).
    pub opening_sets: &'static [&'static str],
    /// Writes moves as PGN has them, for a game that PGN knows.
    pub standard_moves: Option<StandardMoves>,
    /// Its evaluations in the language of exports; none for a game whose weights are exported as constants alone.
    pub formulas: Option<&'static Formulas>,
    /// Functions that need the game's type: see the methods.
    pub typed: Typed,
}

/// The evaluations of a game as `tictune export` writes them in other languages. The language is described in
/// `src/export/formula.rs`; `crates/games/src/qubic/formulas.txt` is an example.
#[derive(Clone, Copy, Debug)]
pub struct Formulas {
    /// A function for each evaluation.
    pub text: &'static str,
    /// How their first argument stands for a position, and what their value means.
    pub usage: &'static str,
    /// Arguments that only some of them take: the name, and a sentence about it.
    pub arguments: &'static [(&'static str, &'static str)],
    /// The rules that they assume.
    pub rules: &'static str,
    /// The tables that the text names, each of numbers from -1024 to 2944.
    pub tables: &'static [FormulaTable],
}

/// The name of a table, and what computes its numbers.
pub type FormulaTable = (&'static str, fn() -> Vec<i32>);

/// Writes a game from its start and its moves, both in notation, as PGN has it; `None` if they cannot be played.
pub type StandardMoves = fn(&str, &[String]) -> Option<StandardGame>;

/// A game as PGN has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandardGame {
    /// Its moves, as in `Nf3`.
    pub moves: Vec<String>,
    /// Why it is over on the board, if it is.
    pub ending: Option<String>,
}

/// Functions of a game's type behind [`GameInfo`]'s methods.
#[derive(Debug)]
pub struct Typed {
    check_rules: fn(&str) -> Result<String, NotationError>,
    check_start: fn(&str, &str) -> Result<Start, NotationError>,
    of_position_alone: fn(&'static WeightLayout) -> bool,
}

const UNKNOWN_POSITIONS: &str = "tictune does not know the positions of a runner's game";

/// A position from which a game may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// In its standard notation.
    pub notation: String,
    /// Its [canonical key](Position::canonical_key).
    pub canonical_key: u64,
}

/// A key of a game's rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleKey {
    /// Its name.
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
    #[must_use]
    pub const fn new<P: Game>(
        name: &'static str,
        layouts: &'static [&'static WeightLayout],
    ) -> Self {
        Self {
            name,
            layouts,
            strongest: "mcts",
            vectors: &[],
            pool: &[],
            move_indices: P::MOVE_INDICES,
            rule_keys: &[],
            first_depths: [3, 5],
            centre: false,
            opening_sets: &[],
            standard_moves: None,
            formulas: None,
            typed: Typed {
                check_rules: check_rules::<P>,
                check_start: check_start::<P>,
                of_position_alone: of_position_alone::<P>,
            },
        }
    }

    /// The game of a runner: a program plays it, and tictune knows neither its rules nor its positions.
    pub const OUTSIDE: &'static Self = &Self {
        name: "runner",
        layouts: &[],
        strongest: "runner",
        vectors: &[],
        pool: &[],
        move_indices: 0,
        rule_keys: &[],
        first_depths: [1, 1],
        centre: false,
        opening_sets: &[],
        standard_moves: None,
        formulas: None,
        typed: Typed {
            check_rules: |_| Ok(String::new()),
            check_start: |_, _| Err(NotationError(UNKNOWN_POSITIONS.into())),
            of_position_alone: |_| false,
        },
    };

    /// Whether it is [that of a runner](Self::OUTSIDE).
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.name == Self::OUTSIDE.name
    }

    /// Its default evaluation, if it has any.
    #[must_use]
    pub fn default_layout(&self) -> Option<&'static WeightLayout> {
        self.layouts.first().copied()
    }

    /// An evaluation by its name.
    #[must_use]
    pub fn layout(&self, name: &str) -> Option<&'static WeightLayout> {
        self.layouts.iter().copied().find(|layout| layout.name == name)
    }

    /// Whether an evaluation of the game looks at positions alone, not at the moves that led there: see
    /// [`Evaluator::OF_POSITION_ALONE`](Evaluator::OF_POSITION_ALONE).
    #[must_use]
    pub fn of_position_alone(&self, layout: &'static WeightLayout) -> bool {
        (self.typed.of_position_alone)(layout)
    }

    /// Checks what a game says of itself: its layouts name the game, and differ in their names. Programs check it when
    /// a game is added, since weight files could not be read otherwise.
    ///
    /// # Panics
    /// If something does not fit, with the layout.
    pub fn assert_consistent(&self) {
        for (index, layout) in self.layouts.iter().enumerate() {
            let (game, name) = (layout.game, layout.name);
            assert_eq!(game, self.name, "the evaluation {name} names another game than its own");
            let earlier = &self.layouts[..index];
            let twice = earlier.iter().any(|other| other.name == name);
            assert!(!twice, "the game {game} has two evaluations called {name}");
        }
    }

    /// Its variants in words: the keys with their values.
    #[must_use]
    pub fn rules_in_words(&self) -> String {
        if self.rule_keys.is_empty() {
            return format!("{} has none", self.name);
        }
        let keys: Vec<String> =
            self.rule_keys.iter().map(|key| format!("{}={}", key.name, key.values)).collect();
        format!("{} for {}", keys.join(", "), self.name)
    }

    /// Reads rules, `KEY=VALUE,...`, and returns them in their standard text form.
    ///
    /// # Errors
    /// Text that is no variant of the game's rules.
    pub fn check_rules(&self, rules: &str) -> Result<String, NotationError> {
        if self.rule_keys.is_empty() && !rules.trim().is_empty() {
            let (name, shown) = (self.name, shorten(rules));
            let message = format!("the rules of {name} have no variants: leave \"{shown}\" out");
            return Err(NotationError(message));
        }
        (self.typed.check_rules)(rules)
    }

    /// Reads a position from which a game may start.
    ///
    /// # Errors
    /// Text that is no position of the game, or one in which the game is over.
    pub fn check_start(&self, position: &str, rules: &str) -> Result<Start, NotationError> {
        (self.typed.check_start)(position, rules)
    }
}

fn check_rules<P: Position>(rules: &str) -> Result<String, NotationError> {
    Ok(rules.parse::<P::Rules>()?.to_string())
}

fn of_position_alone<P: Game>(layout: &'static WeightLayout) -> bool {
    /// Asks an evaluator's type.
    struct Ask;

    impl<P: Position> EvaluatorVisitor<P> for Ask {
        type Output = bool;

        fn visit<E: Evaluator<P>>(self, _: E) -> bool {
            E::OF_POSITION_ALONE
        }
    }

    P::with_evaluator(layout, &vec![0.0; layout.len()], Ask).unwrap_or(false)
}

fn check_start<P: Position>(position: &str, rules: &str) -> Result<Start, NotationError> {
    let position = P::from_notation(position, rules.parse()?)?;
    match position.outcome() {
        Some(_) => Err(NotationError("the game is over in this position".into())),
        None => {
            let canonical_key = position.canonical_key();
            Ok(Start { notation: position.notation(), canonical_key })
        }
    }
}
