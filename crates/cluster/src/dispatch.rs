//! Which games go out next, and what has come back. It knows nothing of messages or time but what it is told.

use std::collections::{BTreeMap, VecDeque};
use std::iter::zip;
use std::time::{Duration, Instant};

use super::message::Piece;
use tictune_core::arena::{Detail, GameResult, PartResults, Schedule, Unit};

/// How long a part should take one thread. Much shorter parts cost messages; with longer ones threads wait for the last.
const TARGET: Duration = Duration::from_secs(1);

/// Parts that are out for each thread: one is played, one waits there, so that no thread waits for the network.
const PARTS_A_THREAD: usize = 2;

/// After this time without an answer, and five times what it should take, the driver hands a part out again.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest way in seconds that parts are made longer for.
const LONGEST_WAY: f64 = 1.0;

/// The longest way in seconds that parts are made longer for because there are many of them.
const CROWDED_WAY: f64 = 0.2;

pub struct Dispatch<'w> {
    units: &'w [Unit],
    next: (usize, u64),
    games_left: u64,
    games_back: u64,
    /// Parts that were handed out and not answered.
    out: BTreeMap<u64, DispatchedPart>,
    handed_out: u64,
    unfinished: PartResults,
    finished: VecDeque<(usize, Vec<GameResult>)>,
    /// What these parts and earlier works tell.
    pub speed: Speed,
}

/// What earlier parts tell of later ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Seconds of one thread that a game takes.
    pub game: Option<f64>,
    /// Seconds that a part is on its way, there and back.
    pub way: f64,
    shortest: f64,
}

impl Speed {
    /// Learns from a part: the seconds of one thread that it was played for, and the share of the work's games so far that it has.
    fn learn_game(&mut self, games: u64, seconds: f64, share: f64) {
        let game = seconds / games as f64;
        self.game = Some(self.game.map_or(game, |before| before + share * (game - before)));
    }

    /// Learns from the seconds after which a part was answered that it was not played for. Parts also wait for a thread, so
    /// that short ways count. Where all ways get longer, too many small parts are out, and larger ones are due.
    fn learn_way(&mut self, seconds: f64) {
        let way = seconds.clamp(0.0, LONGEST_WAY);
        if self.way == 0.0 {
            (self.way, self.shortest) = (way, way);
            return;
        }
        self.shortest = self.shortest.min(way);
        self.way = way.min(self.way * 1.02).min(self.shortest.max(CROWDED_WAY));
    }

    /// Networks change: the way may be longer in the next work.
    fn next_work(self) -> Self {
        let longer = |way: f64| (way * 1.5).min(LONGEST_WAY);
        Self { way: longer(self.way), shortest: longer(self.shortest), ..self }
    }
}

struct DispatchedPart {
    pieces: Vec<Piece>,
    attempts: u32,
    sent: Instant,
    /// Whether an answer was refused since then.
    refused: bool,
}

impl DispatchedPart {
    fn games(&self) -> u64 {
        self.pieces.iter().map(Piece::count).sum()
    }
}

#[derive(Debug, PartialEq)]
pub struct Handout {
    pub part: u64,
    pub attempt: u32,
    pub pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq)]
pub enum Receipt {
    /// It was counted. These games of these units are new.
    Counted(Vec<Piece>),
    /// Another worker was faster, or the part is of no interest any more.
    Superfluous,
    /// It does not fit the part, which is handed out again.
    Refused(String),
}

impl<'w> Dispatch<'w> {
    /// `speed` is what earlier works tell.
    pub fn new(units: &'w [Unit], speed: Speed) -> Self {
        Self {
            units,
            next: (0, units.first().map_or(0, |unit| unit.range.start)),
            games_left: units.iter().map(Unit::games).sum(),
            games_back: 0,
            out: BTreeMap::new(),
            handed_out: 0,
            unfinished: PartResults::default(),
            finished: VecDeque::new(),
            speed: speed.next_work(),
        }
    }

    /// Whether every unit was handed over.
    pub fn is_done(&self) -> bool {
        self.games_left == 0 && self.out.is_empty() && self.finished.is_empty()
    }

