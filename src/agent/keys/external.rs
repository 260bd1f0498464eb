//! The keys of other programs: the command, and what of it changes from candidate to candidate.

use std::collections::BTreeMap;
use std::path::Path;

use strum::VariantNames;

use super::super::inline;
use super::super::key::{Key, Place, Refusal};
use super::super::kinds::{AgentKind, ExternalSettings, Kind};
use super::super::placeholders::PlaceholderValue;
use super::super::spec::AgentSpec;
use crate::input::{Document, InputError, read_text};
use crate::protocol::Protocol;
use crate::weights::Scope;

/// The kind that these are of.
const PROGRAMS: &[Kind] = &[Kind::External];

/// The kinds that are given numbers by name.
const NUMBERED: &[Kind] = &[Kind::External, Kind::Runner];

/// The command, the protocol, and what changes from candidate to candidate.
pub(super) fn keys() -> Vec<Key> {
    let command = |text: &str| (!text.trim().is_empty()).then(|| text.to_string());
    let mut keys = vec![
        Key::of(
            "cmd",
            at!(External | Runner, it => it.command),
            "a program and its arguments",
            command,
        )
        .required("cmd=\"PROGRAM ARGUMENTS\"")
        .example("\"./bot --fast\"")
        .help("The program and its arguments. Quotes keep words together; no shell looks at it"),
        Key::of(
            "protocol",
            at!(External, it => it.protocol),
            Protocol::VARIANTS.join(" or "),
            |text| text.parse().ok(),
        )
        .required("protocol=theaigames|codingame|uci")
        .example("theaigames")
        .help("The protocol that the program speaks"),
    ];
    keys.push(
        Key::of(
            "grace",
            at!(External, it => it.grace),
            "a share of its time from 0 to 10",
            |text| text.parse().ok().filter(|share| (0.0..=10.0).contains(share)),
        )
        .example("0.5")
        .help("How late a move may be before the game is forfeited; such moves are counted"),
    );
    keys.extend(of_candidates());
    keys
}

/// What placeholders may be in, and their values.
fn of_candidates() -> Vec<Key> {
    const TEXTS: &str = "a table of texts, as in { NAME = \"text\" }";
    let env = Key::new(
        "env",
        PROGRAMS,
        TEXTS,
        |spec, text, _| {
            program(spec)?.env = texts(text).ok_or(Refusal::Value)?;
            Ok(())
        },
        |spec| shown(&of(spec)?.env),
    );
    let setup = Key::new(
        "setup",
        PROGRAMS,
        "a list of lines, as in [\"line\"]",
        |spec, text, _| {
            program(spec)?.setup = lines(text).ok_or(Refusal::Value)?;
            Ok(())
        },
        |spec| inline::list(&of(spec)?.setup),
    );
    let options = Key::new(
        "options",
        PROGRAMS,
        TEXTS,
        |spec, text, _| {
            program(spec)?.options = texts(text).ok_or(Refusal::Value)?;
            Ok(())
        },
        |spec| shown(&of(spec)?.options),
    );
    let numbers = Key::new("numbers", NUMBERED, NUMBERS, read_numbers, |spec| {
        let pairs = numbers_of(spec)?.iter();
        inline::table(pairs.map(|(name, value)| (name, value.to_string())))
    });
    vec![
        env.inline()
            .example("{ CORNER = \"{corner}\" }")
            .help("Variables of the program's environment; {corner} stands for a number"),
        setup
            .inline()
            .example("[\"corner {corner}\"]")
            .help("Lines that the program is sent before anything else"),
        options
            .inline()
            .example("{ Hash = \"16\" }")
            .help("Options that the protocol has a way of setting"),
        numbers.inline().example("{ corner = 3.5 }").help(
            "What {corner} in cmd, env, setup and options stands for, or what a runner is sent; also a file of such lines",
        ),
    ]
}

const NUMBERS: &str = "a table of numbers, as in { corner = 3.5 }, or a file of them";

