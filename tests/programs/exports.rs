//! Exports, as compilers and interpreters of the languages read them: the bits of every constant, and what `evaluate` says of
//! positions.
//!
//! Every language gets weights that a careless printer or reader gets wrong, and the same random positions of every
//! evaluation, with weights of which no two are alike: its values must be the counts of the position times the weights. The
//! exports are compiled with warnings as errors. A language whose compiler is missing is skipped. A Rust compiler is present
//! wherever these tests run.

use std::process::Command;

use tempfile::TempDir;
use tictune::export::{Format, export};
use tictune::game::features::Features;
use tictune::games::uttt::evaluation::COMPREHENSIVE;
use tictune::games::{Qubic, Uttt};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;
use tictune::{Game, NoRules, Player, Position, Searchable, WeightLayout};

use crate::common::{stderr, stdout};
use crate::needs::needs;

/// How many positions each evaluation is compared in.
const POSITIONS: usize = 120;

/// Weights as they are exported, and what `evaluate` has to give.
struct Case {
    /// A name for files and modules.
    place: String,
    weights: Weights,
    game: &'static tictune::GameInfo,
    /// The number of cells.
    cells: usize,
    /// Cells and the other arguments of each position.
    arguments: Vec<Vec<i32>>,
    expected: Vec<f64>,
}

