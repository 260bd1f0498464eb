//! Games between agents: openings, one game, and matches of many.

mod game;
mod matches;
pub mod openings;
mod schedule;
mod sequential;

pub use game::{Forfeit, GameRecord, SideStats, play_game};
pub use matches::{
    Contest, ForfeitedGame, MAX_GAMES, MOST_FORFEITS, MatchResult, MatchSettings, Played, Summary,
    play_match, play_task,
};
pub use openings::{Opening, Openings};
pub use schedule::{GameTask, Schedule};
pub use sequential::play_until_decided;
