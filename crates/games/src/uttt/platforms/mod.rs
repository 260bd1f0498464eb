//! The protocols of bot platforms for UTTT.

pub mod codingame;
mod theaigames;

use super::{NoLine, Rules, Uttt};
use tictune_core::agent::ClockTime;
use tictune_core::game::Player;
use tictune_programs::{Bot, Host, Platforms, Protocol};

/// UTTT on platforms.
pub static PLATFORMS: Platforms<Uttt> = Platforms { host, bot, uci_options: None, rules };

fn host(protocol: Protocol, player: Player, times: ClockTime) -> Option<Box<dyn Host<Uttt>>> {
    match protocol {
        Protocol::TheAiGames => Some(Box::new(theaigames::TheAiGamesHost::new(player, times))),
        Protocol::CodinGame => Some(Box::new(codingame::CodinGameHost)),
        Protocol::Uci => None,
    }
}

fn bot(protocol: Protocol, rules: Rules) -> Option<Box<dyn Bot<Uttt>>> {
    match protocol {
        Protocol::TheAiGames => Some(Box::new(theaigames::TheAiGamesBot::new(rules))),
        Protocol::CodinGame => Some(Box::new(codingame::CodinGameBot::new(rules))),
        Protocol::Uci => None,
    }
}

fn rules(protocol: Protocol) -> Rules {
    let no_line = match protocol {
        Protocol::TheAiGames | Protocol::Uci => NoLine::Draw,
        Protocol::CodinGame => NoLine::MostBoards,
    };
    Rules { no_line, ..Rules::default() }
}
