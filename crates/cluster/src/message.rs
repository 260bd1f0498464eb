//! What drivers and workers say to each other.

use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use tictune_core::arena::GameResult;

/// What has to be equal in a driver and its workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    format: u32,
    tictune: String,
}

impl Version {
    pub(crate) fn of_this_program() -> Self {
        Self { format: 3, tictune: env!("CARGO_PKG_VERSION").into() }
    }

    pub fn refuse(&self, who: &str) -> Result<(), String> {
        let own = Self::of_this_program();
        if *self == own {
            return Ok(());
        }
        Err(format!(
            "{who} has version {} of tictune (messages {}), this is {} (messages {}); install the same version on all machines",
            harmless(&self.tictune, 40).escape_debug(),
            self.format,
            own.tictune,
            own.format
        ))
    }
}

/// A part of a work, handed out once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartId {
    /// The driver, from its start to its end: 16 hexadecimal digits.
    pub session: String,
    pub work: u64,
    pub part: u64,
    /// How often it was handed out before.
    pub attempt: u32,
}

/// What the server tells equal messages by.
impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, work, part, attempt } = self;
        write!(f, "{session}/{work}/{part}/{attempt}")
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartMessage {
    pub version: Version,
    #[serde(flatten)]
    pub id: PartId,
    pub pieces: Vec<Piece>,
    pub work_hash: String,
    /// What the driver's build plays by the work's rules, as a hash; `None` where nobody knows.
    pub play_hash: Option<u64>,
}

/// Games of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its index in the work.
    pub unit: usize,
    pub games: Range<u64>,
}

impl Piece {
    pub const fn count(&self) -> u64 {
        self.games.end.saturating_sub(self.games.start)
    }
}

/// A request for the work of a part. The answer is some of its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkRequest {
    pub work: u64,
    /// The first byte wanted.
    pub from: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultMessage {
    pub version: Version,
    #[serde(flatten)]
    pub id: PartId,
    pub worker: String,
    pub work_hash: String,
    /// What the worker's build plays by the work's rules.
    pub play_hash: Option<u64>,
    /// Seconds of one thread that it took.
    pub seconds: f64,
    pub outcome: PartOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartOutcome {
    Played(Vec<Vec<GameResult>>),
    /// The work is wrong, or the worker may not play it.
    Input(String),
    /// A program, or the code of a game or an agent, failed.
    Failed(String),
    /// The worker plays for no such driver. Others will play the part.
    Declined(String),
}

pub(crate) fn shown_name(worker: &str) -> String {
    harmless(worker, 80)
}

/// An error's text as it comes from a worker, with the worker's name.
pub fn said(worker: &str, text: &str) -> String {
    format!("worker {}: {}", shown_name(worker), harmless(text, 2000))
}

/// Text from the network, cut, and without what moves the cursor or changes colours.
fn harmless(text: &str, longest: usize) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().take(longest).map(shown).collect()
}

/// What a worker says of itself, about once a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    pub version: Version,
    /// Its name: host, process and a random part.
    pub worker: String,
    pub threads: u32,
    /// Games played in the last ten seconds, each second.
    pub games_per_second: f64,
    /// Parts that it has and has not answered.
    pub parts: u32,
    pub games: u64,
}

/// A work that has ended; nobody waits for its parts any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndMessage {
    pub session: String,
    pub work: u64,
}

/// Why two builds cannot work together, if their hashes differ.
pub(crate) fn refuse_build(
    who: &str,
    its: Option<u64>,
    own: Option<u64>,
    game: &str,
) -> Result<(), String> {
    match (its, own) {
        (Some(its), Some(own)) if its != own => Err(format!(
            "{who} is another build of tictune, which plays {game} differently ({its:016x}, this one {own:016x}); install the \
             same build on all machines"
        )),
        // Nobody knows what an outside program plays.
        _ => Ok(()),
    }
}

pub fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages are plain data, which has a form as JSON")
}

/// Reads a message. An error is a short text.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| {
        let text: String = error.to_string().chars().take(200).collect();
        format!("not a message of tictune: {}", text.escape_debug())
    })
}

/// Whether a name can be part of a subject: letters, digits and hyphens, at most 80.
pub fn is_name(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_workers_say_is_shown_without_escapes_and_cut() {
        let text = said("w\u{7}-1", "no\u{1b}[2J table\nat all");
        assert_eq!(text, "worker w\u{fffd}-1: no\u{fffd}[2J table\nat all");
        assert!(said("w-1", &"x".repeat(1 << 20)).len() < 3000);
    }
}
