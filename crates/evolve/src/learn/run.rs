//! The rounds of a regression.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::RegressionPlan;
use super::fit::fit;
use super::games::RegressionGame;
use crate::error::{Result, RunError};
use tictune_core::input::InputError;
use tictune_core::stats::Tally;
use tictune_core::weights::Weights;

#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The weights of the last round, one vector for each depth of the labels. The last is the one that was learned.
    pub weights: Vec<Weights>,
    pub summary: RegressionSummary,
    /// What a position of the last round says of the weights: the Fisher information of its result, for each pair of slots.
    pub information: Vec<Vec<f64>>,
}

/// A round: its games and its fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundFigures {
    /// From 1.
    pub round: u32,
    /// The results of its games, from the first player's view.
    #[serde(flatten)]
    pub tally: Tally,
    pub fits: Vec<FitFigures>,
}

/// A fit. Log-losses are means over held-out positions, in nats: of the labels, and of the results of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitFigures {
    pub name: String,
    /// The depth of the searches whose values are labels; none where results are.
    pub depth: Option<u32>,
    pub positions: u64,
    pub held_out: u64,
    pub log_loss: f64,
    pub log_loss_of_results: f64,
    /// The log-loss of the results where every position is given the mean result.
    pub log_loss_of_mean: f64,
    /// The condition number of the counts: the larger, the less the positions say about single weights. None if it is infinite.
    pub condition: Option<f64>,
    /// Slots that were 0 in every position.
    pub unseen: Vec<String>,
}

/// A match of learned weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchFigures {
    /// Who played with the weights, without them.
    pub agent: String,
    pub opponent: String,
    pub openings: String,
    /// The results, from the view of the weights.
    #[serde(flatten)]
    pub tally: Tally,
    /// The difference in Elo, with its 95 % interval; none if all points went to one side.
    pub elo: Option<f64>,
    pub elo_low: Option<f64>,
    pub elo_high: Option<f64>,
}

/// What `summary.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionSummary {
    pub name: String,
    /// [`RegressionPlan::hash`].
    pub config_hash: String,
    pub tictune: String,
    pub method: String,
    pub game: String,
    pub rules: String,
    pub seed: u64,
    pub evaluation: String,
    pub rounds: Vec<RoundFigures>,
    /// The match of the learned weights, if there was one.
    #[serde(rename = "match")]
    pub played: Option<MatchFigures>,
    /// The files of the weights of the last round. The last is that of the learned ones.
    pub learned: Vec<String>,
}

/// Plays the rounds of a plan and fits weights, on the threads of the current rayon pool. `on_game` is called once a game.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; a plan for another game; positions that do not determine the weights; an opponent that cannot play.
pub fn regress(
    game: &dyn RegressionGame,
    plan: &RegressionPlan,
    on_game: &(dyn Fn() + Sync),
    stop: &AtomicBool,
) -> Result<Regression> {
    let mut weights = plan.initial.clone();
    let (mut rounds, mut vectors, mut information) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..plan.rounds {
        let depths = plan.label_depths(round, &weights);
        let (samples, tally) = game.play_round(plan, round, &weights, &depths, on_game, stop)?;
        vectors.clear();
        let mut fits = Vec::new();
        for (place, depth) in depths.iter().enumerate() {
            let name = match depth {
                Some(depth) if depths.len() > 1 => format!("learned-{depth}"),
                _ => "learned".into(),
            };
            let search = depth.map(|depth| (place, depth));
            let fitted = fit(plan, &samples, &name, search).ok_or_else(|| {
                InputError::new("the positions do not determine the weights: play more games")
            });
            let (values, figures, found) = fitted?;
            information = found;
            let vector = Weights::new(name, weights.layout(), values);
            let mut vector = vector.map_err(InputError::new)?;
            vector.provenance = provenance(plan, &figures);
            fits.push(figures);
            vectors.push(vector);
        }
        let Some(last) = vectors.last() else { break };
        tracing::info!(round = round + 1, log_loss = fits[fits.len() - 1].log_loss, "regression");
        weights = last.clone();
        weights.name = "learned".into();
        rounds.push(RoundFigures { round: round + 1, tally, fits });
    }
    let opponent = plan.opponent.as_ref();
    let played = opponent.map(|opponent| game.play_match(plan, opponent, &weights, stop));
    let played = played.transpose()?;
    if vectors.len() > 1 {
        vectors.push(weights);
    }
    let summary = RegressionSummary {
        name: plan.name.clone(),
        config_hash: plan.hash(),
        tictune: env!("CARGO_PKG_VERSION").into(),
        method: "regression".into(),
        game: plan.game.clone(),
        rules: plan.rules.clone(),
        seed: plan.seed,
        evaluation: plan.initial.layout().name.into(),
        rounds,
        played,
        learned: vectors.iter().map(|weights| format!("{}.toml", weights.name)).collect(),
    };
    Ok(Regression { weights: vectors, summary, information })
}

