//! The parsers of whatever comes from outside, by name: what the fuzzer in the folder `fuzz` runs, and the test below.
//!
//! Each takes any bytes. It must not panic, hang, or want much memory. What it accepts has to survive being written and
//! read again. No parser opens a file that the bytes name, starts a program, or uses the network.
//!
//! This is no public API: it is there with the feature `fuzzing` only, and changes at any time.

#[cfg(feature = "cluster")]
mod cluster;

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::{AgentSpec, ClockTime, Scope, parse_numbers};
use crate::arena::{Openings, Split, Summary, TournamentRow};
use crate::built_in;
use crate::cli::fitness::request::{self, FitnessRequest};
use crate::config::{self, Overrides, tournament};
use crate::evolve::{
    AxesRow, CandidateRow, Comparison, GenerationRow, LoggedMatch, Manifest, Plan,
};
use crate::files::rows_in;
use crate::game::{Game, GameInfo, Player, Position};
use crate::games::{Chess, KNOWN, Qubic, Uttt};
use crate::input::{Result, reading_only_in};
use crate::papers::reinforcement::{ValueTable, config as learning};
use crate::papers::reproduce::parse_table;
use crate::programs::line::read_line;
use crate::programs::runner::request::Request;
use crate::programs::uci::{Announced, Report, best_move};
use crate::programs::uci_agent::expected_line;
use crate::programs::{Platforms, Protocol, RunnerSettings};
use crate::report::moves::parse_match;
use crate::stats::Tally;
use crate::weights::parse_weights;

/// Lets the parser of the corpus `tests/corpus/NAME` read some bytes: whether it accepts any of them. `None` if there is none.
///
/// # Panics
/// If the parser does, or if what it accepts does not survive being written and read again.
#[must_use]
pub fn parse(name: &str, bytes: &[u8]) -> Option<bool> {
    let (text, known) = (&*String::from_utf8_lossy(bytes), &built_in());
    reading_only_in(None, || {
        Some(match name {
            "agent" => agent(text),
            "bot-codingame" => bot(Protocol::CodinGame, bytes),
            "bot-theaigames" => bot(Protocol::TheAiGames, bytes),
            #[cfg(feature = "cluster")]
            "cluster" => cluster::read(bytes),
            "config" => shown(config::parse(text, path(), Overrides::default(), known))
                .is_some_and(|plan| {
                    assert_json(&plan, "a plan");
                    plan.numbers().count() > 0
                }),
            "fitness" => fitness(text),
            "learn" => shown(learning::parse(text, path(), None, known)).is_some(),
            "logs" => logs(bytes),
            "manifest" => {
                known.from_json::<Manifest>(text).is_ok()
                    || known.from_json::<Comparison>(text).is_ok()
                    || known.from_json::<crate::papers::reproduce::TableReport>(text).is_ok()
            }
            "moves" => shown(parse_match(text, path())).is_some(),
            "notation" => notation(text),
            "numbers" => shown(parse_numbers(text, path())).is_some(),
            "openings" => openings(text),
            "runner" => runner(text),
            "table" => shown(parse_table(text, Some(path()))).is_some(),
            "tournament" => shown(tournament::parse(text, path(), false, known)).is_some(),
            "uci" => uci(bytes),
            "values" => values(text),
            "weights" => weights(text),
            _ => return None,
        })
    })
}

/// The file that errors name. There is none.
fn path() -> &'static Path {
    Path::new("/fuzzing/there.is.none")
}

/// Prints an error in every form.
fn shown<T>(read: Result<T>) -> Option<T> {
    read.inspect_err(|error| {
        let longest = error.to_string().len() + error.snippet().map_or(0, |snippet| snippet.len());
        assert!(longest < 20_000, "an error of {longest} bytes: {error}");
        let _ = error.styled_snippet();
    })
    .ok()
}

fn assert_json<T: Serialize + DeserializeOwned>(value: &T, what: &str) {
    let json = serde_json::to_string(value).expect("it can be written");
    let again: T = built_in().from_json(&json).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(serde_json::to_string(&again).expect("it can be written"), json, "{what}");
}

