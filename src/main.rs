//! The command-line tool, with the games of this crate.

use std::process::ExitCode;

use tictune::App;
use tictune::games::{Qubic, Uttt};

fn main() -> ExitCode {
    App::new().game::<Uttt>().game::<Qubic>().main()
}
