use std::path::PathBuf;

use rand::RngExt;

use super::*;
use crate::seed::{Generator, Role, generator};

/// The inputs of a corpus: valid ones, and those that once crashed a parser.
fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let inputs: Vec<_> =
        files.into_iter().map(|file| (file.clone(), std::fs::read(file).unwrap())).collect();
    assert!(!inputs.is_empty(), "{name}");
    inputs
}

/// Changes an input as fuzzers do.
fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Generator) {
    const WORDS: &str = "-1 0 1e999 NaN 18446744073709551615 9223372036854775808 \" \\ { [ \n , \0 \u{feff} \u{fffd}\u{10ffff} =";
    let words: Vec<&str> = WORDS.split(' ').collect();
    for _ in 0..random.random_range(1..=4) {
        let at = random.random_range(0..=input.len());
        let end = (at + random.random_range(0..=16)).min(input.len());
        let of_other = random.random_range(0..=other.len());
        let replacement = match random.random_range(0..7) {
            0 => vec![random.random()],
            1 => Vec::new(),
            2 => words[random.random_range(0..words.len())].into(),
            3 => input[at..end].repeat(random.random_range(2..=3)),
            4 => other[of_other..(of_other + 40).min(other.len())].to_vec(),
            5 => input[at..end].iter().map(|byte| byte ^ 1 << random.random_range(0..8)).collect(),
            _ => random.random_range(0..u64::MAX).to_string().into(),
        };
        input.splice(at..end, replacement);
    }
}

#[test]
fn every_corpus_has_a_parser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    for folder in folders.map(|name| name.into_string().unwrap()) {
        let known = names().any(|name| name == folder);
        assert!(known || folder == "cluster" && cfg!(not(feature = "cluster")), "{folder}");
    }
    assert_eq!(parse("no such parser", b""), None);
}

/// Whether a parser did not panic; whether it accepted an input that is valid.
fn passes(name: &str, file: Option<&Path>, input: &[u8]) -> bool {
    let Ok(accepted) = std::panic::catch_unwind(|| parse(name, input)) else { return false };
    let file = file.and_then(Path::file_name).map(|name| name.to_string_lossy());
    let is_valid =
        file.is_some_and(|name| !name.starts_with("crash") && !name.starts_with("refused"));
    accepted == Some(true) || !is_valid
}

/// The short run of the fuzzer: without coverage, but on every machine and in seconds. Files of a corpus that are called
/// "crash" once made the parser panic, those that are called "refused" are wrong on purpose. All others are valid.
#[test]
fn no_parser_panics_on_its_corpus_or_on_inputs_that_are_like_it() {
    /// Of each parser, however many inputs its corpus has.
    const MUTANTS: usize = 1000;
    let mut wrong = Vec::new();
    for (number, name) in names().enumerate() {
        let inputs = corpus(name);
        let refused = inputs.iter().filter(|(file, input)| !passes(name, Some(file), input));
        wrong.extend(refused.map(|(file, _)| file.display().to_string()));
        let mut random = generator(number as u64, Role::AgentA);
        for _ in 0..MUTANTS {
            let mut input = inputs[random.random_range(0..inputs.len())].1.clone();
            let other = &inputs[random.random_range(0..inputs.len())].1;
            mutate(&mut input, other, &mut random);
            if !passes(name, None, &input) {
                wrong.push(format!("{name}: {}", input.escape_ascii()));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