/// Whether a parser accepts what it reads as of some game. It is asked for all.
fn of_any_game(read: impl Fn(Scope<'_>) -> bool) -> bool {
    let (known, mut accepted) = (built_in(), false);
    for game in KNOWN.iter().copied().chain([GameInfo::OUTSIDE]) {
        accepted |= read(known.scope(game, Path::new("/fuzzing")));
    }
    accepted
}

fn agent(text: &str) -> bool {
    of_any_game(|scope| {
        let Some(spec) = shown(AgentSpec::parse_in(text, scope)) else { return false };
        let printed = spec.to_string();
        assert_json(&spec, &printed);
        let again = AgentSpec::parse_in(&printed, scope).map(|again| again.to_string());
        assert_eq!(again.as_ref(), Ok(&printed));
        shown(spec.complete(scope.game));
        true
    })
}

/// The first line is the text form, the others are a file.
fn openings(text: &str) -> bool {
    let (form, file) = text.split_once('\n').unwrap_or((text, ""));
    of_any_game(|scope| {
        let form = shown(Openings::parse_in(form, "", scope));
        let file = shown(Openings::read_lines(file, path(), Split::All, "", scope.game));
        for openings in form.iter().chain(&file) {
            openings.check().expect("what a text says can be drawn");
        }
        form.is_some() || file.is_some()
    })
}

/// The first line is the rules, the others are positions and moves.
fn notation(text: &str) -> bool {
    let (rules, lines) = text.split_once('\n').unwrap_or((text, ""));
    let of_games = [notation_of::<Uttt>, notation_of::<Qubic>, notation_of::<Chess>];
    of_games.map(|read| read(rules, lines)).contains(&true)
}

fn notation_of<P: Game>(rules: &str, lines: &str) -> bool {
    let _ = P::INFO.check_rules(rules);
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
        let again = P::from_notation(&notation, rules).map(|again| again.notation());
        assert_eq!(again.as_ref(), Ok(&notation));
        position.canonical_key();
        let moves: Vec<P::Move> = position.legal_moves().collect();
        assert!(moves.iter().all(|&mv| position.is_legal(mv)), "{notation}");
        let fits = !moves.is_empty() && moves.len() == position.legal_move_count();
        assert!(position.outcome().is_some() || fits, "{notation}");
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
    let games: Vec<_> = text.lines().flat_map(games).collect();
    assert!(games.iter().all(|games| games.len() == 4));
    !games.is_empty()
}

/// Requests of `tictune fitness` about a small plan.
fn fitness(text: &str) -> bool {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| {
        let text = include_str!("../experiments/staged/advanced.toml");
        config::parse(text, path(), Overrides::default(), &built_in()).expect("a good config")
    });
    let candidates = text.lines().filter_map(|line| Some(request::read_line(line).ok()?.0));
    let read = candidates.flatten().map(|candidate| FitnessRequest::read(&candidate, &PLAN, 0));
    read.filter(Result::is_ok).count() > 0
}

fn logs(bytes: &[u8]) -> bool {
    fn rows<R: DeserializeOwned>(bytes: &[u8]) -> Vec<R> {
        rows_in::<R>(bytes).into_iter().flatten().collect()
    }
    let (candidates, axes) = (rows::<CandidateRow>(bytes), rows::<AxesRow>(bytes));
    let tallies = candidates.iter().map(|row| row.measured.tally);
    tallies.fold(Tally::default(), |sum, tally| sum.plus(&tally));
    let _ = axes.iter().map(|row| (row.lengths(), row.ends())).collect::<Vec<_>>();
    let (games, mut sum) = (rows::<TournamentRow>(bytes), Summary::default());
    for row in &games {
        let _ = (row.check::<Uttt>(Default::default()), row.check::<Chess>(Default::default()));
        sum = sum.plus(&row.summary());
    }
    let others = rows::<GenerationRow>(bytes).len() + rows::<LoggedMatch>(bytes).len();
    candidates.len() + axes.len() + games.len() + others > 0
}

/// The values of all keys survive; what is 0 is left out.
fn values(text: &str) -> bool {
    of_any_game(|scope| {
        let read = |text: &str| ValueTable::parse(text, path(), scope.game);
        let Some(table) = shown(read(text)) else { return false };
        let written = table.to_text().expect("memory takes it");
        let again = read(&String::from_utf8_lossy(&written)).expect("what was written is read");
        assert!(table.values.iter().all(|(key, value)| again.value(*key) == *value));
        true
    })
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