/// A language, and how a program in it prints the bits of constants and the values of positions. The text has parts: `import`
/// and `evaluate` for each case, `constant` for each constant, `head` and `tail`; files, and the commands that compile and
/// run it. PLACE is the name of a case, SCOPE what its export is called (what comes after the words of the part `scope`, if
/// there is one), NAME a constant, CELLS and COUNT the numbers of cells and of arguments, MORE the arguments after the
/// cells, and FILES all exports.
struct Language(Format, &'static str);

const RUST: Language = Language(Format::Rust, include_str!("languages/rust.txt"));
const C: Language = Language(Format::C, include_str!("languages/c.txt"));
const CPP: Language = Language(Format::Cpp, include_str!("languages/cpp.txt"));
const JAVA: Language = Language(Format::Java, include_str!("languages/java.txt"));
const JAVASCRIPT: Language = Language(Format::JavaScript, include_str!("languages/javascript.txt"));
const PYTHON: Language = Language(Format::Python, include_str!("languages/python.txt"));

/// Weights of which no two have the same size or are multiples of each other.
fn unlike(name: &str, layout: &'static WeightLayout) -> Weights {
    let value = |slot: usize| (1.0 + slot as f64).sqrt() * if slot % 3 == 1 { -1.7 } else { 2.3 };
    Weights::new(name, layout, (0..layout.len()).map(value).collect()).unwrap()
}

fn number(player: Option<Player>) -> i32 {
    player.map_or(0, |player| player.index() as i32 + 1)
}

/// Positions along random games.
fn positions<P: Searchable>(start: &P) -> Vec<P> {
    let mut draws = generator(7, Role::AgentA);
    let mut found = Vec::new();
    while found.len() < POSITIONS {
        let mut position = start.clone();
        while position.outcome().is_none() {
            found.push(position.clone());
            position
                .play_drawn(|count| (rand::Rng::next_u64(&mut draws) % u64::from(count)) as u32);
        }
    }
    // Games end with few free cells: every third position of several games.
    found.into_iter().step_by(3).collect()
}

fn cells_of_uttt(position: &Uttt) -> Vec<i32> {
    let square = |index: usize| tictune::games::uttt::UtttMove::new(index / 9, index % 9).unwrap();
    (0..81).map(|index| number(position.at(square(index)))).collect()
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for layout in Uttt::INFO.layouts {
        let place = format!("uttt_{}", layout.name.replace('-', "_"));
        let weights = unlike(&place, layout);
        let features = Features::<Uttt>::new(layout).unwrap();
        let value = |counts: &[f64]| counts.iter().zip(weights.values()).map(|(c, w)| c * w).sum();
        let (mut arguments, mut expected) = (Vec::new(), Vec::<f64>::new());
        for position in positions(&Uttt::start(Default::default())) {
            let side = position.side_to_move();
            let mut row = cells_of_uttt(&position);
            match layout.name {
                "cells-weight" | "grid-moves" => {
                    let mut moves = position.legal_moves();
                    let Some(mv) = moves.find(|&mv| position.after(mv).outcome().is_none()) else {
                        continue;
                    };
                    // The value of a move that was made, or is still to be made, from the view of player 1.
                    if layout.name == "cells-weight" {
                        row = cells_of_uttt(&position.after(mv));
                    }
                    row.extend([number(Some(side)), mv.board() as i32, mv.cell() as i32]);
                    let own: f64 = value(&features.after(&position, &[mv]));
                    expected.push(if side == Player::First { own } else { 0.0 - own });
                }
                "heur4" | "grid" | "extended" | "patterns" | "patterns-count" => {
                    row.push(position.target().map_or(-1, |board| board as i32));
                    row.push(number(Some(side)));
                    expected.push(value(&features.of(&position, Player::First)));
                }
                _ => expected.push(value(&features.of(&position, Player::First))),
            }
            arguments.push(row);
        }
        if layout.name == "advanced" {
            // Other weights of the same evaluation, in the same program.
            let values = weights.values().iter().map(|value| 2.0 * value).collect();
            let (place, arguments) = ("uttt_again".to_owned(), arguments.clone());
            let weights = Weights::new(&*place, layout, values).unwrap();
            let expected = expected.iter().map(|value| 2.0 * value).collect();
            cases.push(Case { place, weights, game: Uttt::INFO, cells: 81, arguments, expected });
        }
        cases.push(Case { place, weights, game: Uttt::INFO, cells: 81, arguments, expected });
    }
    for layout in Qubic::INFO.layouts {
        let place = format!("qubic_{}", layout.name);
        let weights = unlike(&place, layout);
        let features = Features::<Qubic>::new(layout).unwrap();
        let (mut arguments, mut expected) = (Vec::new(), Vec::<f64>::new());
        for position in positions(&Qubic::start(NoRules)) {
            let cell = |index| tictune::games::qubic::QubicMove::from_index(index).unwrap();
            arguments.push((0..64).map(|index| number(position.at(cell(index)))).collect());
            let counts = features.of(&position, Player::First);
            expected.push(counts.iter().zip(weights.values()).map(|(c, w)| c * w).sum());
        }
        cases.push(Case { place, weights, game: Qubic::INFO, cells: 64, arguments, expected });
    }
    cases
}

/// A command in a comment, which is not wrapped, so that it can be copied; without the backslashes, which compilers read.
const COMMAND: &str = "tictune evolve 'my run/*.toml' --agent \"external:cmd=\\\"./bot -x\\\",time=1s\" --out 'a folder with a long \
                       name' --executor nats://127.0.0.1:4222 && echo {done} {functions}!";

/// Weights whose values a careless printer or reader gets wrong, and names that could end a comment or a string.
fn nasty_cases() -> Vec<Case> {
    let nasty = vec![
        1e-300,
        -0.0,
        5e-324,
        f64::MAX,
        0.1 + 0.2,
        -1.0 / 3.0,
        f64::MIN_POSITIVE,
        f64::MIN_POSITIVE.next_down(),
        1.0_f64.next_up(),
        -1e16,
        1e22,
        // Halfway between two numbers, just below the smallest normal one, and with many digits.
        9_007_199_254_740_993.0,
        2.225_073_858_507_201e-308,
        -123_456_789.012_345_67,
    ];
    let mut generator = generator(0, Role::AgentA);
    let bits = std::iter::repeat_with(|| f64::from_bits(rand::Rng::next_u64(&mut generator)));
    let random = bits.filter(|value| value.is_finite()).take(COMPREHENSIVE.len()).collect();
    // The user chooses the name.
    let vectors = [("nasty */ \"\"\" \\u000a \n // <!-- größe", nasty), ("random bits", random)];
    let cases = vectors.into_iter().enumerate().map(|(number, (name, values))| {
        let mut weights = Weights::new(name, &COMPREHENSIVE, values).expect("14 finite values");
        weights.provenance.insert("command".into(), COMMAND.into());
        weights.provenance.insert("source".into(), "*/ system(\"y\"); \\\n\"\"\" ??/".into());
        let (place, game, cells) = (format!("nasty_{number}"), Uttt::INFO, 81);
        Case { place, weights, game, cells, arguments: Vec::new(), expected: Vec::new() }
    });
    cases.collect()
}

impl Language {
    /// Exports cases, and compares what programs print with what was exported.
    fn agrees(&self) {
        let nasty = nasty_cases();
        nasty.iter().for_each(|case| self.escapes(case));
        if !self.part("needs").lines().all(needs) {
            return;
        }
        let mut cases = cases();
        cases.extend(nasty);
        if self.1.contains("\n== one case a program\n") {
            cases.chunks(1).for_each(|case| self.agrees_on(case));
        } else {
            self.agrees_on(&cases);
        }
    }

    /// Asserts that names and commands stay in their comments, which takes no compiler.
    fn escapes(&self, case: &Case) {
        let exported = export(&case.weights, self.0, case.game);
        assert!(exported.is_ascii(), "{exported}");
        let mut lines = exported.lines();
        assert!(lines.any(|line| line.ends_with(&COMMAND.replace('\\', ""))), "{exported}");
        assert!(!exported.contains("??/"), "a backslash in C with trigraphs: {exported}");
    }

    fn part(&self, name: &str) -> String {
        let lines = self.1.split_inclusive('\n');
        let from = lines.skip_while(|line| *line != format!("== {name}\n")).skip(1);
        from.take_while(|line| !line.starts_with("== ")).collect()
    }

    fn agrees_on(&self, cases: &[Case]) {
        let folder = tempfile::tempdir().unwrap();
        let (mut imports, mut body, mut files) = (String::new(), String::new(), String::new());
        for case in cases {
            let exported = export(&case.weights, self.0, case.game);
            let scope = match self.part("scope").trim() {
                "" => &case.place,
                before => {
                    let (_, after) = exported.split_once(&format!("{before} ")).unwrap();
                    after.split(' ').next().unwrap()
                }
            };
            let count = case.arguments.first().map_or(case.cells, Vec::len);
            let more: String = (case.cells..count).map(|index| format!(", row[{index}]")).collect();
            let filled = |text: &str| {
                let text = text.replace("PLACE", &case.place).replace("SCOPE", scope);
                let text = text.replace("CELLS", &case.cells.to_string()).replace("MORE", &more);
                text.replace("COUNT", &count.to_string())
            };
            imports += &filled(&self.part("import"));
            for slot in case.weights.layout().slots {
                body += &filled(&self.part("constant")).replace("NAME", &slot.name.to_uppercase());
            }
            body += &filled(&self.part("evaluate"));
            let file = filled(self.part("file of an export").trim());
            files += &format!(" {file}");
            write(&folder, &file, &exported);
            write(&folder, &format!("{}.txt", case.place), &rows(case));
        }
        let program = [imports, self.part("head"), body, self.part("tail")].concat();
        write(&folder, self.part("file").trim(), &program);
        let mut printed = String::new();
        for command in self.part("commands").lines() {
            printed = run(&folder, &command.replace("FILES", files.trim()));
        }
        assert_printed(cases, &printed);
    }
}

fn rows(case: &Case) -> String {
    let row = |row: &Vec<i32>| row.iter().map(i32::to_string).collect::<Vec<_>>().join(" ") + "\n";
    case.arguments.iter().map(row).collect()
}

fn write(folder: &TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).unwrap();
}