fn of(spec: &AgentSpec) -> Option<&ExternalSettings> {
    match &spec.kind {
        AgentKind::External(settings) => Some(settings),
        _ => None,
    }
}

fn program(spec: &mut AgentSpec) -> Result<&mut ExternalSettings, Refusal> {
    match &mut spec.kind {
        AgentKind::External(settings) => Ok(settings),
        _ => Err(Refusal::Part),
    }
}

fn shown(texts: &BTreeMap<String, String>) -> Option<String> {
    inline::table(texts.iter().map(|(name, text)| (name, inline::string(text))))
}

/// A scalar as text.
fn scalar(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(PlaceholderValue::Number(*number).to_string()),
        toml::Value::Boolean(on) => Some(on.to_string()),
        _ => None,
    }
}

fn texts(text: &str) -> Option<BTreeMap<String, String>> {
    let value = inline::read(text)?;
    value.as_table()?.iter().map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
}

fn lines(text: &str) -> Option<Vec<String>> {
    let value = inline::read(text)?;
    let is_line = |line: &String| !line.contains(['\n', '\r']);
    value.as_array()?.iter().map(|line| scalar(line).filter(is_line)).collect()
}

fn read_numbers(spec: &mut AgentSpec, text: &str, scope: Scope<'_>) -> Result<(), Refusal> {
    let numbers = numbers(text, scope.folder)?;
    match &mut spec.kind {
        AgentKind::External(settings) => settings.numbers = numbers,
        AgentKind::Runner(settings) => settings.numbers = numbers,
        _ => return Err(Refusal::Part),
    }
    Ok(())
}

fn numbers_of(spec: &AgentSpec) -> Option<&BTreeMap<String, PlaceholderValue>> {
    match &spec.kind {
        AgentKind::External(settings) => Some(&settings.numbers),
        AgentKind::Runner(settings) => Some(&settings.numbers),
        _ => None,
    }
}

/// Numbers by name: a table in one line, or the name of a file.
fn numbers(text: &str, folder: &Path) -> Result<BTreeMap<String, PlaceholderValue>, Refusal> {
    if !text.starts_with('{') {
        return Ok(read_file(&folder.join(text))?);
    }
    let value = inline::read(text).ok_or(Refusal::Value)?;
    let pairs = value.as_table().ok_or(Refusal::Value)?.iter();
    pairs
        .map(|(name, value)| {
            let value = match value {
                toml::Value::Boolean(on) => PlaceholderValue::Switch(*on),
                toml::Value::Integer(whole) if whole.unsigned_abs() <= 1 << 53 => {
                    PlaceholderValue::Number(*whole as f64)
                }
                toml::Value::Float(number) if number.is_finite() => {
                    PlaceholderValue::Number(*number)
                }
                other => {
                    let reason =
                        format!("numbers: {name}: expected a finite number, found {other}");
                    return Err(reason.into());
                }
            };
            Ok((name.clone(), value))
        })
        .collect()
}

/// Reads a file of numbers by name: lines `NAME = VALUE` of TOML, where values may be true and false.
///
/// # Errors
/// A file that cannot be read, or holds anything else.
pub(crate) fn read_file(path: &Path) -> Result<BTreeMap<String, PlaceholderValue>, InputError> {
    parse_file(&read_text(path)?, path)
}

/// Reads the text of such a file; `path` is the name that errors give.
///
/// # Errors
/// Anything else than such lines.
pub(crate) fn parse_file(
    text: &str,
    path: &Path,
) -> Result<BTreeMap<String, PlaceholderValue>, InputError> {
    let document = Document::parse(text, Some(path))?;
    let root = document.open_root();
    let names: Vec<&str> = root.keys().collect();
    let read = |name: &str| {
        let number = || Ok(root.number(name)?.map(PlaceholderValue::Number));
        let value = match root.boolean(name) {
            Ok(Some(on)) => Some(PlaceholderValue::Switch(on)),
            _ => number()?,
        };
        Ok(value.map(|value| (name.to_string(), value)))
    };
    names.into_iter().filter_map(|name| read(name).transpose()).collect()
}
