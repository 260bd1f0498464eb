//! The results of the games of a PGN file: for each two players, the figures that `tictune match` gives.

use minijinja::context;
use serde_json::{Value, json};

use super::layout::written;
use super::matches::{MATCH, normalised, words_of};
use super::merged;
use crate::arena::{EvidenceCount, Fingerprint, Schedule, Summary};
use crate::game::PgnGame;
use crate::input::{InputError, Result};
use crate::stats::MatchStatistics;

/// The games of two players, as the first of them in the file sees them.
struct PgnPairing<'g> {
    players: [&'g str; 2],
    games: Vec<ListedGame<'g>>,
}

struct ListedGame<'g> {
    round: f64,
    game: &'g PgnGame,
    /// Whether the first player had White.
    is_white: bool,
    half_points: u64,
}

/// The results of games, as text and as JSON. Two games in a row, by their rounds, are a pair where the players swap sides and start
/// alike; games that are not all in pairs count one by one. Games without a result, or with one name for both players, are left out.
pub(crate) fn results(games: &[PgnGame]) -> Result<(String, Value)> {
    let pairings = pairings(games);
    let played: usize = pairings.iter().map(|pairing| pairing.games.len()).sum();
    if played == 0 {
        return Err(InputError::new("expected a game with a result between two names, found none"));
    }
    let (words, all): (Vec<_>, Vec<_>) = pairings.iter().map(PgnPairing::figures).unzip();
    let mut text = words.join("\n") + "\n";
    let unfinished = games.len() - played;
    if unfinished > 0 {
        text += &format!("left out, without a result or with one name for both: {unfinished}\n");
    }
    Ok((text.trim_end().to_string() + "\n", json!({ "results": all, "unfinished": unfinished })))
}

fn pairings(games: &[PgnGame]) -> Vec<PgnPairing<'_>> {
    let mut pairings: Vec<PgnPairing<'_>> = Vec::new();
    for game in games {
        let tag = |name| game.tags.get(name).map_or("?", String::as_str);
        let of_white = match tag("Result") {
            "1-0" => 2,
            "1/2-1/2" => 1,
            "0-1" => 0,
            _ => continue,
        };
        let [white, black] = ["White", "Black"].map(tag);
        // Of two players with one name, nobody knows who is who.
        if white == black {
            continue;
        }
        let place = pairings.iter().position(|pairing| {
            pairing.players == [white, black] || pairing.players == [black, white]
        });
        let place = place.unwrap_or_else(|| {
            pairings.push(PgnPairing { players: [white, black], games: Vec::new() });
            pairings.len() - 1
        });
        let pairing = &mut pairings[place];
        let is_white = pairing.players[0] == white;
        let half_points = if is_white { of_white } else { 2 - of_white };
        let round = tag("Round").parse().unwrap_or(f64::INFINITY);
        pairing.games.push(ListedGame { round, game, is_white, half_points });
    }
    for pairing in &mut pairings {
        pairing.games.sort_by(|one, other| one.round.total_cmp(&other.round));
    }
    pairings
}

impl PgnPairing<'_> {
    fn figures(&self) -> (String, Value) {
        let is_pair = |pair: &[ListedGame<'_>]| {
            let [one, other] = pair else { return false };
            one.is_white != other.is_white && one.game.start == other.game.start
        };
        let schedule = match self.games.chunks(2).all(is_pair) {
            true => Schedule::Paired,
            false => Schedule::Coin,
        };
        let mut count = EvidenceCount::new(schedule);
        let (mut summary, mut plies) = (Summary::default(), 0);
        let tally = &mut summary.tally;
        for ListedGame { game, half_points, .. } in &self.games {
            let moves = format!("{} {}", game.start, game.moves.join(" "));
            count.add(*half_points, Fingerprint::of_text(&moves));
            let result = [&mut tally.losses, &mut tally.draws, &mut tally.wins];
            *result[*half_points as usize] += 1;
            let forfeits = match game.tags.get("Termination").map(String::as_str) {
                Some("time forfeit") => &mut summary.timeouts,
                Some("rules infraction" | "illegal move" | "abandoned" | "stalled connection") => {
                    &mut summary.errors
                }
                _ => &mut [0; 2],
            };
            if *half_points != 1 {
                forfeits[*half_points as usize / 2] += 1;
            }
            plies += game.moves.len();
        }
        let (evidence, pairs) = (count.evidence(), count.pairs());
        let Summary { tally, timeouts, errors, .. } = summary;
        let no_result = summary.mostly_forfeited().map(|most| most.in_words("A", "B", "both"));
        let figures = MatchStatistics::of(&tally, &evidence);
        let report = merged(&[
            json!({ "agents": self.players, "games": tally.games() }),
            json!(tally),
            json!(figures),
            normalised(&evidence),
            json!({ "pairs": pairs, "distinct_pairs": evidence.pairs(), "plies": plies }),
            json!({
                "distinct_games": count.distinct_games(),
                "timeouts": timeouts.iter().sum::<u64>(),
                "errors": errors.iter().sum::<u64>(),
            }),
        ]);
        let words = words_of(&evidence, pairs, &figures);
        // Who searched how long is not in the tags.
        let sides = [0, 1].map(|side| {
            context! { name => ["A", "B"][side], timeouts => timeouts[side], errors => errors[side] }
        });
        let known = context! { no_result, by_agent => sides, forfeits => [(); 0] };
        let values = context! { ..known, ..words, ..minijinja::Value::from_serialize(&report) };
        (written(None, MATCH, values), report)
    }
}
