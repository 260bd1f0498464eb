//! The parsers of whatever comes from outside, by name: what the fuzzer in the folder `fuzz` runs, and the test below.
//!
//! Each takes any bytes. It must not panic, hang, or want much memory. What it accepts has to survive being written and
//! read again. No parser opens a file that the bytes name, starts a program, or uses the network.
//!
//! This is no public API: it is there with the feature `fuzzing` only, and changes at any time.

#[cfg(feature = "cluster")]
mod cluster;

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::{AgentSpec, ClockTime, parse_numbers};
use crate::arena::{GameRow, Openings, Split, Summary};
use crate::built_in;
use crate::cli::fitness::request::{self, Candidate};
use crate::config::{self, Overrides, tournament};
use crate::evolve::{
    AxesRow, CandidateRow, Comparison, GenerationRow, LoggedMatch, Manifest, Plan,
};
use crate::files::rows_in;
use crate::game::{Game, GameInfo, Player, Position};
use crate::games::{Chess, KNOWN, Qubic, Uttt};
use crate::input::{InputError, reading_only_in};
use crate::papers::reinforcement::{ValueTable, config as learning};
use crate::papers::reproduce::parse_table;
use crate::programs::line::{Bounded, read_bounded, read_line};
use crate::programs::runner::request::Request;
use crate::programs::uci::{Announced, Report, best_move};
use crate::programs::uci_agent::expected_line;
use crate::programs::{Platforms, Protocol, RunnerSettings};
use crate::report::moves::parse_match;
use crate::stats::Tally;
use crate::weights::parse_weights;

/// It says whether it accepts any of what it is given.
type Parser = fn(&[u8]) -> bool;

/// The parsers by the names of their corpora.
const PARSERS: &[(&str, Parser)] = &[
    ("agent", |bytes| agent(&text(bytes))),
    ("bot-codingame", |bytes| bot(Protocol::CodinGame, bytes)),
    ("bot-theaigames", |bytes| bot(Protocol::TheAiGames, bytes)),
    #[cfg(feature = "cluster")]
    ("cluster", cluster::read),
    ("config", |bytes| config(&text(bytes))),
    ("fitness", |bytes| fitness(&text(bytes))),
    ("learn", |bytes| accepts(learning::parse(&text(bytes), path(), None, &built_in()))),
    ("logs", logs),
    ("manifest", |bytes| manifest(&text(bytes))),
    ("moves", |bytes| accepts(parse_match(&text(bytes), path()))),
    ("notation", |bytes| notation(&text(bytes))),
    ("numbers", |bytes| accepts(parse_numbers(&text(bytes), path()))),
    ("openings", |bytes| openings(&text(bytes))),
    ("runner", |bytes| runner(&text(bytes))),
    ("table", |bytes| accepts(parse_table(&text(bytes), Some(path())))),
    ("tournament", |bytes| accepts(tournament::parse(&text(bytes), path(), &built_in()))),
    ("uci", uci),
    ("values", |bytes| values(&text(bytes))),
    ("weights", |bytes| weights(&text(bytes))),
];

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The names of the parsers. Each has a folder `tests/corpus/NAME`.
pub fn names() -> impl Iterator<Item = &'static str> {
    PARSERS.iter().map(|(name, _)| *name)
}

/// Lets a parser read some bytes: whether it accepts any of them. `None` if there is no parser of this name.
///
/// # Panics
/// If the parser does, or if what it accepts does not survive being written and read again.
#[must_use]
pub fn parse(name: &str, bytes: &[u8]) -> Option<bool> {
    let (_, parser) = PARSERS.iter().find(|(known, _)| *known == name)?;
    Some(reading_only_in(None, || parser(bytes)))
}

/// The file that errors name. There is none.
fn path() -> &'static Path {
    Path::new("/fuzzing/there.is.none")
}

/// Prints an error in every way that there is.
fn shown<T>(read: Result<T, InputError>) -> Option<T> {
    read.inspect_err(|error| {
        let longest = error.to_string().len() + error.snippet().map_or(0, |snippet| snippet.len());
        assert!(longest < 20_000, "an error of {longest} bytes: {error}");
        let _ = error.styled_snippet();
    })
    .ok()
}

fn accepts<T>(read: Result<T, InputError>) -> bool {
    shown(read).is_some()
}

/// Asserts that a value survives JSON.
fn assert_json<T: Serialize + DeserializeOwned>(value: &T, what: &dyn Display) {
    let json = serde_json::to_string(value).expect("it can be written");
    let again: T = built_in().from_json(&json).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(serde_json::to_string(&again).expect("it can be written"), json, "{what}");
}

