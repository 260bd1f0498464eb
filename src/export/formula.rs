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

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function {
    /// The comment before it.
    pub(super) comment: String,
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    /// Whether it returns a real number.
    pub(super) is_real: bool,
    pub(super) body: Vec<Statement>,
}

/// A list of constants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct List {
    pub(super) comment: String,
    pub(super) name: String,
    pub(super) values: Vec<i32>,
}

/// Many numbers, which exports have as text: compilers refuse lists of so many.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) comment: String,
    pub(super) name: String,
    pub(super) values: Vec<i32>,
}

/// A parameter: a whole number, or a list of so many.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) length: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    Comment(String),
    /// `let`, or `var` where it changes; the value as text.
    Declare {
        name: String,
        is_real: bool,
        changes: bool,
        value: String,
    },
    /// A list of zeros.
    DeclareList {
        name: String,
        length: usize,
    },
    /// A place, an operator such as `=` or `+=`, and a value.
    Assign {
        place: String,
        operator: String,
        value: String,
    },
    For {
        name: String,
        from: String,
        to: String,
        body: Vec<Statement>,
    },
    If {
        condition: String,
        body: Vec<Statement>,
    },
    Return(String),
}

/// What an export of an evaluation needs: the lists and functions behind it in the order of the text, `evaluate` the last.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Formula {
    pub(super) lists: Vec<List>,
    pub(super) tables: Vec<Table>,
    pub(super) functions: Vec<Function>,
}

/// The formula of an evaluation of a game; `None` if the game has none, or its text is not in the language.
pub(super) fn find(formulas: &Formulas, evaluation: &str) -> Option<Formula> {
    let text = formulas.text;
    let (mut lists, mut tables, mut functions, mut found) =
        (Vec::new(), Vec::new(), Vec::new(), None);
    let mut wanted = evaluation;
    // Another name of the same formula.
    for line in text.lines() {
        if let Some((name, same)) =
            line.strip_prefix("fn evaluate ").and_then(|rest| rest.split_once(" = "))
            && name == evaluation
        {
            wanted = same.trim();
        }
    }
    let mut comment = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix('#') {
            comment =
                format!("{comment}{}{}", if comment.is_empty() { "" } else { " " }, words.trim());
            continue;
        }
        if let Some(rest) = line.strip_prefix("list ") {
            let (name, first) = rest.split_once('=')?;
            let mut numbers = first.to_string();
            while let Some(more) = lines.next_if(|line| line.starts_with(' ')) {
                numbers += &format!(" {more}");
            }
            let values = numbers.split_whitespace().map(|number| number.parse().ok());
            let values = values.collect::<Option<Vec<i32>>>()?;
            lists.push(List {
                comment: std::mem::take(&mut comment),
                name: name.trim().into(),
                values,
            });
        } else if let Some(name) = line.strip_prefix("table ") {
            tables.push((std::mem::take(&mut comment), name.trim()));
        } else if let Some(head) = line.strip_prefix("fn ").filter(|head| !head.contains(" = ")) {
            let mut block = Vec::new();
            while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
                block.push(line);
            }
            let function = function(head, &block, std::mem::take(&mut comment))?;
            match function.name.strip_prefix("evaluate ") {
                Some(name) if name == wanted => {
                    found = Some(Function { name: "evaluate".into(), ..function });
                    break;
                }
                Some(_) => {}
                None => functions.push(function),
            }
        }
        comment.clear();
    }
    let mut formula = only_what_is_used(lists, functions, found?);
    let is_used = |name: &str| formula.functions.iter().any(|user| uses(&user.body, name));
    for (comment, name) in tables.into_iter().filter(|(_, name)| is_used(name)) {
        let (_, values) = formulas.tables.iter().find(|(table, _)| *table == name)?;
        formula.tables.push(Table { comment, name: name.into(), values: values() });
    }
    Some(formula)
}

/// Leaves out what `evaluate` does not need.
fn only_what_is_used(lists: Vec<List>, functions: Vec<Function>, evaluate: Function) -> Formula {
    let mut kept = vec![evaluate];
    // A function uses only those before it.
    for function in functions.into_iter().rev() {
        if kept.iter().any(|user| uses(&user.body, &function.name)) {
            kept.push(function);
        }
    }
    kept.reverse();
    let is_used = |list: &List| kept.iter().any(|user| uses(&user.body, &list.name));
    let lists = lists.into_iter().filter(|list| is_used(list)).collect();
    Formula { lists, tables: Vec::new(), functions: kept }
}

/// Whether statements name something.
fn uses(statements: &[Statement], name: &str) -> bool {
    let names = |text: &str| words(text).any(|word| word == name);
    statements.iter().any(|statement| match statement {
        Statement::Comment(_) | Statement::DeclareList { .. } => false,
        Statement::Declare { value, .. } | Statement::Return(value) => names(value),
        Statement::Assign { place, value, .. } => names(place) || names(value),
        Statement::For { from, to, body, .. } => names(from) || names(to) || uses(body, name),
        Statement::If { condition, body } => names(condition) || uses(body, name),
    })
}

