//! The games of a round (self-play, positions, labels by search), and the match of learned weights.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::RngExt;
use rayon::prelude::*;

use super::{MatchFigures, RegressionMatch, RegressionPlan};
use crate::error::{Result, RunError};
use tictune_core::agent::{AgentFactory, Agents, Failure, Turn, Value};
use tictune_core::arena::{
    BookRange, Contest, ExecutorError, MatchSettings, Openings, Schedule, play_match, rules_of,
};
use tictune_core::game::{Features, Game, Outcome, Player};
use tictune_core::input::InputError;
use tictune_core::seed::{Generator, Purpose, Role, generator, of_role, of_run};
use tictune_core::stats::Tally;
use tictune_core::weights::Weights;

/// A position of a game, from the first player's view.
#[doc(hidden)]
pub struct Sampled {
    pub counts: Vec<f64>,
    /// 1 if the first player is to move, else -1.
    pub to_move: f64,
    /// The share of points that the first player got in the end.
    pub result: f64,
    /// What the searches found, in weight units, one for each depth; infinite if the game is decided.
    pub values: Vec<f64>,
    /// Whether it is not fitted, and tells how good the fit is.
    pub held_out: bool,
}

impl Sampled {
    /// What is fitted: the counts, and who is to move, unless a slot `has_move`. That is not a weight, but the right to move is
    /// worth something, which would otherwise be found in other weights.
    pub(super) fn features(&self, has_move: bool) -> Vec<f64> {
        let to_move = if has_move { 0.0 } else { self.to_move };
        self.counts.iter().copied().chain([to_move]).collect()
    }
}

