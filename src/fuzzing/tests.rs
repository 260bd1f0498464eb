use rand::RngExt;
use rayon::prelude::*;

use super::parse;
use crate::seed::{Generator, Role, generator};

/// Changes an input as fuzzers do: replaces a part of it.
fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Generator) {
    const WORDS: &str = "-1 0 1e999 NaN 18446744073709551615 9223372036854775808 \" \\ { [ \n , \0 \u{feff} \u{fffd}\u{10ffff} =";
    let words: Vec<&str> = WORDS.split(' ').collect();
    for _ in 0..random.random_range(1..=4) {
        let mut part_of = |text: &[u8], most: usize| {
            let start = random.random_range(0..=text.len());
            start..(start + random.random_range(0..=most)).min(text.len())
        };
        let (part, of_other) = (part_of(input, 16), part_of(other, 40));
        let replacement = match random.random_range(0..4) {
            0 => vec![random.random()],
            1 => words[random.random_range(0..words.len())].into(),
            2 => input[part.clone()].repeat(random.random_range(2..=3)),
            _ => other[of_other].to_vec(),
        };
        input.splice(part, replacement);
    }
}

/// Whether a parser accepts an input; `None` if it panics.
fn accepts(name: &str, input: &[u8]) -> Option<bool> {
    std::panic::catch_unwind(|| parse(name, input).expect("each corpus has a parser")).ok()
}

/// The short run of the fuzzer: without coverage, but on every machine and in seconds. Files of a corpus that are called
/// "crash" once made the parser panic, those that are called "refused" are wrong on purpose. All others are valid.
#[test]
fn no_parser_panics_on_its_corpus_or_on_inputs_that_are_like_it() {
    /// Of each parser, however many inputs its corpus has.
    const MUTANTS: usize = 500;
    let read = |folder: &str| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let folders = read(CORPUS);
    let wrong = folders.par_iter().enumerate().flat_map_iter(|(number, name)| {
        let (mut wrong, mut inputs) = (Vec::new(), Vec::new());
        if name == "cluster" && cfg!(not(feature = "cluster")) {
            return wrong;
        }
        for file in read(&format!("{CORPUS}/{name}")) {
            let input = std::fs::read(format!("{CORPUS}/{name}/{file}")).unwrap();
            let may_be_wrong = file.starts_with("crash") || file.starts_with("refused");
            if accepts(name, &input).is_none_or(|accepted| !accepted && !may_be_wrong) {
                wrong.push(format!("{name}/{file}"));
            }
            inputs.push(input);
        }
        let mut random = generator(number as u64, Role::AgentA);
        for _ in 0..MUTANTS {
            let mut input = inputs[random.random_range(0..inputs.len())].clone();
            let other = &inputs[random.random_range(0..inputs.len())];
            mutate(&mut input, other, &mut random);
            if accepts(name, &input).is_none() {
                wrong.push(format!("{name}: {}", input.escape_ascii()));
                break;
            }
        }
        wrong
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
