//! Games between agents: openings, one game, and matches of many.

mod game;
mod matches;
pub mod openings;

pub use game::{Forfeit, GameRecord, SideStats, play_game};
pub use matches::{
    Contest, ForfeitedGame, GameTask, MAX_GAMES, MOST_FORFEITS, MatchResult, MatchSettings,
    Schedule, Summary, play_match, play_task,
};
pub use openings::{Opening, Openings};
