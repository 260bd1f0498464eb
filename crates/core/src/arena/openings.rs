//! Where games start.
//!
//! A random opening follows from the seed of its game (or pair of games) alone, and so does its length where lengths
//! are mixed. Openings are split into two parts: one position in five is held out, and all images of a position are in
//! the same part. No training game therefore begins where a validation game does. Later on, a training game may still
//! reach a held-out position, as it may reach any position.
//!
//! The positions of a file are a [`Book`]: a match is given some of them, which it then plays in turn.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::book::{Book, BookRange};
use super::schedule::MatchSettings;
use crate::agent::{AgentFactory, Known, Scope};
use crate::game::{Game, GameInfo, Pgn, PgnError, PgnGame};
use crate::input::{InputError, Result, read_games, read_text, unknown};
use crate::seed::{Role, generator, mix};

/// How a match chooses its openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// The empty board.
    None,
    /// The centre square of the centre board is the first move (Liang).
    Centre,
    /// This many random plies.
    Random {
        /// Plies; the fewest where lengths are mixed.
        plies: u32,
        /// The most plies, where lengths are mixed: each is drawn equally often, from the seed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<u32>,
        /// The part that they are drawn from.
        split: Split,
    },
    /// The positions of a file, of which a match is [given](Openings::for_match) some.
    File(Book),
    /// Positions in turn.
    Given {
        /// The text form of the openings that they are from.
        name: String,
        /// The positions in notation, at least one.
        positions: Vec<String>,
    },
}

/// A part of the openings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// All of them.
    #[default]
    All,
    /// Those for training, which are not held out: four in five.
    Train,
    /// The held-out ones: one in five.
    HeldOut,
}

impl Split {
    pub(super) fn is_all(&self) -> bool {
        *self == Self::All
    }

    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Train => ":train",
            Self::HeldOut => ":held-out",
        }
    }

    fn has(self, canonical_key: impl FnOnce() -> u64) -> bool {
        self == Self::All || is_held_out_key(canonical_key()) == (self == Self::HeldOut)
    }
}

/// The most random plies. No game can be over so early, and few are over after twice as many.
const MAX_PLIES: u32 = 30;

/// The fewest random plies that can be split. Two plies have only 102 openings up to symmetry: too few.
const MIN_SPLIT_PLIES: u32 = 4;

const ATTEMPTS: u32 = 10_000;

/// A start of a game: a position, and the moves that lead on from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<P: Game> {
    /// Where the game starts.
    pub start: P,
    /// The moves that are played before the agents take over.
    pub moves: Vec<P::Move>,
}

impl<P: Game> Opening<P> {
    /// The position in which the agents take over.
    pub fn position(&self) -> P {
        self.moves.iter().fold(self.start.clone(), |position, &mv| position.after(mv))
    }
}

/// Whether openings that reach this position, or an image of it, are held out.
pub fn is_held_out<P: Game>(position: &P) -> bool {
    is_held_out_key(position.canonical_key())
}

fn is_held_out_key(key: u64) -> bool {
    mix(0x6865_6c64, key).is_multiple_of(5)
}

fn is_pgn(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pgn"))
}

/// Reads `K` or `K-L`: the plies of openings, or the fewest and the most of them.
fn lengths(text: &str) -> Option<(u32, Option<u32>)> {
    let read = |plies: &str| plies.parse().ok().filter(|plies| (1..=MAX_PLIES).contains(plies));
    match text.split_once('-') {
        None => Some((read(text)?, None)),
        Some((fewest, most)) => {
            let (fewest, most) = (read(fewest)?, read(most)?);
            (fewest < most).then_some((fewest, Some(most)))
        }
    }
}

impl Openings {
    /// Reads the text form: `none`, `centre`, `random:K`, `random:K-L` (mixed lengths), either with `:train`
    /// or `:held-out`, or `file:PATH`, a path relative to `folder`, with these endings as well.
    ///
    /// # Errors
    /// Any other text; a file that cannot be read, holds no position, or one that is wrong or over.
    pub fn parse<P: Game>(text: &str, rules: P::Rules, folder: &Path) -> Result<Self> {
        let known = Known::new::<()>(&[P::INFO]);
        Self::parse_in(text, &rules.to_string(), known.scope(P::INFO, folder))
    }