fn config(text: &str) -> bool {
    let plan = shown(config::parse(text, path(), Overrides::default(), &built_in()));
    plan.is_some_and(|plan| {
        assert_json(&plan, &"a plan");
        assert!(plan.numbers().count() > 0, "nothing is evolved");
        true
    })
}

fn agent(text: &str) -> bool {
    let mut accepted = false;
    for game in KNOWN.iter().copied().chain([GameInfo::OUTSIDE]) {
        let known = built_in();
        let scope = known.scope(game, Path::new("/fuzzing"));
        let Some(spec) = shown(AgentSpec::parse_in(text, scope)) else { continue };
        accepted = true;
        let printed = spec.to_string();
        assert_json(&spec, &printed);
        let again = AgentSpec::parse_in(&printed, scope);
        let again = again.unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(again.to_string(), printed);
        shown(spec.complete(game));
    }
    accepted
}

/// The first line is the text form, the others are a file.
fn openings(text: &str) -> bool {
    let mut accepted = false;
    let (form, file) = text.split_once('\n').unwrap_or((text, ""));
    for game in KNOWN {
        let known = built_in();
        let scope = known.scope(game, Path::new("/fuzzing"));
        let read = [
            shown(Openings::parse_in(form, "", scope)),
            shown(Openings::read_lines(file, path(), Split::All, "", game)),
        ];
        for openings in read.into_iter().flatten() {
            openings.check().expect("what a text says can be drawn");
            accepted = true;
        }
    }
    accepted
}

/// The first line is the rules, the others are positions and moves.
fn notation(text: &str) -> bool {
    let (rules, lines) = text.split_once('\n').unwrap_or((text, ""));
    for game in KNOWN {
        let _ = game.check_rules(rules);
    }
    let of_games = [notation_of::<Uttt>, notation_of::<Qubic>, notation_of::<Chess>];
    of_games.map(|read| read(rules, lines)).contains(&true)
}

fn notation_of<P: Game>(rules: &str, lines: &str) -> bool {
    let Ok(rules) = rules.parse::<P::Rules>() else { return false };
    assert_eq!(rules.to_string().parse::<P::Rules>().ok(), Some(rules), "{rules}");
    let (mut position, mut accepted) = (P::start(rules), false);
    for line in lines.lines() {
        if let Ok(mv) = P::parse_move(line) {
            assert_eq!(P::parse_move(&mv.to_string()).ok(), Some(mv));
            accepted |= position.play(mv).is_ok();
        }
        if let Ok(read) = P::from_notation(line, rules) {
            (position, accepted) = (read, true);
        }
        let notation = position.notation();
        let again = P::from_notation(&notation, rules);
        let again = again.unwrap_or_else(|error| panic!("{notation}: {error}"));
        assert_eq!(again.notation(), notation);
        assert!(!position.to_string().is_empty());
        position.canonical_key();
        let moves = position.legal_moves().inspect(|&mv| assert!(position.is_legal(mv))).count();
        if position.outcome().is_none() {
            assert_eq!((moves, moves > 0), (position.legal_move_count(), true), "{notation}");
        }
    }
    accepted
}

/// What a platform says, and at the same time what a program answers.
fn bot(protocol: Protocol, mut bytes: &[u8]) -> bool {
    let platforms = Platforms::<Uttt>::of();
    let times = ClockTime { left: Duration::ZERO, increment: Duration::ZERO };
    let (Some(mut bot), Some(host)) = (
        (platforms.bot)(protocol, (platforms.rules)(protocol)),
        (platforms.host)(protocol, Player::First, times),
    ) else {
        panic!("UTTT has the protocol {protocol}");
    };
    let mut bounded = bytes;
    while let Ok(Some(line)) = read_bounded(&mut bounded, 64) {
        // What is not UTF-8 becomes longer.
        assert!(!matches!(line, Bounded::Line(line) if line.len() > 3 * 64));
    }
    let mut accepted = false;
    while let Ok(Some(line)) = read_line(&mut bytes) {
        let answer = host.read_answer(&line);
        assert!(answer.is_none_or(|mv| mv.index() < 81));
        accepted |= answer.is_some();
        let Ok(Some(query)) = bot.read(&line) else { continue };
        if let Some(position) = &query.position {
            assert_eq!(position.outcome(), None);
            assert!(position.legal_move_count() > 0);
            let again = Uttt::from_notation(&position.notation(), position.rules());
            assert_eq!(again.as_ref(), Ok(position));
            accepted = true;
        }
        if let Some(&mv) = query.allowed.last() {
            assert_eq!(host.read_answer(&bot.answer(mv)), Some(mv));
        }
    }
    accepted
}