/// The words of an expression: names and numbers.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn function(head: &str, block: &[&str], comment: String) -> Option<Function> {
    let (signature, is_real) = match head.split_once("->") {
        Some((signature, kind)) => (signature.trim(), kind.trim() == "real"),
        None => (head.trim(), false),
    };
    let (name, rest) = signature.split_once('(')?;
    let parameters = rest.strip_suffix(')')?.split(',').map(|text| {
        let text = text.trim();
        Some(match text.split_once('[') {
            Some((name, length)) => Parameter {
                name: name.into(),
                length: Some(length.strip_suffix(']')?.parse().ok()?),
            },
            None => Parameter { name: text.into(), length: None },
        })
    });
    let parameters = parameters.collect::<Option<Vec<_>>>()?;
    let (body, rest) = statements(block, 1)?;
    rest.is_empty().then(|| Function {
        comment,
        name: name.trim().into(),
        parameters,
        is_real,
        body,
    })
}

/// Reads the statements of a block at a depth of indentation; returns the lines after it.
fn statements<'l, 't>(
    mut lines: &'l [&'t str],
    depth: usize,
) -> Option<(Vec<Statement>, &'l [&'t str])> {
    let mut found = Vec::new();
    while let [line, rest @ ..] = lines {
        let indent = line.len() - line.trim_start().len();
        if indent < 4 * depth {
            break;
        }
        let (statement, after) = statement(line.trim(), rest, depth)?;
        found.push(statement);
        lines = after;
    }
    Some((found, lines))
}

fn statement<'l, 't>(
    line: &str,
    rest: &'l [&'t str],
    depth: usize,
) -> Option<(Statement, &'l [&'t str])> {
    let owned = |text: &str| text.trim().to_string();
    if let Some(words) = line.strip_prefix('#') {
        return Some((Statement::Comment(owned(words)), rest));
    }
    if let Some(value) = line.strip_prefix("return ") {
        return Some((Statement::Return(owned(value)), rest));
    }
    if let Some(condition) = line.strip_prefix("if ") {
        let (body, rest) = statements(rest, depth + 1)?;
        return Some((Statement::If { condition: owned(condition), body }, rest));
    }
    if let Some(head) = line.strip_prefix("for ") {
        let (name, range) = head.split_once(" in ")?;
        let (from, to) = range.split_once("..")?;
        let (body, rest) = statements(rest, depth + 1)?;
        return Some((
            Statement::For { name: owned(name), from: owned(from), to: owned(to), body },
            rest,
        ));
    }
    let declared = [("let ", false), ("var ", true)]
        .into_iter()
        .find_map(|(word, changes)| Some((line.strip_prefix(word)?, changes)));
    if let Some((declaration, changes)) = declared {
        let Some((place, value)) = declaration.split_once(" = ") else {
            let (name, length) = declaration.split_once('[')?;
            let length = length.strip_suffix(']')?.parse().ok()?;
            return Some((Statement::DeclareList { name: owned(name), length }, rest));
        };
        let (name, is_real) = match place.split_once(':') {
            Some((name, kind)) => (name, kind.trim() == "real"),
            None => (place, false),
        };
        let (name, value) = (owned(name), owned(value));
        return Some((Statement::Declare { name, is_real, changes, value }, rest));
    }
    let (place, operator, value) = [" += ", " -= ", " = "].into_iter().find_map(|operator| {
        let (place, value) = line.split_once(operator)?;
        Some((owned(place), owned(operator), owned(value)))
    })?;
    Some((Statement::Assign { place, operator, value }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::FormulaTable;

    const TEXT: &str = "# The regions.\nlist REGION = 1 2\n    0\n\nlist UNUSED = 1\n\n# Adds.\nfn add(a, b[3])\n    \
                        return a + b[REGION[0]]\n\nfn unused(a)\n    return a\n\n# The first.\nfn evaluate first(cells[3]) -> real\n    \
                        var sum = 0\n    for cell in 0..3\n        # one by one\n        if cells[cell] == 1 and sum < 5\n            \
                        sum += add(cell, cells)\n    return WIN * real(sum)\n\nfn evaluate second = first\n";

    fn found(text: String, evaluation: &str) -> Option<Formula> {
        let text = text.leak();
        find(&Formulas { text, usage: "", arguments: &[], rules: "", tables: TABLES }, evaluation)
    }

    const TABLES: &[FormulaTable] = &[("fitted", || vec![7, -7])];

    #[test]
    fn a_formula_has_what_it_uses_and_no_more() {
        let formula = found(TEXT.into(), "first").unwrap();
        let names: Vec<&str> = formula.functions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["add", "evaluate"]);
        assert_eq!(formula.functions[1].comment, "The first.");
        assert!(formula.functions[1].is_real && !formula.functions[0].is_real);
        let [list] = &formula.lists[..] else { panic!("{:?}", formula.lists) };
        assert_eq!((list.name.as_str(), &list.values[..]), ("REGION", &[1, 2, 0][..]));
        assert_eq!(formula.tables, []);
        assert_eq!(found(TEXT.into(), "second"), Some(formula));
        assert_eq!(found(TEXT.into(), "third"), None);
    }

    #[test]
    fn the_game_gives_the_numbers_of_a_table() {
        let reading = |name: &str| {
            let text = TEXT.replace("# Adds.", &format!("# Values.\ntable {name}\n\n# Adds."));
            found(text.replace("return a + ", &format!("return {name}(a) + ")), "first")
        };
        let [table] = &reading("fitted").unwrap().tables[..] else { panic!("one table") };
        assert_eq!((table.comment.as_str(), &table.values[..]), ("Values.", &[7, -7][..]));
        assert_eq!(reading("unknown"), None);
    }

    #[test]
    fn what_is_not_in_the_language_is_no_formula() {
        for wrong in ["sum +", "for cell 0..3", "var x"] {
            assert_eq!(found(TEXT.replace("var sum = 0", wrong), "first"), None, "{wrong}");
        }
    }
}
