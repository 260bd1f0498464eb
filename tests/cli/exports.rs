//! Exported weights, as compilers and interpreters of the languages read them.
//!
//! For each language, the export is compiled, with warnings as errors, into a small program that
//! prints the bits of every constant. They must be the bits that were exported. A language whose
//! compiler is missing is skipped. A Rust compiler is present wherever these tests run.

use std::path::Path;
use std::process::Command;

use rand::Rng;
use tempfile::TempDir;
use tictune::Game;
use tictune::export::{Format, export};
use tictune::games::Uttt;
use tictune::games::uttt::evaluation::COMPREHENSIVE;
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

use crate::needs::needs;

/// Weights of every layout, and values that a careless printer or reader gets wrong.
fn every_vector() -> Vec<Weights> {
    let mut vectors: Vec<Weights> =
        ["liang-simple", "liang-connecting", "liang-default", "liang-comprehensive"]
            .map(|name| Weights::builtin::<Uttt>(name).expect("a built-in name"))
            .to_vec();
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
    // The user chooses the name, so it must not be able to end a comment or a string.
    let name = "nasty */ \"\"\" \\u000a \n // <!-- größe";
    vectors.push(Weights::new(name, &COMPREHENSIVE, nasty).expect("14 finite values"));
    let mut generator = generator(0, Role::AgentA);
    let bits = std::iter::repeat_with(|| f64::from_bits(generator.next_u64()));
    let random = bits.filter(|value| value.is_finite()).take(COMPREHENSIVE.len()).collect();
    vectors.push(Weights::new("random bits", &COMPREHENSIVE, random).expect("14 finite values"));
    vectors
}

/// Names of constants: slot names in upper case.
fn names(weights: &Weights) -> Vec<String> {
    weights.layout().slots.iter().map(|slot| slot.name.to_uppercase()).collect()
}

/// A line of a program for each constant.
fn lines(weights: &Weights, line: impl Fn(&str) -> String) -> String {
    names(weights).iter().map(|name| line(name) + "\n").collect()
}

pub(super) fn write(folder: &TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text)
        .unwrap_or_else(|error| panic!("{name} in {}: {error}", folder.path().display()));
}

