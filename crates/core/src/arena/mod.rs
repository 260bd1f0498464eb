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
#[doc(hidden)]
pub use book::BookRange;
pub use counts::PlayedMatch;
#[doc(hidden)]
pub use evidence::{EvidenceCount, Periodic, Seen};
pub use executor::{Detail, Executor, ExecutorError, OnGames, Unit, UnitResult, UnitSink, Work};
#[doc(hidden)]
pub use executor::{none_if_stopped, play_in_order};
pub use forfeits::MostlyForfeited;
#[doc(hidden)]
pub use forfeits::{CountForfeits, KeptForfeits, NeverPlayed, restarts};
pub use game::{Forfeit, GameRecord, MoveCost, SideStats, play_game, play_game_traced};
#[doc(hidden)]
pub use lock::lock;
pub use matches::Contest;
#[doc(hidden)]
pub use matches::play_task;
#[doc(hidden)]
pub use openings::Split;
pub use openings::{Opening, Openings};
pub use plan::MatchPlan;
pub use ready::{play_match, play_match_traced};
pub use result::{Fingerprint, GameMoves, GameResult, Side};
#[doc(hidden)]
pub use schedule::GameTask;
pub use schedule::Schedule;
pub use settings::{MAX_GAMES, MatchSettings};
pub use summary::{ForfeitedGame, MatchResult, Summary};
pub use threads::Threads;
pub use tournament::{
    Entrant, Format, MAX_TOURNAMENT_GAMES, PairingResult, Tournament, TournamentError,
    TournamentPlan,
};
#[doc(hidden)]
pub use tournament_log::{GameLog, GameRow};
pub use trace::GameTrace;