/// What a regression needs of its game.
#[doc(hidden)]
pub trait RegressionGame {
    /// Plays the games of a round with weights, keeps positions and searches them to each depth. Returns the positions, game by
    /// game, and the results from the first player's view.
    fn play_round(
        &self,
        plan: &RegressionPlan,
        round: u32,
        weights: &Weights,
        depths: &[Option<u32>],
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<(Vec<Sampled>, Tally)>;

    /// Plays the match of the learned weights.
    fn play_match(
        &self,
        plan: &RegressionPlan,
        opponent: &RegressionMatch,
        weights: &Weights,
        stop: &AtomicBool,
    ) -> Result<MatchFigures>;
}

impl<P: Game> RegressionGame for Agents<P> {
    fn play_round(
        &self,
        plan: &RegressionPlan,
        round: u32,
        weights: &Weights,
        depths: &[Option<u32>],
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<(Vec<Sampled>, Tally)> {
        let first = u64::from(round).saturating_mul(plan.games);
        let range = BookRange { order: plan.seed, first, count: plan.games };
        let table = GameTable::<P> {
            plan,
            openings: plan.openings.in_range(range)?,
            rules: rules_of::<P>(&plan.rules)?,
            player: self.prepare(&plan.minimax(plan.depth, weights))?,
            labellers: (depths.iter().flatten())
                .map(|&depth| self.prepare(&plan.minimax(depth, weights)))
                .collect::<Result<_, _>>()?,
            features: Features::new(weights.layout()).map_err(InputError::new)?,
        };
        let games = play_in_parallel(plan.games, &|game| {
            if stop.load(Ordering::Relaxed) {
                return Err(RunError::Interrupted);
            }
            let played = table.play(round, game)?;
            on_game();
            Ok(played)
        })?;
        let tally = games.iter().fold(Tally::default(), |all, (_, tally)| all.plus(tally));
        Ok((games.into_iter().flat_map(|(samples, _)| samples).collect(), tally))
    }

    fn play_match(
        &self,
        plan: &RegressionPlan,
        opponent: &RegressionMatch,
        weights: &Weights,
        stop: &AtomicBool,
    ) -> Result<MatchFigures> {
        let agent = plan.minimax(opponent.depth, weights);
        let (a, b) = (self.prepare(&agent)?, self.prepare(&opponent.agent)?);
        let rules = rules_of::<P>(&plan.rules)?;
        let contest = Contest { a: &a, b: &b, rules, openings: &opponent.openings };
        let settings = MatchSettings {
            games: opponent.games,
            seed: of_run(plan.seed, Purpose::Regression, u64::MAX, 0),
            schedule: Schedule::Paired,
            replay_ties: false,
        };
        let goes_on = || !stop.load(Ordering::Relaxed);
        let result = play_match(&contest, &settings, &goes_on).map_err(|error| match error {
            ExecutorError::Stopped => RunError::Interrupted,
            error => error.into_input().into(),
        })?;
        let tally = result.summary.tally;
        let elo = result.evidence.elo();
        Ok(MatchFigures {
            agent: agent.without_weights().to_string(),
            opponent: opponent.agent.to_string(),
            openings: opponent.openings.to_string(),
            tally,
            elo: elo.elo,
            elo_low: elo.low,
            elo_high: elo.high,
        })
    }
}

/// The positions and the result of a game.
type Sample = (Vec<Sampled>, Tally);

/// Plays all games; their results in order, or the error of one. It is not generic, so that it is compiled once and not for each
/// game.
fn play_in_parallel(
    games: u64,
    play: &(dyn Fn(u64) -> Result<Sample> + Sync),
) -> Result<Vec<Sample>> {
    (0..games).into_par_iter().map(play).collect()
}

struct GameTable<'p, P: Game> {
    plan: &'p RegressionPlan,
    openings: Openings,
    rules: P::Rules,
    player: AgentFactory<P>,
    labellers: Vec<AgentFactory<P>>,
    features: Features<P>,
}

impl<P: Game> GameTable<'_, P> {
    fn play(&self, round: u32, game: u64) -> Result<Sample> {
        let plan = self.plan;
        let seed = of_run(plan.seed, Purpose::Regression, round.into(), game);
        let forfeit = |failure: Failure| {
            RunError::Failed(format!("the opponent forfeited game {}: {failure}", game + 1))
        };
        let mut players =
            [Role::AgentA, Role::AgentB].map(|role| self.player.spawn(of_role(seed, role)));
        let mut luck = generator(seed, Role::Coin);
        let mut position = self.openings.draw::<P>(self.rules, seed, game)?.position();
        let mut positions = Vec::new();
        let outcome = loop {
            if let Some(outcome) = position.outcome() {
                break outcome;
            }
            positions.push(position.clone());
            let mv = if luck.random::<f64>() < RegressionPlan::EXPLORATION {
                let move_count = position.legal_move_count() as u32;
                position.nth_legal_move(luck.random_range(0..move_count) as usize)
            } else {
                let player = &mut players[position.side_to_move().index()];
                player.choose(&Turn::new(&position)).map_err(forfeit)?.mv
            };
            position.play_unchecked(mv);
        };
        let held_out = plan.is_held_out(game);
        let tally = match outcome {
            Outcome::Win(Player::First) => Tally::WIN,
            Outcome::Draw => Tally::DRAW,
            Outcome::Win(Player::Second) => Tally::LOSS,
        };
        let result = tally.score();
        let mut samples = Vec::new();
        for place in drawn(positions.len(), RegressionPlan::POSITIONS as usize, &mut luck) {
            let position = &positions[place];
            let counts = self.features.of(position, Player::First);
            let to_move = if position.side_to_move() == Player::First { 1.0 } else { -1.0 };
            let values = self.labellers.iter().map(|labeller| {
                let choice = labeller.spawn(seed).choose(&Turn::new(position)).map_err(forfeit)?;
                let value = match choice.value {
                    Some(Value::Weights(value)) => value,
                    _ => f64::NAN,
                };
                Ok(to_move * value)
            });
            let values = values.collect::<Result<_, RunError>>()?;
            samples.push(Sampled { counts, to_move, result, values, held_out });
        }
        Ok((samples, tally))
    }
}

/// So many of these places, each equally likely, in ascending order; all of them if there are fewer.
fn drawn(places: usize, count: usize, luck: &mut Generator) -> Vec<usize> {
    let mut left = count.min(places);
    (0..places)
        .filter(|place| {
            let taken = (luck.random_range(0..(places - place) as u32) as usize) < left;
            left -= usize::from(taken);
            taken
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_drawn_evenly_and_once() {
        let (mut luck, mut counts) = (generator(3, Role::Coin), [0; 10]);
        for _ in 0..10_000 {
            let places = drawn(10, 3, &mut luck);
            assert!(places.len() == 3 && places.is_sorted() && places[0] < places[1]);
            places.into_iter().for_each(|place| counts[place] += 1);
        }
        assert!(counts.iter().all(|count| (2800..3200).contains(count)), "{counts:?}");
        assert_eq!(drawn(2, 3, &mut luck), [0, 1]);
    }
}