    /// The next part for this many threads; `None` while all have enough.
    pub fn hand_out(&mut self, threads: usize, now: Instant) -> Option<Handout> {
        let threads = threads.max(1);
        if self.games_left == 0 || self.out.len() >= threads * PARTS_A_THREAD {
            return self.hand_out_again(threads, now);
        }
        let pieces = self.take(self.games_of_a_part(threads));
        let part = self.handed_out;
        self.handed_out += 1;
        let out = DispatchedPart { pieces: pieces.clone(), attempts: 1, sent: now, refused: false };
        self.games_left -= out.games();
        self.out.insert(part, out);
        Some(Handout { part, attempt: 0, pieces })
    }

    pub fn finished(&mut self) -> Option<(usize, Vec<GameResult>)> {
        self.finished.pop_front()
    }

    /// Takes an answer. `seconds` is how long one thread played for it.
    pub fn receive(
        &mut self,
        part: u64,
        seconds: f64,
        results: Vec<Vec<GameResult>>,
        now: Instant,
    ) -> Receipt {
        let unknown = self.unknown(part);
        let Some(known) = self.out.get_mut(&part) else { return unknown };
        let fits = results.len() == known.pieces.len()
            && zip(&results, &known.pieces)
                .all(|(games, piece)| games.len() as u64 == piece.count());
        if !fits || !(0.0..1e9).contains(&seconds) {
            known.refused = true;
            let counts: Vec<usize> = results.iter().map(Vec::len).collect();
            return Receipt::Refused(format!(
                "part {part} has {} games, not those that it was asked for ({counts:?} in {seconds} s)",
                known.games()
            ));
        }
        let (games, attempts, sent) = (known.games(), known.attempts, known.sent);
        // What earlier works tell counts as much as this work's first part.
        let share = games as f64 / (self.games_back + games).max(2 * games) as f64;
        self.speed.learn_game(games, seconds, share);
        if attempts == 1 {
            self.speed.learn_way(now.duration_since(sent).as_secs_f64() - seconds);
        }
        self.count(part, results)
    }

    /// The games of a part that is out.
    pub fn pieces(&self, part: u64) -> Option<&[Piece]> {
        self.out.get(&part).map(|known| &*known.pieces)
    }

    /// Hands a part out again, if it is out: its answer was refused.
    pub fn refuse(&mut self, part: u64) {
        if let Some(part) = self.out.get_mut(&part) {
            part.refused = true;
        }
    }

    /// Hands all parts out again that are out: the server has lost them.
    pub fn lose_all(&mut self) {
        self.out.values_mut().for_each(|part| part.refused = true);
    }

    /// Takes all results of a part that is out, and learns nothing of speed.
    pub fn count(&mut self, part: u64, results: Vec<Vec<GameResult>>) -> Receipt {
        let Some(known) = self.out.remove(&part) else { return self.unknown(part) };
        self.games_back += known.games();
        for (piece, results) in zip(&known.pieces, results) {
            let whole = self.unfinished.add(self.units, piece.unit, piece.games.start, results);
            self.finished.extend(whole.map(|results| (piece.unit, results)));
        }
        Receipt::Counted(known.pieces)
    }

    /// What becomes of an answer to a part that is not out.
    pub(crate) fn unknown(&self, part: u64) -> Receipt {
        match part < self.handed_out {
            true => Receipt::Superfluous,
            false => Receipt::Refused(format!("part {part} was never handed out")),
        }
    }

    /// About a second of play, and at most a share of what is left, so that all threads end together. But a part takes
    /// no less time to play than it is on its way, unless there is nothing else for some thread.
    fn games_of_a_part(&self, threads: usize) -> u64 {
        let Some(game) = self.speed.game else { return 2 };
        let games_in = |seconds: f64| (seconds / game.max(1e-9)) as u64;
        let share = |parts_a_thread: u64| self.games_left.div_ceil(parts_a_thread * threads as u64);
        let way = self.speed.way;
        let worth_its_way = games_in(way).min(share(1)).max(games_in(way / 2.0));
        games_in(TARGET.as_secs_f64()).min(share(3).max(worth_its_way)).max(1)
    }