/// What an engine says before its first search and in it.
fn uci(mut bytes: &[u8]) -> bool {
    let (mut announced, mut report) = (Announced::default(), Report::default());
    let position = Chess::start(Default::default());
    let mut accepted = false;
    while let Ok(Some(line)) = read_line(&mut bytes) {
        announced.read(&line);
        report.read(&line);
        assert!(report.value.is_none_or(f64::is_finite));
        let own = best_move(&line).and_then(|(text, _)| Chess::parse_move(text).ok());
        if let Some(own) = own.filter(|&mv| position.is_legal(mv)) {
            let expected = expected_line(&position, own, &report);
            assert!(expected.len() <= report.line.len() + 1);
            accepted = true;
        }
    }
    for option in &announced.options {
        let _ = (option.default_number(), announced.set(&option.name, &option.default));
    }
    let _ = announced.set("Hash", "16");
    accepted || !announced.options.is_empty()
}

/// What a runner answers to a request for two pairs.
fn runner(text: &str) -> bool {
    let agent = RunnerSettings { command: "x".into(), ..RunnerSettings::default() };
    let request = Request { agents: [&agent, &agent], seeds: &[1 << 20, 2 << 20] };
    let games = |line| [request.read(7, line), request.read_counts(line)].into_iter().flatten();
    let games = text.lines().flat_map(games);
    games.inspect(|games| assert_eq!(games.len(), 4)).count() > 0
}

/// Requests of `tictune fitness` about a small plan.
fn fitness(text: &str) -> bool {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| {
        let text = include_str!("../experiments/staged/advanced.toml");
        config::parse(text, path(), Overrides::default(), &built_in()).expect("a good config")
    });
    let candidates = text.lines().filter_map(|line| Some(request::read_line(line).ok()?.0));
    candidates.flatten().filter(|candidate| Candidate::read(candidate, &PLAN, 0).is_ok()).count()
        > 0
}

fn logs(bytes: &[u8]) -> bool {
    fn rows<R: DeserializeOwned>(bytes: &[u8]) -> Vec<R> {
        rows_in::<R>(bytes).into_iter().flatten().collect()
    }
    let (mut games, mut accepted) = (Tally::default(), 0);
    for row in rows::<CandidateRow>(bytes) {
        games = games.plus(&row.measured.tally);
        accepted += 1;
    }
    accepted += rows::<GenerationRow>(bytes).len();
    accepted += rows::<LoggedMatch>(bytes).len();
    for row in rows::<AxesRow>(bytes) {
        let _ = (row.lengths(), row.ends());
        accepted += 1;
    }
    let mut sum = Summary::default();
    for row in rows::<GameRow>(bytes) {
        let _ = row.check::<Uttt>(Default::default());
        let _ = row.check::<Chess>(Default::default());
        sum = sum.plus(&row.summary());
        accepted += 1;
    }
    accepted > 0
}

/// The records of runs and tables, as JSON.
fn manifest(text: &str) -> bool {
    let known = built_in();
    let manifest = known.from_json::<Manifest>(text);
    let _ =
        manifest.as_ref().map(|manifest| assert_json(&manifest.plan, &"the plan of a manifest"));
    manifest.is_ok()
        || known.from_json::<Comparison>(text).is_ok()
        || known.from_json::<crate::papers::reproduce::Report>(text).is_ok()
}

fn values(text: &str) -> bool {
    let mut accepted = false;
    for game in KNOWN {
        let Some(table) = shown(ValueTable::parse(text, path(), game)) else { continue };
        accepted = true;
        let written = table.to_text().expect("memory takes it");
        let again = ValueTable::parse(&String::from_utf8_lossy(&written), path(), game);
        let again = again.unwrap_or_else(|error| panic!("{error}"));
        // What is 0 is left out.
        assert!(table.values.iter().all(|(key, value)| again.value(*key) == *value));
    }
    accepted
}

fn weights(text: &str) -> bool {
    let Some(weights) = shown(parse_weights(text, path(), KNOWN)) else { return false };
    let again = parse_weights(&weights.to_toml(), path(), KNOWN);
    let again = again.unwrap_or_else(|error| panic!("{}: {error}", weights.to_toml()));
    assert_eq!(again.values(), weights.values());
    true
}

#[cfg(test)]
mod tests;
