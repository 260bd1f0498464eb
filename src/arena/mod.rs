//! Games between agents: openings, one game, matches of many, and tournaments of matches.

mod game;
mod matches;
pub mod openings;
mod plan;
mod schedule;
mod sequential;
mod tournament;
mod tournament_log;
mod trace;

pub use game::{Forfeit, GameRecord, SideStats, play_game, play_game_traced};
pub use matches::{
    Contest, ForfeitedGame, MAX_GAMES, MOST_FORFEITS, MatchResult, MatchSettings, Played, Summary,
    play_match, play_task,
};
pub use openings::{Opening, Openings};
pub use plan::{MatchPlan, PlayedMatch};
pub use schedule::{GameTask, Schedule};
pub use sequential::play_until_decided;
pub use tournament::{
    Entrant, Format, MAX_TOURNAMENT_GAMES, PairingResult, Tournament, TournamentError,
    TournamentPlan,
};
pub use tournament_log::{GameLog, GameRow};
pub use trace::{GameTrace, MoveCost, play_match_traced};
