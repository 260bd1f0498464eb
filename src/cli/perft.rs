//! `tictune perft`

use clap::Args;

use super::{GameArgs, print, print_json, unknown_game};
use crate::game::{Game, perft};
use crate::games::by_game;

#[derive(Debug, Args)]
pub(super) struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Count sequences of 1 to N moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PerftArgs) -> anyhow::Result<()> {
    let game = args.game.name();
    by_game!(game, P => count::<P>(args)).ok_or_else(|| unknown_game(game))?
}

fn count<P: Game>(args: &PerftArgs) -> anyhow::Result<()> {
    let rules = args.game.rules::<P>()?;
    let start = P::start(rules);
    let mut counts = Vec::new();
    for depth in 1..=args.depth {
        let count = perft(&start, depth);
        counts.push(count);
        if !args.json {
            print(&format!("{depth} {count}\n"))?;
        }
    }
    if args.json {
        let rules = rules.to_string();
        print_json(&serde_json::json!({ "game": P::INFO.name, "rules": rules, "counts": counts }))?;
    }
    Ok(())
}