    /// Takes the next games, about so many: no pair is split, and no message grows too large.
    fn take(&mut self, mut wanted: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut weight = 0;
        while let Some(unit) = self.units.get(self.next.0) {
            let (number, start) = self.next;
            let most = most_games(unit.detail).saturating_sub(weight);
            if !pieces.is_empty() && (wanted == 0 || most < 2) {
                break;
            }
            let pair = if unit.settings.schedule == Schedule::Paired { 2 } else { 1 };
            let games = wanted.clamp(1, most.max(1)).next_multiple_of(pair);
            // Measured from the match's first game, so that ends fall between pairs.
            let end = (start / pair * pair).saturating_add(games).min(unit.range.end);
            pieces.push(Piece { unit: number, games: start..end });
            (wanted, weight) = (wanted.saturating_sub(end - start), weight + (end - start));
            self.next = (number, end);
            if end == unit.range.end {
                let following = self.units.get(number + 1);
                self.next = (number + 1, following.map_or(0, |unit| unit.range.start));
            }
        }
        pieces
    }

    /// Parts that were refused or lost go out again. At the end of a work, so do parts that take longer than they should,
    /// to threads that have nothing to do.
    fn hand_out_again(&mut self, threads: usize, now: Instant) -> Option<Handout> {
        let copies: usize = self.out.values().map(|part| part.attempts as usize).sum();
        let idle = self.games_left == 0 && copies < threads;
        let pace = self.speed.game;
        let is_due = |part: &DispatchedPart| {
            let expected = pace.map(|pace| Duration::try_from_secs_f64(pace * part.games() as f64));
            let expected = expected.and_then(Result::ok).unwrap_or(TARGET * 10);
            let late = (2 * expected).max(TARGET / 10);
            let patience = if idle { late } else { PATIENCE.max(5 * expected) };
            part.refused || now.duration_since(part.sent) > patience * part.attempts
        };
        let due = self.out.iter_mut().filter(|(_, part)| is_due(part));
        let (&number, part) = due.min_by_key(|(_, part)| part.sent)?;
        (part.sent, part.refused) = (now, false);
        part.attempts += 1;
        Some(Handout { part: number, attempt: part.attempts - 1, pieces: part.pieces.clone() })
    }
}

