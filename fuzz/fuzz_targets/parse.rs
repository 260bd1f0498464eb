//! Lets the parser that the variable PARSER names read what libFuzzer makes up: see `fuzz/run`.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static PARSER: LazyLock<String> =
    LazyLock::new(|| std::env::var("PARSER").expect("PARSER is the name of a corpus"));

fuzz_target!(|bytes: &[u8]| {
    tictune::fuzzing::parse(&PARSER, bytes).expect("PARSER is the name of a corpus");
});
