//! Books of openings: the positions of a file, drawn without repeats until all of them are spent.
//!
//! A seed shuffles the positions. A match plays a range of this order and goes round where the book is spent. Ranges that do
//! not overlap hold different positions, up to the size of the book. Matches of a run have ranges of one order that follow each
//! other. So do matches with seeds of their own: as many seeds in a row as the book has ranges share an order.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::openings::Split;
use crate::files::fingerprint;
use crate::input::{InputError, Result};
use crate::seed::{mix, shuffle};

/// The positions of a file, or a part of them. Its serialised form has their number and a hash in their place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Book {
    path: PathBuf,
    #[serde(default, skip_serializing_if = "Split::is_all")]
    pub(super) split: Split,
    /// How many positions it has.
    pub positions: u64,
    hash: String,
    /// The positions in notation; none until they are read, where the book was read from a manifest.
    #[serde(skip)]
    lines: Arc<[String]>,
}

/// Books are the same if their positions are, read or not.
impl PartialEq for Book {
    fn eq(&self, other: &Self) -> bool {
        let of = |book: &Self| (book.path.clone(), book.split, book.positions, book.hash.clone());
        of(self) == of(other)
    }
}

impl Eq for Book {}

/// A range of a book in the order of a seed. Places count on beyond the book, which is gone round then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookRange {
    /// What shuffles the book.
    pub order: u64,
    /// The first place.
    pub first: u64,
    /// How many places.
    pub count: u64,
}

impl Book {
    #[doc(hidden)]
    pub fn new(path: PathBuf, split: Split, lines: Vec<String>) -> Self {
        let (positions, hash) = (lines.len() as u64, String::new());
        let book = Self { path, split, positions, hash, lines: lines.into() };
        Self { hash: fingerprint(book.text().as_bytes()), ..book }
    }

    pub(super) fn name(&self) -> String {
        format!("file:{}{}", self.path.display(), self.split.suffix())
    }

    /// The name of its copy in the folder of a run.
    #[doc(hidden)]
    pub fn file_name(&self) -> String {
        format!("openings-{}.txt", self.hash)
    }

    /// Its positions, one a line: the copy in the folder of a run.
    #[doc(hidden)]
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Takes its positions from the copy; `false` if they are others.
    #[doc(hidden)]
    pub fn read(&mut self, text: &str) -> bool {
        let lines = text.lines().map(String::from).collect();
        let read = Self::new(self.path.clone(), self.split, lines);
        let same = read == *self;
        if same {
            *self = read;
        }
        same
    }

    /// The range of a match with a seed of its own that plays so many openings.
    pub(crate) const fn range_of_seed(&self, seed: u64, count: u64) -> BookRange {
        // How many ranges the book has; a range that is larger than the book is all of it.
        let ranges = if count == 0 || self.positions < count { 1 } else { self.positions / count };
        BookRange { order: seed / ranges, first: seed % ranges * count, count }
    }

    /// The positions of a range, each once: places beyond the book begin again. It is an error if they were not read.
    pub(super) fn drawn(&self, range: BookRange) -> Result<Vec<String>> {
        if self.lines.is_empty() {
            return Err(InputError::new(format!(
                "the positions of openings {} are missing: the folder of the run has no {} with them",
                self.name(),
                self.file_name()
            )));
        }
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        shuffle(&mut order, mix(0x626f_6f6b, range.order));
        order.rotate_left((range.first % self.positions) as usize);
        order.truncate(usize::try_from(range.count).unwrap_or(usize::MAX));
        Ok(order.into_iter().map(|line| self.lines[line].clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn book(positions: u64) -> Book {
        let lines = (0..positions).map(|number| format!("position {number}")).collect();
        Book::new("book.txt".into(), Split::All, lines)
    }

    #[test]
    fn a_book_is_known_by_its_positions_and_read_again_from_its_copy() {
        let book = book(20);
        let json = serde_json::to_string(&book).unwrap();
        let form = r#"{"path":"book.txt","positions":20,"hash":"0123456789abcdef"}"#;
        assert_eq!(json.len(), form.len());
        let mut read: Book = serde_json::from_str(&json).unwrap();
        let range = BookRange { order: 1, first: 0, count: 5 };
        assert!(read.drawn(range).unwrap_err().to_string().contains(&book.file_name()));
        assert!(!read.read(&book.text().replacen("position 3", "position 33", 1)));
        assert!(read.read(&book.text()));
        assert_eq!((read.drawn(range).unwrap(), &read), (book.drawn(range).unwrap(), &book));
    }

    proptest! {
        #[test]
        fn seeds_in_a_row_play_other_positions_while_the_book_has_them(
            size in 1_u64..200, seed in any::<u64>(), count in 1_u64..100
        ) {
            let book = book(size);
            let ranges = (size / count).max(1);
            // A row of seeds that share an order.
            let first = seed / ranges * ranges;
            let mut seen = HashSet::new();
            for seed in (0..ranges).map(|number| first.saturating_add(number)) {
                let drawn = book.drawn(book.range_of_seed(seed, count)).unwrap();
                prop_assert_eq!(drawn.len() as u64, count.min(size));
                prop_assert!(drawn.into_iter().all(|position| seen.insert(position)) || first > u64::MAX - ranges);
            }
        }
    }
}
