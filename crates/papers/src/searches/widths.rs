//! How many moves a selective search tries (Papadam, "Forward Pruning").

use std::fmt;

use serde::{Deserialize, Serialize};
use tictune_core::search::minimax::MAX_DEPTH;

/// The number of moves that are tried at each ply from the root. The last entry holds for all further plies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Widths(Vec<MovesTried>);

/// The number of moves that are tried; `None` for all.
type MovesTried = Option<u16>;

/// The largest number of moves in a width.
const LARGEST_WIDTH: u16 = 1000;

impl Widths {
    /// Every move at every ply.
    pub fn all() -> Self {
        Self(vec![None])
    }

    /// All moves at plies 0 to 2, then max(1, 64 - e^d) moves at ply d, rounded down (Papadam, "Forward Pruning").
    pub fn papadam() -> Self {
        Self(vec![None, None, None, Some(43), Some(9), Some(1)])
    }

    /// A description of the texts that are valid widths, for error messages.
    pub fn expected() -> String {
        format!(
            "papadam, or a list of all or numbers of moves from 1 to {LARGEST_WIDTH} for up to \
             {MAX_DEPTH} plies, as in \"all,all,9,1\""
        )
    }

    /// The most moves that are tried at a ply; the root is ply 0.
    #[inline]
    pub fn at(&self, ply: u32) -> usize {
        let width = self.0.get(ply as usize).or(self.0.last());
        width.copied().flatten().map_or(usize::MAX, usize::from)
    }
}

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::papadam() {
            return f.write_str("papadam");
        }
        let text = |width: &MovesTried| width.map_or("all".into(), |count| count.to_string());
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

impl TryFrom<String> for Widths {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "papadam" {
            return Ok(Self::papadam());
        }
        let width = |part: &str| -> Option<MovesTried> {
            match part.trim() {
                "all" => Some(None),
                part => part.parse().ok().filter(|n| (1..=LARGEST_WIDTH).contains(n)).map(Some),
            }
        };
        let widths: Option<Vec<MovesTried>> = text.split(',').map(width).collect();
        let widths = widths.filter(|widths| widths.len() <= MAX_DEPTH as usize);
        widths.map(Self).ok_or_else(Self::expected)
    }
}

impl From<Widths> for String {
    fn from(widths: Widths) -> Self {
        widths.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Widths, String> {
        text.to_string().try_into()
    }

    #[test]
    fn the_last_width_holds_beyond_and_the_report_has_its_own() {
        let widths = Widths::papadam();
        for ply in 0..MAX_DEPTH + 5 {
            let expected = match ply {
                0..3 => usize::MAX,
                _ => (64.0 - f64::from(ply).exp()).floor().max(1.0) as usize,
            };
            assert_eq!(widths.at(ply), expected, "ply {ply}");
        }
        assert_eq!(read("all,all,all,43,9,1").unwrap().to_string(), "papadam");
        let widths = read("4, all,7").unwrap();
        assert_eq!([0, 1, 2, 3, 30].map(|ply| widths.at(ply)), [4, usize::MAX, 7, 7, 7]);
        assert_eq!(widths.to_string(), "4,all,7");
        for text in ["", "0", "1001", "1,,2", "-1", "some", "1;2", &["1"; 33].join(",")] {
            assert!(read(text).unwrap_err().contains("from 1 to 1000"), "{text}");
        }
    }
}
