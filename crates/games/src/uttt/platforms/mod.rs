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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand::RngExt;

    use super::*;
    use crate::uttt::UtttMove;
    use tictune_core::game::Position;
    use tictune_core::seed::{Role, generator};
    use tictune_programs::Query;

    const TIMES: ClockTime =
        ClockTime { left: Duration::from_secs(10), increment: Duration::from_millis(500) };

    /// Feeds a bot lines of which the last asks for a move.
    pub(super) fn query_of(bot: &mut dyn Bot<Uttt>, lines: &str) -> Query<Uttt> {
        let mut queries: Vec<_> =
            lines.lines().map(|line| bot.read(line).unwrap_or_else(|e| panic!("{e}"))).collect();
        let query = queries.pop().flatten().expect("the last line asks for a move");
        assert!(queries.iter().all(Option::is_none), "{lines}");
        query
    }

    /// What decides the rest of a game. With one open board left, a forced board and a free choice mean the same.
    fn facts(position: &Uttt) -> (String, Vec<UtttMove>) {
        let notation = position.notation();
        let (marks_and_side, _) = notation.rsplit_once(' ').unwrap();
        (marks_and_side.into(), position.legal_moves().collect())
    }

    /// Plays random games in which a protocol transmits the moves of one player.
    fn round_trip(protocol: Protocol) {
        for (number, rules) in Rules::all().into_iter().cycle().take(80).enumerate() {
            let mut generator = generator(number as u64, Role::AgentA);
            let player = Player::BOTH[number % 2];
            let mut host = host(protocol, player, TIMES).unwrap();
            let mut bot = bot(protocol, rules).unwrap();
            let mut position = Uttt::start(rules);
            let mut last_move = None;
            while position.outcome().is_none() {
                let index = generator.random_range(0..position.legal_move_count() as u32);
                let mv = position.nth_legal_move(index as usize);
                if position.side_to_move() == player {
                    let time = Duration::from_millis(100 + u64::from(index));
                    let lines = host.request(&position, last_move, time);
                    let query = query_of(&mut *bot, &lines);
                    assert_eq!(query.problems, [""; 0], "{lines}");
                    assert_eq!(facts(&query.position.expect(&lines)), facts(&position));
                    assert!(position.legal_moves().eq(query.allowed));
                    match protocol {
                        Protocol::TheAiGames => assert_eq!(query.time_left, Some(time)),
                        Protocol::CodinGame => assert_eq!(query.last_move, last_move),
                        Protocol::Uci => panic!("UCI has no bots"),
                    }
                    assert_eq!(host.read_answer(&bot.answer(mv)), Some(mv));
                }
                position.play_unchecked(mv);
                last_move = Some(mv);
            }
        }
    }

    #[test]
    fn protocols_carry_random_games_under_every_rule() {
        [Protocol::TheAiGames, Protocol::CodinGame].into_iter().for_each(round_trip);
    }

    #[test]
    fn answers_that_are_not_moves_are_refused_and_words_after_a_move_ignored() {
        for (protocol, moves, others) in [
            (
                Protocol::TheAiGames,
                ["place_move 7 2 depth 11", " place_move 7 2 "],
                &["", "7 2", "place_move 9 0", "place_move 7", "place_move 7 x", "no_moves"][..],
            ),
            (
                Protocol::CodinGame,
                ["2 7 0.5699 513024", "2 7"],
                &["", "2,7", "place_move 7 2", "2 9", "-1 -1", "2 x 7", "99999999999999999999 0"],
            ),
        ] {
            let host = host(protocol, Player::First, TIMES).unwrap();
            for line in moves {
                assert_eq!(host.read_answer(line), UtttMove::from_column_row(7, 2), "{line}");
            }
            for line in others {
                assert_eq!(host.read_answer(line), None, "{line}");
            }
        }
    }
}
