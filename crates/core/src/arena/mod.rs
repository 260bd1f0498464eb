//! Games between agents: openings, single games, matches, tournaments, and the executor that plays them.

mod book;
#[doc(hidden)]
mod evidence;
mod executor;
mod fingerprint;
#[doc(hidden)]
mod forfeits;
mod game;
mod matches;
pub mod openings;
mod play_hash;
mod result;
mod schedule;
mod threads;
mod tournament;
#[doc(hidden)]
mod tournament_log;

use crate::game::{Game, NotationError};
use crate::input::{InputError, Result};

pub use book::Book;
#[doc(hidden)]
pub use book::BookRange;
pub use evidence::EvidenceCount;
pub use executor::{Calls, Detail, Executor, ExecutorError, OnGames, Unit, UnitSink, Work};
#[doc(hidden)]
pub use executor::{PartResults, lock, play_in_order};
pub use fingerprint::Fingerprint;
pub use forfeits::{CountForfeits, KeptForfeits, restarts};
#[doc(hidden)]
pub use game::play_task;
pub use game::{Contest, GameRecord, MoveCost, SideStats, play_game};
pub use matches::{MatchPlan, play_match, play_match_with};
#[doc(hidden)]
pub use openings::Split;
pub use openings::{Opening, Openings};
pub use result::{
    ForfeitedGame, GameMoves, GameResult, GameTrace, MatchResult, MostlyForfeited, Side, Summary,
};
#[doc(hidden)]
pub use schedule::GameTask;
pub use schedule::{MAX_GAMES, MatchSettings, Schedule};
pub use threads::{Threads, on_all_threads};
pub use tournament::{Entrant, PairingResult, Tournament, TournamentFormat, TournamentPlan};
pub use tournament_log::{GameLog, TournamentRow};

#[doc(hidden)]
pub fn rules_of<P: Game>(text: &str) -> Result<P::Rules> {
    text.parse().map_err(|error: NotationError| InputError::new(error.to_string()))
}