/// A whole number as the provenance of weights has it: as text in the rare case that it does not fit TOML's integers.
pub fn in_toml(number: u64) -> toml::Value {
    i64::try_from(number).map_or_else(|_| number.to_string().into(), Into::into)
}

fn provenance(plan: &RegressionPlan, fitted: &FitFigures) -> toml::Table {
    let mut table = toml::Table::new();
    let mut put = |key: &str, value: toml::Value| table.insert(key.into(), value);
    put("source", "tictune learn".into());
    put("run", plan.name.clone().into());
    put("config_hash", plan.hash().into());
    put("method", "regression".into());
    put("fit", "logistic".into());
    put("rounds", plan.rounds.into());
    put("games", in_toml(plan.all_games()));
    put("positions", in_toml(fitted.positions));
    if let Some(depth) = fitted.depth {
        put("label_depth", depth.into());
        put("mix_result", plan.labels.mix_result.into());
    }
    put("log_loss", fitted.log_loss.into());
    put("openings", plan.openings.to_string().into());
    put("seed", in_toml(plan.seed));
    put("tictune", env!("CARGO_PKG_VERSION").into());
    table
}

/// About how many seconds a plan takes, measured on a few of its games.
///
/// # Errors
/// As [`regress`].
pub fn regression_seconds(
    game: &dyn RegressionGame,
    plan: &RegressionPlan,
    stop: &AtomicBool,
) -> Result<f64> {
    const ENOUGH_SECONDS: f64 = 0.25;
    let mut weights = plan.initial.clone();
    // Weights of 0 prune nothing, as no learned ones do.
    if weights.values().iter().all(|value| *value == 0.0) {
        let ones = vec![1.0; weights.values().len()];
        weights = Weights::new("ones", weights.layout(), ones).map_err(InputError::new)?;
    }
    let seconds_of = |games: u64, depths: &[Option<u32>]| {
        let started = Instant::now();
        let few = RegressionPlan { games, ..plan.clone() };
        game.play_round(&few, 0, &weights, depths, &|| (), stop)?;
        Ok::<f64, RunError>(started.elapsed().as_secs_f64() / games as f64)
    };
    let mut games = rayon::current_num_threads() as u64;
    let [first, last] = [0, plan.rounds - 1].map(|round| plan.label_depths(round, &weights));
    loop {
        let of_game = seconds_of(games, &first)?;
        let of_last = if last == first { of_game } else { seconds_of(games, &last)? };
        if (of_game + of_last) * games as f64 >= ENOUGH_SECONDS {
            let of_match = match &plan.opponent {
                Some(opponent) => opponent.games as f64 * seconds_of(games, &[])?,
                None => 0.0,
            };
            let rounds = f64::from(plan.rounds - 1) * of_game + of_last;
            return Ok(rounds * plan.games as f64 + of_match);
        }
        games *= 2;
    }
}