/// The most games of a part. Their results have to fit into one message, of a mebibyte as servers are set up.
const fn most_games(detail: Detail) -> u64 {
    match detail {
        Detail::Costs => 1500,
        Detail::Moves => 48,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune_core::arena::{Fingerprint, MatchSettings};
    use tictune_core::seed::mix;

    fn units(games: &[u64]) -> Vec<Unit> {
        let unit = |&games: &u64| {
            let (schedule, replay_ties) = (Schedule::Paired, false);
            let settings = MatchSettings { games, seed: 1, schedule, replay_ties };
            let (openings, first_number, detail) = (0, 0, Detail::Costs);
            Unit { agents: [0, 1], openings, settings, first_number, range: 0..games, detail }
        };
        games.iter().map(unit).collect()
    }

    fn count(pieces: &[Piece]) -> u64 {
        pieces.iter().map(Piece::count).sum()
    }

    /// What a worker answers that plays its part: each game's result tells which it is.
    fn play(pieces: &[Piece]) -> Vec<Vec<GameResult>> {
        let game = |unit: usize, index| {
            GameResult::reported(None, Fingerprint::of_key(unit as u64 * 1_000_000 + index))
        };
        pieces
            .iter()
            .map(|piece| piece.games.clone().map(|index| game(piece.unit, index)).collect())
            .collect()
    }

    #[test]
    fn every_game_is_counted_once_whoever_answers_when() {
        for seed in 0..200 {
            let units = units(&[10, 2, 300, 4000, 6]);
            let threads = 1 + seed as usize % 5;
            let mut dispatch = Dispatch::new(&units, Speed::default());
            let (mut waiting, mut results): (Vec<Handout>, Vec<_>) = (vec![], vec![]);
            let (start, mut hour, mut random) = (Instant::now(), 0, seed);
            // Threads answer in an order drawn from the seed, to some parts twice and to some never.
            while !dispatch.is_done() {
                hour += 1;
                assert!(hour < 100_000, "no end");
                let now = start + Duration::from_secs(3600 * hour);
                while let Some(handout) = dispatch.hand_out(threads, now) {
                    random = mix(random, 1);
                    if !random.is_multiple_of(7) {
                        waiting.push(handout);
                    }
                }
                if !waiting.is_empty() {
                    random = mix(random, 2);
                    let Handout { part, pieces, .. } =
                        waiting.swap_remove(random as usize % waiting.len());
                    let mut short = play(&pieces);
                    short[0].pop();
                    for wrong in [short, [play(&pieces), vec![vec![]]].concat()] {
                        let receipt = dispatch.receive(part, 1.0, wrong, now);
                        assert!(!matches!(receipt, Receipt::Counted(_)), "{receipt:?}");
                    }
                    for _ in 0..1 + random % 2 {
                        let seconds = 0.01 * count(&pieces) as f64;
                        let receipt = dispatch.receive(part, seconds, play(&pieces), now);
                        assert!(!matches!(receipt, Receipt::Refused(_)));
                    }
                }
                results.extend(std::iter::from_fn(|| dispatch.finished()));
            }
            results.sort_by_key(|(unit, _)| *unit);
            let whole = |unit: usize| Piece { unit, games: 0..units[unit].settings.games };
            let expected = (0..5).map(|unit| (unit, play(&[whole(unit)]).remove(0)));
            assert_eq!(results, expected.collect::<Vec<_>>());
        }
    }

    /// The sizes of the parts for two threads, in their order.
    fn sizes(games: u64, game: f64, way: f64) -> Vec<u64> {
        let units = units(&[games]);
        let mut dispatch = Dispatch::new(&units, Speed { game: Some(game), way, shortest: way });
        let (mut sizes, now) = (Vec::new(), Instant::now());
        while let Some(Handout { part, pieces, .. }) = dispatch.hand_out(2, now) {
            assert!(pieces.iter().all(|piece| piece.games.start % 2 == 0));
            sizes.push(count(&pieces));
            let played = game * count(&pieces) as f64;
            let then = now + Duration::from_secs_f64(played + way);
            dispatch.receive(part, played, play(&pieces), then);
        }
        assert_eq!(sizes.iter().sum::<u64>(), games);
        sizes
    }

    #[test]
    fn parts_take_about_a_second_get_smaller_at_the_end_and_are_worth_their_way() {
        let near = sizes(100_000, 0.01, 0.0);
        assert!(near[..900].iter().all(|size| (98..=102).contains(size)));
        assert!(near.len() < 1040 && near.last() == Some(&2), "{}", near.len());
        // Shares of a sixth first, a tenth of a second later, and the rest in two.
        let far = sizes(1000, 0.001, 0.1);
        assert!(far[0] == 168 && far.len() < 12, "{far:?}");
        assert!(far.iter().filter(|size| **size < 90).count() <= 5, "{far:?}");
        // Small units share a part.
        let units = units(&[2; 500]);
        let mut dispatch = Dispatch::new(&units, Speed { game: Some(0.05), ..Speed::default() });
        assert_eq!(dispatch.hand_out(4, Instant::now()).unwrap().pieces.len(), 10);
    }

    #[test]
    fn nothing_goes_out_twice_while_others_are_left_or_nobody_is_idle() {
        let units = units(&[4]);
        let mut dispatch = Dispatch::new(&units, Speed { game: Some(1.0), ..Speed::default() });
        let now = Instant::now();
        assert!(dispatch.hand_out(2, now).is_some());
        assert!(dispatch.hand_out(2, now).is_some());
        let later = now + Duration::from_secs(9);
        assert_eq!(dispatch.hand_out(2, later), None, "both threads are busy");
        let third = dispatch.hand_out(3, later).unwrap();
        assert_eq!((third.part, third.attempt), (0, 1));
        assert_eq!(dispatch.hand_out(3, later), None);
    }
}
