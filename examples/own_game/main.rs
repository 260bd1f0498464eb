//! Your own game, with every command of tictune. `tictune new --own-game` writes this crate.

mod connect_four;

fn main() -> std::process::ExitCode {
    tictune::App::new().game::<connect_four::ConnectFour>().main()
}
