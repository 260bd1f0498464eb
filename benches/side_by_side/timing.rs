//! Measures two sides that take turns, and prints a table.

use std::time::{Duration, Instant};

/// Does some work and gives the number of units done.
pub(crate) type Side = Box<dyn FnMut() -> u64>;

/// A row of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    /// What is counted.
    pub(crate) unit: &'static str,
    /// Creates both sides, ours and theirs.
    pub(crate) make: Box<dyn FnOnce() -> [Side; 2]>,
}

/// The number of times that both sides of a row are measured, and the least time of each
/// measurement.
const ROUNDS: usize = 7;
const TURN: Duration = Duration::from_millis(120);

/// Measures the rows that the command line selects, and prints them.
pub(crate) fn measure(rows: Vec<Row>) {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!(
        "tictune {} and the board-game crate on one thread of {}; medians of {ROUNDS} rounds in turn",
        env!("CARGO_PKG_VERSION"),
        machine()
    );
    println!("{:38}{:>14}{:>14}{:>8}", "a second", "tictune", "board-game", "ratio");
    for Row { name, unit, make } in rows.into_iter().filter(|row| row.name.contains(&word)) {
        let [mut ours, mut theirs] = make();
        // The first turn of each side is a warm-up and does not count.
        let (_, _) = (rate(&mut ours), rate(&mut theirs));
        let rounds: [[f64; 2]; ROUNDS] =
            std::array::from_fn(|_| [rate(&mut ours), rate(&mut theirs)]);
        let [ours, theirs] = [0, 1].map(|side| median(rounds.map(|round| round[side])));
        let ratio = median(rounds.map(|[ours, theirs]| ours / theirs));
        println!("{:38}{ours:14.0}{theirs:14.0}{ratio:8.2}", format!("{name} ({unit})"));
    }
}

/// Units per second over at least one turn.
fn rate(side: &mut Side) -> f64 {
    let (started, mut units) = (Instant::now(), 0);
    loop {
        units += side();
        let elapsed = started.elapsed();
        if elapsed >= TURN {
            return units as f64 / elapsed.as_secs_f64();
        }
    }
}

fn median(mut figures: [f64; ROUNDS]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}

/// The processor's name, if the system provides it.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    name.map_or_else(|| target.clone(), |(_, name)| format!("{} ({target})", name.trim()))
}