/// Runs a command in a folder and gives its output. If it fails, the test shows its output and the
/// export.
pub(super) fn run(
    folder: &TempDir,
    exported: &str,
    program: impl AsRef<Path>,
    arguments: &[&str],
) -> String {
    let program = program.as_ref();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{} {} failed: {}{}\non the export\n{exported}",
        program.display(),
        arguments.join(" "),
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Compares lines `NAME BITS` with the weights; the bits are sixteen hexadecimal digits.
fn assert_bits(language: &str, weights: &Weights, exported: &str, printed: &str) {
    let expected = names(weights)
        .iter()
        .zip(weights.values())
        .map(|(name, value)| format!("{name} {:016x}", value.to_bits()))
        .collect::<Vec<String>>();
    let found: Vec<&str> = printed.lines().map(str::trim_end).collect();
    assert_eq!(
        found,
        expected,
        "bits that {language} read, and those of weights {:?} {:?}; the export is\n{exported}",
        weights.name,
        weights.values()
    );
}

pub(super) fn new_folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn rust_reads_the_same_bits() {
    for weights in every_vector() {
        let folder = new_folder();
        let exported = export(&weights, Format::Rust, Uttt::INFO);
        write(&folder, "weights.rs", &exported);
        let print = lines(&weights, |name| {
            format!("    println!(\"{name} {{:016x}}\", weights::{name}.to_bits());")
        });
        write(&folder, "main.rs", &format!("mod weights;\n\nfn main() {{\n{print}}}\n"));
        run(
            &folder,
            &exported,
            "rustc",
            &["--edition", "2021", "-D", "warnings", "main.rs", "-o", "main"],
        );
        let printed = run(&folder, &exported, folder.path().join("main"), &[]);
        assert_bits("Rust", &weights, &exported, &printed);
    }
}

/// The arguments that make a C or C++ compiler strict.
pub(super) const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Compiles and runs `main.c`, which includes the export twice, under one language standard.
fn check_c(language: &str, compiler: &str, standard: &[&str]) {
    if !needs(compiler) {
        return;
    }
    for weights in every_vector() {
        let folder = new_folder();
        let exported = export(&weights, Format::C, Uttt::INFO);
        write(&folder, "weights.h", &exported);
        let print = lines(&weights, |name| format!("    print_bits(\"{name}\", {name});"));
        let program = format!(
            "#include \"weights.h\"\n\
             #include \"weights.h\"\n\
             #include <stdint.h>\n\
             #include <stdio.h>\n\
             #include <string.h>\n\n\
             static void print_bits(const char *name, double value) {{\n    \
                 uint64_t bits;\n    \
                 memcpy(&bits, &value, sizeof bits);\n    \
                 printf(\"%s %08lx%08lx\\n\", name, (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));\n\
             }}\n\n\
             int main(void) {{\n{print}    return 0;\n}}\n"
        );
        write(&folder, "main.c", &program);
        let arguments = [standard, &STRICT, &["main.c", "-o", "main"]].concat();
        run(&folder, &exported, compiler, &arguments);
        let printed = run(&folder, &exported, folder.path().join("main"), &[]);
        assert_bits(language, &weights, &exported, &printed);
        // A bot may use only some constants, or none, so unused ones must not cause a warning.
        write(&folder, "main.c", "#include \"weights.h\"\n\nint main(void) {\n    return 0;\n}\n");
        run(&folder, &exported, compiler, &arguments);
    }
}

#[test]
fn c_reads_the_same_bits() {
    check_c("C", "cc", &["-std=c99"]);
}

#[test]
fn cpp_reads_the_same_bits() {
    check_c("C++", "g++", &["-x", "c++", "-std=c++11"]);
}

#[test]
fn java_reads_the_same_bits() {
    if !needs("javac") || !needs("java") {
        return;
    }
    for weights in every_vector() {
        let folder = new_folder();
        let exported = export(&weights, Format::Java, Uttt::INFO);
        // The class is named after the evaluation, and Java requires a file of the same name.
        let class = exported
            .split_once("public final class ")
            .and_then(|(_, rest)| rest.split_once(' '))
            .map_or_else(|| panic!("no class in\n{exported}"), |(class, _)| class);
        write(&folder, &format!("{class}.java"), &exported);
        let print = lines(&weights, |name| {
            format!(
                "        System.out.printf(\"{name} %016x%n\", Double.doubleToRawLongBits({class}.{name}));"
            )
        });
        let program = format!(
            "public class Main {{\n    public static void main(String[] arguments) {{\n{print}    }}\n}}\n"
        );
        write(&folder, "Main.java", &program);
        let file = format!("{class}.java");
        run(
            &folder,
            &exported,
            "javac",
            &["-encoding", "UTF-8", "-Xlint:all", "-Werror", &file, "Main.java"],
        );
        let printed = run(&folder, &exported, "java", &["-cp", ".", "Main"]);
        assert_bits("Java", &weights, &exported, &printed);
    }
}

#[test]
fn python_reads_the_same_bits() {
    if !needs("python3") {
        return;
    }
    for weights in every_vector() {
        let folder = new_folder();
        let exported = export(&weights, Format::Python, Uttt::INFO);
        write(&folder, "weights.py", &exported);
        let print = lines(&weights, |name| {
            format!("print(\"{name}\", struct.pack(\">d\", weights.{name}).hex())")
        });
        write(&folder, "main.py", &format!("import struct\n\nimport weights\n\n{print}"));
        let printed = run(&folder, &exported, "python3", &["-B", "-W", "error", "main.py"]);
        assert_bits("Python", &weights, &exported, &printed);
    }
}

#[test]
fn formats_of_data_hold_the_same_bits() {
    for weights in every_vector() {
        let bits = |format: Format, value: &dyn Fn(&str) -> Option<f64>| {
            let slots = weights.layout().slots.iter();
            let read = slots.map(|slot| {
                format!(
                    "{} {:016x}\n",
                    slot.name.to_uppercase(),
                    value(slot.name).map_or(0, f64::to_bits)
                )
            });
            let printed: String = read.collect();
            assert_bits(
                &format!("{format:?}"),
                &weights,
                &export(&weights, format, Uttt::INFO),
                &printed,
            );
        };
        let json: serde_json::Value =
            serde_json::from_str(&export(&weights, Format::Json, Uttt::INFO))
                .expect("an export to JSON is JSON");
        bits(Format::Json, &|slot| json["weights"][slot].as_f64());
        let table: toml::Table =
            export(&weights, Format::Toml, Uttt::INFO).parse().expect("an export to TOML is TOML");
        bits(Format::Toml, &|slot| table["weights"][slot].as_float());
        let csv = export(&weights, Format::Csv, Uttt::INFO);
        bits(Format::Csv, &|slot| {
            let line = csv.lines().find_map(|line| line.strip_prefix(&format!("{slot},")))?;
            line.parse().ok()
        });
    }
}

#[test]
fn source_text_is_ascii() {
    for weights in every_vector() {
        for format in
            [Format::Rust, Format::C, Format::Cpp, Format::Java, Format::JavaScript, Format::Python]
        {
            let exported = export(&weights, format, Uttt::INFO);
            assert!(exported.is_ascii(), "{format:?} of weights {:?}:\n{exported}", weights.name);
        }
    }
}
