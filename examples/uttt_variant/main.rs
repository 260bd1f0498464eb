//! A variant of Ultimate Tic-Tac-Toe as your own game, with every command of tictune.
//!
//! ```text
//! cargo run --release --example uttt_variant -- match mcts:iterations=1000 random --games 100
//! ```

mod winner_chooses;

fn main() -> std::process::ExitCode {
    tictune::App::new().game::<winner_chooses::WinnerChooses>().main()
}
