//! The function `evaluate` of exports, as compilers and interpreters of the languages run it, against the evaluations here.
//!
//! Every language gets the same random positions of every evaluation, with weights of which no two are alike. Its values
//! must be the counts of the position times the weights. A language whose compiler is missing is skipped.

use std::fmt::Write;

use tempfile::TempDir;
use tictune::export::{Format, export};
use tictune::game::features::Features;
use tictune::games::{Qubic, Uttt};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;
use tictune::{Game, NoRules, Player, Position, Searchable, WeightLayout};

use crate::exports::{STRICT, new_folder, run, write};
use crate::needs::needs;

/// How many positions each evaluation is compared in.
const POSITIONS: usize = 120;

/// An evaluation as it is exported, and what it has to give.
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

impl Case {
    /// The call of `evaluate` in a language in which `cells` and `row` are the cells and all arguments.
    fn call(&self, function: &str, cells: &str) -> String {
        let more = (self.cells..self.arguments[0].len()).map(|index| format!(", row[{index}]"));
        format!("{function}({cells}{})", more.collect::<String>())
    }

    fn rows(&self) -> String {
        let row = |row: &Vec<i32>| row.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
        self.arguments.iter().map(row).collect::<Vec<_>>().join("\n") + "\n"
    }
}

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
                "cells-weight" => {
                    // The value of a move, from the view of who makes it.
                    let Some(mv) =
                        position.legal_moves().find(|&mv| position.after(mv).outcome().is_none())
                    else {
                        continue;
                    };
                    row = cells_of_uttt(&position.after(mv));
                    row.extend([number(Some(side)), mv.board() as i32, mv.cell() as i32]);
                    let own: f64 = value(&features.after(&position, &[mv]));
                    expected.push(if side == Player::First { own } else { 0.0 - own });
                }
                "grid-moves" => {
                    // The value of a move that is still to be made, from the view of player 1.
                    let mut moves = position.legal_moves();
                    let Some(mv) = moves.find(|&mv| position.after(mv).outcome().is_none()) else {
                        continue;
                    };
                    row.extend([number(Some(side)), mv.board() as i32, mv.cell() as i32]);
                    let own: f64 = value(&features.after(&position, &[mv]));
                    expected.push(if side == Player::First { own } else { 0.0 - own });
                }
                "heur4" | "grid" | "extended" | "patterns" => {
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
            cases.push(Case {
                place: "uttt_again".into(),
                weights: Weights::new("uttt_again", layout, values).unwrap(),
                game: Uttt::INFO,
                cells: 81,
                arguments: arguments.clone(),
                expected: expected.iter().map(|value| 2.0 * value).collect(),
            });
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

/// Writes the exports of all evaluations to a folder, and their positions.
fn exported(cases: &[Case], format: Format, file: impl Fn(&Case) -> String) -> TempDir {
    let folder = new_folder();
    for case in cases {
        write(&folder, &file(case), &export(&case.weights, format, case.game));
        write(&folder, &format!("{}.txt", case.place), &case.rows());
    }
    folder
}

/// Compares what a program printed, a value a line, with the values of the cases in order.
fn assert_values(language: &str, cases: &[Case], printed: &str) {
    let mut lines = printed.lines();
    for case in cases {
        let size = case.weights.greatest_value();
        assert!(case.expected.iter().any(|value| value.abs() > 1e-3), "{} is always 0", case.place);
        for (index, expected) in case.expected.iter().enumerate() {
            let line = lines.next().unwrap_or_else(|| panic!("{language}: too few values"));
            let found: f64 = line.trim().parse().unwrap_or_else(|_| panic!("{language}: {line}"));
            assert!(
                (found - expected).abs() <= 1e-9 * (1.0 + size),
                "{language}, {}, position {index} {:?}: {found}, expected {expected}",
                case.place,
                case.arguments[index]
            );
        }
    }
    assert_eq!(lines.next(), None, "{language}");
}

#[test]
fn rust_evaluates_alike() {
    let cases = cases();
    let folder = exported(&cases, Format::Rust, |case| format!("{}.rs", case.place));
    let mut program = String::new();
    for case in &cases {
        let _ = writeln!(program, "mod {};", case.place);
    }
    program += "\nfn rows(name: &str) -> Vec<Vec<i32>> {\n    let text = std::fs::read_to_string(name).unwrap();\n    \
                text.lines().map(|line| line.split(' ').map(|n| n.parse().unwrap()).collect()).collect()\n}\n\nfn main() {\n";
    for case in &cases {
        let Case { place, cells, .. } = case;
        let call = case.call(&format!("{place}::evaluate"), "&cells");
        let _ = writeln!(
            program,
            "    for row in rows(\"{place}.txt\") {{\n        let cells: [i32; {cells}] = row[..{cells}].try_into().unwrap();\n        \
             println!(\"{{:?}}\", {call});\n    }}"
        );
    }
    write(&folder, "main.rs", &(program + "}\n"));
    run(&folder, "", "rustc", &["--edition", "2021", "-D", "warnings", "main.rs", "-o", "main"]);
    let printed = run(&folder, "", folder.path().join("main"), &[]);
    assert_values("Rust", &cases, &printed);
}

#[test]
fn c_evaluates_alike() {
    if !needs("cc") {
        return;
    }
    let cases = cases();
    let folder = exported(&cases, Format::C, |case| format!("{}.h", case.place));
    let mut printed = String::new();
    for case in &cases {
        let (place, count) = (&case.place, case.arguments[0].len());
        let program = format!(
            "#include \"{place}.h\"\n#include <stdio.h>\n\nint main(void) {{\n    int row[{count}];\n    \
             FILE *file = fopen(\"{place}.txt\", \"r\");\n    while (file != NULL) {{\n        \
             for (int i = 0; i < {count}; i++) {{\n            if (fscanf(file, \"%d\", &row[i]) != 1) {{\n                \
             return 0;\n            }}\n        }}\n        printf(\"%.17g\\n\", {});\n    }}\n    return 1;\n}}\n",
            case.call("evaluate", "row")
        );
        write(&folder, "main.c", &program);
        run(&folder, "", "cc", &[&["-std=c99"], &STRICT[..], &["main.c", "-o", "main"]].concat());
        printed += &run(&folder, "", folder.path().join("main"), &[]);
    }
    assert_values("C", &cases, &printed);
}

#[test]
fn cpp_evaluates_alike() {
    if !needs("g++") {
        return;
    }
    let cases = cases();
    let folder = exported(&cases, Format::Cpp, |case| format!("{}.hpp", case.place));
    let mut program = String::new();
    for case in &cases {
        // Twice, as in projects of many files.
        let _ = writeln!(program, "#include \"{0}.hpp\"\n#include \"{0}.hpp\"", case.place);
    }
    program += "#include <cstdio>\n#include <fstream>\n\nint main() {\n";
    for case in &cases {
        let Case { place, cells, .. } = case;
        let count = case.arguments[0].len();
        let call = case.call(&format!("{place}_weights::evaluate"), "cells");
        let _ = writeln!(
            program,
            "    {{\n        std::ifstream file(\"{place}.txt\");\n        int row[{count}];\n        \
             while (file >> row[0]) {{\n            for (int i = 1; i < {count}; i++) {{\n                file >> row[i];\n            }}\n            \
             std::array<int, {cells}> cells{{}};\n            for (int i = 0; i < {cells}; i++) {{\n                cells[i] = row[i];\n            }}\n            \
             std::printf(\"%.17g\\n\", {call});\n        }}\n    }}"
        );
    }
    write(&folder, "main.cpp", &(program + "    return 0;\n}\n"));
    run(&folder, "", "g++", &[&["-std=c++11"], &STRICT[..], &["main.cpp", "-o", "main"]].concat());
    let printed = run(&folder, "", folder.path().join("main"), &[]);
    assert_values("C++", &cases, &printed);
}

#[test]
fn java_evaluates_alike() {
    if !needs("javac") || !needs("java") {
        return;
    }
    let cases = cases();
    let class = |case: &Case| {
        let text = export(&case.weights, Format::Java, case.game);
        let (_, rest) = text.split_once("public final class ").unwrap();
        rest.split_once(' ').unwrap().0.to_string()
    };
    let folder = exported(&cases, Format::Java, |case| format!("{}.java", class(case)));
    let mut program = String::from(
        "import java.nio.file.*;\nimport java.util.*;\n\npublic class Main {\n    \
         public static void main(String[] arguments) throws Exception {\n",
    );
    for case in &cases {
        let Case { place, cells, .. } = case;
        let call = case.call(&format!("{}.evaluate", class(case)), "cells");
        let _ = writeln!(
            program,
            "        for (String line : Files.readAllLines(Paths.get(\"{place}.txt\"))) {{\n            \
             int[] row = Arrays.stream(line.split(\" \")).mapToInt(Integer::parseInt).toArray();\n            \
             int[] cells = Arrays.copyOf(row, {cells});\n            System.out.println({call});\n        }}"
        );
    }
    write(&folder, "Main.java", &(program + "    }\n}\n"));
    let files: Vec<String> = cases.iter().map(|case| format!("{}.java", class(case))).collect();
    let mut arguments = vec!["-encoding", "UTF-8", "-Xlint:all", "-Werror", "Main.java"];
    arguments.extend(files.iter().map(String::as_str));
    run(&folder, "", "javac", &arguments);
    assert_values("Java", &cases, &run(&folder, "", "java", &["-cp", ".", "Main"]));
}

#[test]
fn javascript_evaluates_alike() {
    if !needs("node") {
        return;
    }
    let cases = cases();
    let folder = exported(&cases, Format::JavaScript, |case| format!("{}.mjs", case.place));
    let mut program = String::from("import fs from 'node:fs';\n");
    for Case { place, .. } in &cases {
        let _ = writeln!(program, "import * as {place} from './{place}.mjs';");
    }
    for case in &cases {
        let Case { place, cells, .. } = case;
        let call = case.call(&format!("{place}.evaluate"), &format!("row.slice(0, {cells})"));
        let _ = writeln!(
            program,
            "for (const line of fs.readFileSync('{place}.txt', 'utf8').trim().split('\\n')) {{\n    \
             const row = line.split(' ').map(Number);\n    console.log({call});\n}}"
        );
    }
    write(&folder, "main.mjs", &program);
    assert_values("JavaScript", &cases, &run(&folder, "", "node", &["main.mjs"]));
}

#[test]
fn python_evaluates_alike() {
    if !needs("python3") {
        return;
    }
    let cases = cases();
    let folder = exported(&cases, Format::Python, |case| format!("{}.py", case.place));
    let mut program = String::new();
    for case in &cases {
        let Case { place, cells, .. } = case;
        let call = case.call(&format!("{place}.evaluate"), &format!("row[:{cells}]"));
        let _ = writeln!(
            program,
            "import {place}\nfor line in open(\"{place}.txt\"):\n    row = [int(number) for number in line.split()]\n    print({call})"
        );
    }
    write(&folder, "main.py", &program);
    assert_values("Python", &cases, &run(&folder, "", "python3", &["-B", "main.py"]));
}
