//! The standing trial of the verdicts in short: `experiments/null` has it whole.

use trial::rows;

#[path = "../../experiments/null/trial.rs"]
mod trial;

#[test]
fn verdicts_between_equals_are_seldom_false() {
    let rows = rows(15, 20_261_124).unwrap();
    // Of many rows at their level, one in forty lies outside its interval by chance.
    let many = rows.iter().filter(|row| !row.keeps_its_level());
    let many: Vec<_> = many.map(|row| (&row.what, row.wrong, row.trials)).collect();
    assert!(many.len() <= rows.len() / 20, "{many:#?}");
    let (wrong, trials) =
        rows.iter().fold((0, 0), |(wrong, trials), row| (wrong + row.wrong, trials + row.trials));
    assert!(20 * wrong <= trials, "{wrong} of {trials}");
}