    /// [`parse`](Self::parse) with the game and its rules as values.
    pub fn parse_in(text: &str, rules: &str, scope: Scope<'_>) -> Result<Self> {
        const KNOWN: &str = "none centre random:K random:K-L random:K:train random:K:held-out \
                             file:PATH file:PATH:train file:PATH:held-out";
        let Scope { game, folder, .. } = scope;
        let of_split = |split: Split| Some((text.strip_suffix(split.suffix())?, split));
        let (form, split) = [Split::Train, Split::HeldOut]
            .into_iter()
            .find_map(of_split)
            .unwrap_or((text, Split::All));
        if let Some(path) = form.strip_prefix("file:").filter(|path| !path.is_empty()) {
            let path = folder.join(path);
            let text = if is_pgn(&path) { read_games(&path)? } else { read_text(&path)? };
            return Self::read_lines(&text, &path, split, rules, game);
        }
        let random = form.strip_prefix("random:").filter(|plies| !plies.contains(':'));
        let plies = match (random, text) {
            (Some(plies), _) => plies,
            (None, "none") => return Ok(Self::None),
            (None, "centre") if game.has_centre() => return Ok(Self::Centre),
            (None, "centre") => {
                let message = format!("openings centre: {} has no centre", game.name);
                return Err(InputError::new(message));
            }
            _ if folder.join(form).is_file() => {
                let message = format!("openings of a file are written file:{text}");
                return Err(InputError::new(message));
            }
            _ => {
                let fits = |name: &&str| game.has_centre() || *name != "centre";
                let known: Vec<&str> = KNOWN.split(' ').filter(fits).collect();
                return Err(InputError::new(unknown("openings", text, &known)));
            }
        };
        let (plies, most) = lengths(plies).ok_or_else(|| {
            InputError::new(format!(
                "openings random:K take 1 to {MAX_PLIES} plies, as in random:4, \
                 or a range of plies, as in random:4-8"
            ))
        })?;
        if split != Split::All && plies < MIN_SPLIT_PLIES {
            return Err(InputError::new(format!(
                "openings can be held out from {MIN_SPLIT_PLIES} plies on: there are too few with {plies}"
            )));
        }
        Ok(Self::Random { plies, most, split })
    }

