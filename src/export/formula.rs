//! Evaluations as programs: a small language of whole numbers, real numbers and lists, from which exports are printed in the
//! languages of bots.
//!
//! A game describes its evaluations once, in a text (`formulas.txt` in its folder), and tests compare what every language
//! makes of it with the evaluator of the game. The language has lines, and blocks by indentation:
//!
//! ```text
//! # A comment, which the exports have too.
//! list REGION = 1 2 1  2 0 2  1 2 1
//! table fitted                                 numbers that the game computes, read as fitted(index); see [`Table`]
//!
//! fn count(squares[9], player)                 whole numbers in, a whole number out; NAME[N] is a list of N of them
//!     var count = 0                            `var` may change, `let` may not; `var NAME[N]` is a list of zeros
//!     for place in 0..9
//!         if squares[place] == player and REGION[place] != 2
//!             count += 1
//!     return count
//!
//! fn evaluate simple(squares[9]) -> real       the evaluation of this name; weights are named as their slots, in capitals
//!     let value: real = MICRO_WIN * real(count(squares, 1))
//!     return value
//!
//! fn evaluate same = simple                    another evaluation with the same formula
//! ```

use crate::game::Formulas;

/// A function. What it does is still text, in lines, which `writer` writes in a language.
pub(super) struct Function {
    pub(super) comment: String,
    pub(super) name: String,
    /// Their names; a list has a length as well.
    pub(super) parameters: Vec<(String, Option<usize>)>,
    pub(super) is_real: bool,
    pub(super) body: Vec<&'static str>,
}

/// Constants: a list, or a table of many numbers, which exports have as text, because compilers refuse lists of so many.
pub(super) struct List {
    pub(super) comment: String,
    pub(super) name: String,
    pub(super) values: Vec<i32>,
}

/// What an export of an evaluation needs: the lists and functions behind it in the order of the text, `evaluate` the last.
pub(super) struct Formula {
    pub(super) lists: Vec<List>,
    pub(super) tables: Vec<List>,
    pub(super) functions: Vec<Function>,
}

/// The formula of an evaluation of a game; `None` if the game has none, or its text is not in the language.
pub(super) fn find(formulas: &Formulas, evaluation: &str) -> Option<Formula> {
    let (mut lists, mut tables, mut functions) = (Vec::new(), Vec::new(), Vec::new());
    // Perhaps another name of the same formula.
    let names = formulas.text.lines().filter_map(|line| line.strip_prefix("fn evaluate "));
    let mut same = names.filter_map(|line| line.split_once(" = "));
    let wanted = same.find(|(name, _)| *name == evaluation).map_or(evaluation, |(_, same)| same);
    for block in formulas.text.split("\n\n") {
        let (comments, code): (Vec<&str>, Vec<&str>) =
            block.lines().partition(|line| line.starts_with('#'));
        let comment = comments.iter().map(|line| line[1..].trim()).collect::<Vec<_>>().join(" ");
        let Some((&head, rest)) = code.split_first() else { continue };
        if let Some(list) = head.strip_prefix("list ") {
            let (name, first) = list.split_once('=')?;
            let numbers = [first].into_iter().chain(rest.iter().copied());
            let numbers = numbers.flat_map(str::split_whitespace);
            let values = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
            lists.push(List { comment, name: name.trim().into(), values });
        } else if let Some(name) = head.strip_prefix("table ") {
            tables.push((comment, name.trim()));
        } else if let Some(head) = head.strip_prefix("fn ").filter(|head| !head.contains(" = ")) {
            let function = function(head, rest.to_vec(), comment)?;
            match function.name.strip_prefix("evaluate ") {
                None => functions.push(function),
                Some(name) if name == wanted => {
                    functions.push(Function { name: "evaluate".into(), ..function });
                    break;
                }
                Some(_) => {}
            }
        }
    }
    // What `evaluate` does not need is left out. A function uses only those before it.
    let mut kept = vec![functions.pop().filter(|last| last.name == "evaluate")?];
    for function in functions.into_iter().rev() {
        if is_used(&function.name, &kept) {
            kept.push(function);
        }
    }
    kept.reverse();
    lists.retain(|list| is_used(&list.name, &kept));
    let tables =
        tables.into_iter().filter(|(_, name)| is_used(name, &kept)).map(|(comment, name)| {
            let (_, values) = formulas.tables.iter().find(|(table, _)| *table == name)?;
            Some(List { comment, name: name.into(), values: values(evaluation) })
        });
    Some(Formula { lists, tables: tables.collect::<Option<_>>()?, functions: kept })
}

fn is_used(name: &str, users: &[Function]) -> bool {
    let mut lines = users.iter().flat_map(|user| &user.body);
    lines.any(|line| !line.trim_start().starts_with('#') && words(line).any(|word| word == name))
}

/// The words of an expression: names and numbers.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn function(head: &str, body: Vec<&'static str>, comment: String) -> Option<Function> {
    let (signature, is_real) = match head.split_once("->") {
        Some((signature, kind)) => (signature.trim(), kind.trim() == "real"),
        None => (head.trim(), false),
    };
    let (name, rest) = signature.split_once('(')?;
    let parameters = rest.strip_suffix(')')?.split(',').map(|text| {
        Some(match text.trim().split_once('[') {
            Some((name, length)) => (name.into(), Some(length.strip_suffix(']')?.parse().ok()?)),
            None => (text.trim().into(), None),
        })
    });
    let parameters = parameters.collect::<Option<_>>()?;
    Some(Function { comment, name: name.trim().into(), parameters, is_real, body })
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Language};
    use super::*;
    use crate::game::FormulaTable;

    // That exports have what they use and no more is shown by the compilers in tests/programs/exports.rs, which refuse the rest.
    #[test]
    fn what_is_not_in_the_language_is_no_formula() {
        const RIGHT: &str = "# Values.\ntable fitted\n\nfn evaluate first(cells[3]) -> real\n    var sum = fitted(cells[0])\n    \
                             return WIN * real(sum)\n";
        const TABLES: &[FormulaTable] = &[("fitted", |_| vec![7, -7])];
        let rust = Language::of(Format::Rust).unwrap();
        let written = |text: String, evaluation: &str| {
            let text = text.leak();
            let formulas = Formulas { text, usage: "", arguments: &[], rules: "", tables: TABLES };
            rust.formula(&find(&formulas, evaluation)?)
        };
        assert!(written(RIGHT.into(), "first").is_some());
        assert_eq!(written(RIGHT.into(), "second"), None);
        for (right, wrong) in [
            ("fitted", "unknown"),
            ("var sum = ", "sum + "),
            ("var sum = ", "for cell 0..3 "),
            ("var sum = fitted(cells[0])", "var x"),
        ] {
            assert_eq!(written(RIGHT.replace(right, wrong), "first"), None, "{wrong}");
        }
    }
}
