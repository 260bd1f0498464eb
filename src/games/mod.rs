//! The games: a folder each, with all that is only about it.

pub mod qubic;
pub mod uttt;

pub use qubic::Qubic;
pub use uttt::Uttt;

/// Calls a macro of this file with its arguments and the types of all games, the default first.
macro_rules! games {
    ($macro:ident $arguments:tt) => {
        $crate::games::$macro! { $arguments [Uttt, Qubic] }
    };
}

/// Evaluates an expression with a name for the type of the game that is called so:
/// `by_game!(name, P => run::<P>(args))`. `None` if no game is.
macro_rules! by_game {
    ($name:expr, $P:ident => $body:expr) => {
        $crate::games::games! { match_name ($name, $P => $body) }
    };
}

macro_rules! match_name {
    (($name:expr, $P:ident => $body:expr) [$($Game:ident),*]) => {
        match $name {
            $(<$crate::games::$Game as $crate::game::Position>::GAME => {
                type $P = $crate::games::$Game;
                Some($body)
            })*
            _ => None,
        }
    };
}

macro_rules! names {
    (() [$($Game:ident),*]) => {
        [$(<$crate::games::$Game as $crate::game::Position>::GAME),*]
    };
}

pub(crate) use {by_game, games, match_name, names};

/// The names of all games; the first is meant where none is named.
pub const GAMES: &[&str] = &games!(names());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position;

    #[test]
    fn every_name_finds_its_game() {
        assert_eq!(GAMES, ["uttt", "qubic"]);
        for name in GAMES {
            assert_eq!(by_game!(*name, P => P::GAME), Some(*name));
        }
        assert_eq!(by_game!("chess", P => P::GAME), None);
    }
}