    /// Checks what came from elsewhere than a text: a manifest, or the network.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        let fits = match self {
            Self::None | Self::Centre | Self::File(_) => true,
            Self::Random { plies, most, .. } => {
                let most = most.unwrap_or(MAX_PLIES);
                (1..=MAX_PLIES).contains(plies) && (*plies..=MAX_PLIES).contains(&most)
            }
            Self::Given { positions, .. } => !positions.is_empty(),
        };
        let wrong = || InputError::new(format!("openings {self} cannot be drawn"));
        fits.then_some(()).ok_or_else(wrong)
    }

    /// The part that they are drawn from, where they could be drawn from another.
    #[doc(hidden)]
    pub const fn split(&self) -> Option<Split> {
        match self {
            Self::None | Self::Centre | Self::Given { .. } => None,
            Self::Random { split, .. } => Some(*split),
            Self::File(book) => Some(book.split),
        }
    }

    #[doc(hidden)]
    pub const fn book(&self) -> Option<&Book> {
        if let Self::File(book) = self { Some(book) } else { None }
    }

    #[doc(hidden)]
    pub const fn book_mut(&mut self) -> Option<&mut Book> {
        if let Self::File(book) = self { Some(book) } else { None }
    }

    /// The openings that a match with a seed of its own plays: of a file, a range of its positions that follows from the seed
    /// and the number of games. Seeds in a row have other positions, while there are any.
    pub fn for_match(&self, settings: &MatchSettings) -> Result<Self> {
        let range = |book: &Book| book.range_of_seed(settings.seed, settings.openings());
        self.book().map_or_else(|| Ok(self.clone()), |book| self.in_range(range(book)))
    }

    /// Of a file, the positions of a range, if they were read; others as they are.
    #[doc(hidden)]
    pub fn in_range(&self, range: BookRange) -> Result<Self> {
        let Self::File(book) = self else { return Ok(self.clone()) };
        Ok(Self::Given { name: book.name(), positions: book.drawn(range)? })
    }

    /// The default openings of a validation: the centre, where the game has one, and random ones that no training saw.
    pub fn of_validation(game: &GameInfo) -> Vec<&'static str> {
        if game.is_outside() {
            return vec!["none"];
        }
        game.has_centre().then_some("centre").into_iter().chain(["random:4:held-out"]).collect()
    }

    /// Reads the text of a file: positions one per line, or in a file of PGN the ends of its games. `path` is the name that
    /// errors give.
    #[doc(hidden)]
    pub fn read_lines(
        text: &str,
        path: &Path,
        split: Split,
        rules: &str,
        game: &GameInfo,
    ) -> Result<Self> {
        let lines: Vec<(usize, Cow<'_, str>)> = match game.extension().filter(|_| is_pgn(path)) {
            Some(Pgn { read, .. }) => {
                let wrong = |PgnError { line, error }| {
                    InputError::in_line(path, line, text, error.to_string())
                };
                let end = |game: PgnGame| (game.line, game.end.into());
                let games = read(text, rules).into_iter();
                games.map(|game| game.map(end).map_err(wrong)).collect::<Result<_, _>>()?
            }
            None => {
                let lines = (1..).zip(text.lines().map(str::trim));
                let is_position = |line: &str| !line.is_empty() && !line.starts_with('#');
                lines
                    .filter(|(_, line)| is_position(line))
                    .map(|(n, line)| (n, line.into()))
                    .collect()
            }
        };
        let mut positions = Vec::new();
        for (number, line) in lines {
            let start = game
                .check_start(&line, rules)
                .map_err(|error| InputError::in_line(path, number, text, error.to_string()))?;
            if split.has(|| start.canonical_key) {
                positions.push(start.notation);
            }
        }
        if positions.is_empty() {
            let message = match split {
                Split::All => {
                    "contains no position; expected one per line, in notation, or games in a file that ends in .pgn"
                }
                _ => "contains no position of this part; one in five is held out",
            };
            return Err(InputError::in_file(path, message));
        }
        // The name without folders: results and fingerprints carry no path of a machine.
        let path = path.file_name().map_or_else(PathBuf::new, PathBuf::from);
        Ok(Self::File(Book::new(path, split, positions)))
    }

    /// Checks that the agent need not see a game from its first move on, or that the openings begin there.
    pub fn check_suits<P: Game>(&self, agent: &AgentFactory<P>) -> Result<()> {
        if !agent.from_start_only || *self == Self::None {
            return Ok(());
        }
        Err(InputError::new(format!(
            "agent \"{}\" speaks a protocol that cannot send positions: it needs openings none, not {self}",
            agent.label,
        )))
    }

    /// The opening of a game or pair of games: a function of its seed, and where positions are given, of its number.
    ///
    /// # Errors
    /// A position that the rules do not allow, or no random opening after the most attempts; a file of which the match was
    /// [given](Self::for_match) nothing.
    pub fn draw<P: Game>(&self, rules: P::Rules, seed: u64, number: u64) -> Result<Opening<P>> {
        let start = P::start(rules);
        match self {
            Self::None => Ok(Opening { start, moves: Vec::new() }),
            Self::Centre => Ok(Opening { start, moves: P::centre_move().into_iter().collect() }),
            Self::File(book) => Err(InputError::new(format!(
                "no match was given positions of openings {}: see Openings::for_match",
                book.name()
            ))),
            Self::Given { positions, .. } => {
                let text = &positions[(number % positions.len() as u64) as usize];
                let start = P::from_notation(text, rules)
                    .map_err(|error| InputError::new(error.to_string()))?;
                Ok(Opening { start, moves: Vec::new() })
            }
            Self::Random { plies, most, split } => {
                let mut generator = generator(seed, Role::Opening);
                // Once for all attempts, so that each length is as frequent as any other.
                let plies = most.map_or(*plies, |most| generator.random_range(*plies..=most));
                for _ in 0..ATTEMPTS {
                    let mut position = start.clone();
                    let mut moves = Vec::with_capacity(plies as usize);
                    while moves.len() < plies as usize && position.outcome().is_none() {
                        moves.push(position.play_drawn(|count| generator.random_range(0..count)));
                    }
                    if position.outcome().is_none() && split.has(|| position.canonical_key()) {
                        return Ok(Opening { start, moves });
                    }
                }
                Err(InputError::new(format!("no opening {self} found in {ATTEMPTS} tries")))
            }
        }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Centre => f.write_str("centre"),
            Self::Random { plies, most, split } => {
                write!(f, "random:{plies}")?;
                most.map_or(Ok(()), |most| write!(f, "-{most}"))?;
                f.write_str(split.suffix())
            }
            Self::File(book) => f.write_str(&book.name()),
            Self::Given { name, .. } => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::arena::Schedule;
    use crate::game::Position;
    use crate::testing::toy::{Toy, ToyRules};

    fn parse(text: &str) -> Result<Openings, String> {
        Openings::parse::<Toy>(text, ToyRules::default(), Path::new("")).map_err(|e| e.to_string())
    }

    fn draw(openings: &Openings, seed: u64) -> Opening<Toy> {
        openings.draw(ToyRules::default(), seed, seed).unwrap()
    }

    #[test]
    fn text_forms_round_trip_and_others_are_refused() {
        for (text, split) in [
            ("none", None),
            ("centre", None),
            ("random:1-3", Some(Split::All)),
            ("random:4:train", Some(Split::Train)),
            ("random:4-30:held-out", Some(Split::HeldOut)),
        ] {
            let openings = parse(text).unwrap();
            assert_eq!(openings.to_string(), text);
            assert_eq!(openings.split(), split);
            let json = serde_json::to_string(&openings).unwrap();
            assert_eq!(serde_json::from_str::<Openings>(&json).unwrap(), openings);
        }
        let json = serde_json::to_string(&parse("random:4:train").unwrap()).unwrap();
        assert_eq!(json, r#"{"random":{"plies":4,"split":"train"}}"#, "part of fingerprints");
        for (text, expected) in [
            ("center", "did you mean \"centre\"?"),
            ("random", "Known: none, centre"),
            ("random:0", "1 to 30 plies"),
            ("random:x", "1 to 30 plies"),
            ("none:train", "unknown openings"),
            ("random:2-6:train", "from 4 plies on"),
            ("random:6-4", "as in random:4-8"),
            ("random:4-31", "1 to 30 plies"),
            ("random:4:validation", "unknown openings"),
            ("file:/no/such/file", "cannot be read"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn files_are_split_by_position_and_seeds_start_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        // 500 positions, no two of which are the same or images of each other.
        let random = parse("random:4-8").unwrap();
        let mut seen = HashSet::new();
        let positions = (0..).map(|seed| draw(&random, seed).position());
        let different = positions.filter(|position| seen.insert(position.canonical_key()));
        let lines: String = different.take(500).map(|one| one.notation() + "\n").collect();
        std::fs::write(folder.path().join("openings.txt"), lines).unwrap();
        let [all, train, held_out] = ["", ":train", ":held-out"].map(|part| {
            let text = format!("file:openings.txt{part}");
            let openings =
                Openings::parse::<Toy>(&text, ToyRules::default(), folder.path()).unwrap();
            assert_eq!(openings.to_string(), text);
            let starts = |seed| {
                let schedule = Schedule::Paired;
                let settings = MatchSettings { games: 40, seed, schedule, replay_ties: false };
                let given = openings.for_match(&settings).unwrap();
                (0..20).map(move |number| {
                    given.draw::<Toy>(ToyRules::default(), seed, number).unwrap()
                })
            };
            let different: HashSet<_> = (5..10).flat_map(starts).map(|it| it.start).collect();
            assert_eq!(different.len(), 100, "{text}");
            let error = openings.draw::<Toy>(ToyRules::default(), 0, 0).unwrap_err().to_string();
            assert!(error.contains("for_match"), "{error}");
            openings
        });
        let [all, training, held] = [all, train, held_out].map(|openings| -> HashSet<String> {
            openings.book().unwrap().text().lines().map(String::from).collect()
        });
        assert!(training.is_disjoint(&held) && &training | &held == all);
        assert!((70..=130).contains(&held.len()), "one in five: {}", held.len());
    }

    #[test]
    fn openings_follow_from_the_seed_and_training_never_meets_held_out_positions_or_images() {
        let parts = [None, Some(false), Some(true)];
        for (part, held) in ["", ":train", ":held-out"].into_iter().zip(parts) {
            let openings = parse(&format!("random:4-7{part}")).unwrap();
            let (mut counts, mut different) = ([0; 4], HashSet::new());
            for seed in 0..2000 {
                let opening = draw(&openings, seed);
                assert_eq!(opening, draw(&openings, seed));
                let images = [opening.position(), opening.position().mirrored()];
                assert!(images.iter().all(|image| held.is_none_or(|it| it == is_held_out(image))));
                counts[opening.moves.len() - 4] += 1;
                different.insert(opening.moves);
            }
            assert!(counts.iter().all(|count| (430..570).contains(count)), "{part}: {counts:?}");
            assert!(different.len() > 1900, "{}", different.len());
        }
        let centre = draw(&parse("centre").unwrap(), 0).position();
        assert_eq!(centre.notation(), "...../...../..x../...../.....");
    }
}
