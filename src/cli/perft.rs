//! `tictune perft`

use clap::Args;

use super::{GameArgs, Session, print, print_json};

#[derive(Debug, Args)]
pub(super) struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Count the sequences of 1, 2, ... N moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PerftArgs, session: &Session) -> anyhow::Result<()> {
    let (game, rules) = args.game.find(session)?;
    let mut counts = Vec::new();
    for depth in 1..=args.depth {
        let count = game.known("perft", "rules")?.perft(&rules, depth)?;
        counts.push(count);
        if !args.json {
            print(&format!("{depth} {count}\n"))?;
        }
    }
    if args.json {
        let game = game.info().name;
        print_json(&serde_json::json!({ "game": game, "rules": rules, "counts": counts }))?;
    }
    Ok(())
}
