//! Prints the table of false verdicts between equals: see `README.md` beside it.
//!
//!     cargo run --release --example null -- 4000

#![allow(clippy::print_stdout)]

use std::error::Error;

mod trial;

fn main() -> Result<(), Box<dyn Error>> {
    let trials = std::env::args().nth(1).map_or(Ok(4000), |text| text.parse())?;
    let rows = trial::rows(trials, 20_261_124).map_err(|error| error.to_string())?;
    println!("| what is tried | trials | false | share (95 %) |\n|---|---|---|---|");
    for row in &rows {
        let (low, high) = row.interval();
        let share = 100.0 * row.wrong as f64 / row.trials as f64;
        println!(
            "| {} | {} | {} | {share:.1} % ({:.1} to {:.1}){} |",
            row.what,
            row.trials,
            row.wrong,
            100.0 * low,
            100.0 * high,
            if row.keeps_its_level() { "" } else { ", too many" }
        );
    }
    let many = rows.iter().filter(|row| !row.keeps_its_level()).count();
    println!("\n{many} of {} rows have more than 5 % false verdicts.", rows.len());
    if many > rows.len() / 20 { Err("verdicts are false too often".into()) } else { Ok(()) }
}