/// Runs a command in a folder and gives its output.
fn run(folder: &TempDir, command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    let program = if words[0] == "./main" { folder.path().join("main") } else { words[0].into() };
    let output =
        Command::new(program).args(&words[1..]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{command}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

/// Compares what a program printed, the bits of constants and then a value for each position, with the cases in order.
fn assert_printed(cases: &[Case], printed: &str) {
    let mut lines = printed.lines().map(str::trim);
    for case in cases {
        for (slot, value) in case.weights.layout().slots.iter().zip(case.weights.values()) {
            let bits = format!("{:016x}", value.to_bits());
            assert_eq!(lines.next(), Some(&*bits), "{} of {}", slot.name, case.place);
        }
        let size = case.weights.greatest_value();
        let some = case.expected.is_empty() || case.expected.iter().any(|value| value.abs() > 1e-3);
        assert!(some, "{} is always 0", case.place);
        for (expected, arguments) in case.expected.iter().zip(&case.arguments) {
            let line = lines.next().expect("a value for each position");
            let found: f64 = line.parse().unwrap_or_else(|_| panic!("{line}"));
            let close = (found - expected).abs() <= 1e-9 * (1.0 + size);
            assert!(close, "{}, {arguments:?}: {found}, expected {expected}", case.place);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn rust_has_the_same_bits_and_values() {
    RUST.agrees();
}

#[test]
fn c_has_the_same_bits_and_values() {
    C.agrees();
    if needs("cc") {
        // A bot may use only some constants, or none, so unused ones must not cause a warning.
        let folder = tempfile::tempdir().unwrap();
        write(&folder, "weights.h", &export(&nasty_cases()[0].weights, Format::C, Uttt::INFO));
        write(&folder, "main.c", "#include \"weights.h\"\n\nint main(void) {\n    return 0;\n}\n");
        run(&folder, C.part("commands").lines().next().unwrap());
    }
}

#[test]
fn cpp_has_the_same_bits_and_values() {
    CPP.agrees();
}

#[test]
fn java_has_the_same_bits_and_values() {
    JAVA.agrees();
}

#[test]
fn javascript_has_the_same_bits_and_values() {
    JAVASCRIPT.agrees();
}

#[test]
fn python_has_the_same_bits_and_values() {
    PYTHON.agrees();
}

#[test]
fn formats_of_data_hold_the_same_bits() {
    for Case { weights, .. } in nasty_cases() {
        let text = |format| export(&weights, format, Uttt::INFO);
        let json: serde_json::Value = serde_json::from_str(&text(Format::Json)).unwrap();
        let toml: toml::Table = text(Format::Toml).parse().unwrap();
        let csv = text(Format::Csv);
        assert_eq!(json["description"], weights.layout().description);
        for (slot, value) in weights.layout().slots.iter().zip(weights.values()) {
            let prefix = format!("{},", slot.name);
            let found = [
                json["weights"][slot.name].as_f64(),
                toml["weights"][slot.name].as_float(),
                csv.lines().find_map(|line| line.strip_prefix(&prefix)?.parse().ok()),
            ];
            assert_eq!(found.map(|found| found.map(f64::to_bits)), [Some(value.to_bits()); 3]);
            assert_eq!(json["descriptions"][slot.name], slot.description);
        }
    }
}
