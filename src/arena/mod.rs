//! Games between agents: openings, single games, matches, tournaments, and the executor that plays them.

mod book;
mod counts;
mod evidence;
mod executor;
mod forfeits;
mod game;
mod judge;
mod lock;
mod matches;
pub mod openings;
mod plan;
mod play_hash;
mod ready;
mod result;
mod schedule;
mod sequential;
mod settings;
mod summary;
mod threads;
mod tournament;
mod tournament_log;
mod trace;

pub use book::Book;
pub(crate) use book::BookRange;
pub use counts::PlayedMatch;
pub(crate) use evidence::{EvidenceCount, Periodic, Seen};
pub use executor::{Detail, Executor, ExecutorError, OnGames, Unit, UnitResult, UnitSink, Work};
pub(crate) use executor::{play_in_order, unless_stopped};
pub use forfeits::MostlyForfeited;
pub(crate) use forfeits::{CountForfeits, KeptForfeits, NeverPlayed, restarts};
pub use game::{Forfeit, GameRecord, MoveCost, SideStats, play_game, play_game_traced};
pub(crate) use lock::lock;
pub use matches::Contest;
#[cfg(test)]
pub(crate) use matches::play_task;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use openings::Split;
pub use openings::{Opening, Openings};
pub use plan::MatchPlan;
pub use ready::{play_match, play_match_traced};
pub use result::{Fingerprint, GameMoves, GameResult, Side};
pub(crate) use schedule::GameTask;
pub use schedule::Schedule;
pub use settings::{MAX_GAMES, MatchSettings};
pub use summary::{ForfeitedGame, MatchResult, Summary};
pub use threads::Threads;
pub use tournament::{
    Entrant, Format, MAX_TOURNAMENT_GAMES, PairingResult, Tournament, TournamentError,
    TournamentPlan,
};
pub(crate) use tournament_log::{GameLog, GameRow};
pub use trace::GameTrace;
