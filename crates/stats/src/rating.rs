//! Elo ratings of many players from the games between them, by maximum likelihood.
//!
//! The model is that of Bradley and Terry: a player who is rated d Elo above another scores 1 / (1 + 10^(-d / 400)) on average; a
//! draw is half a win. The likelihood has a single maximum if the graph "has scored against" is strongly connected, and Newton's
//! method finds it in a few steps. Otherwise some players are infinitely far apart, such as one who won every game. Only one
//! group is therefore rated (see [`RatingStatus`]); the others get the open interval that their games against it allow.
//!
//! Source: Bradley, Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952; Ford,
//! "Solution of a ranking problem from binary comparisons", Am. Math. Monthly 64, 1957 (when the
//! maximum exists); Hunter, "MM algorithms for generalized Bradley-Terry models", Ann. Stat. 32, 2004.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::sprt::score_of_elo;
use super::{Evidence, Z95, wilson_interval};

/// The games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// The players, by number.
    pub players: [usize; 2],
    /// Their games from the view of the first player.
    pub evidence: Evidence,
}

/// How a player relates to the rated group: the largest strongly connected one, of equal sizes that of the earliest player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RatingStatus {
    /// In the group.
    Rated,
    /// It lost no points to the group, directly or through others, but took some.
    Above,
    /// It took no points from the group, directly or through others, but lost some.
    Below,
    /// No games connect it to the group, or there is no group.
    Apart,
}

/// A player's rating: Elo relative to the mean of the rated group, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The estimate; `None` outside the group.
    pub elo: Option<f64>,
    /// The lower end; `None` if it is open.
    pub low: Option<f64>,
    /// The upper end; `None` if it is open.
    pub high: Option<f64>,
    /// Inside or outside the group.
    pub standing: RatingStatus,
}

/// The Elo difference of one unit of the natural logarithm of the odds.
const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// Newton's method ends when no rating changes by more than this, in nats.
const TOLERANCE: f64 = 1e-12;

const MOST_STEPS: u32 = 200;

/// Rates `players` players.
///
/// The intervals come from the sandwich estimate of the covariance, H⁺ S H⁺. H is the Fisher information of the model, S the sum
/// of the squared residuals, by pair of games where games are paired. One unit more is thought of for each pairing, half lost
/// and half won, as [`Evidence::interval`] does it.
///
/// Source: White, "Maximum likelihood estimation of misspecified models", Econometrica 50, 1982.
pub fn rate(players: usize, pairings: &[Pairing]) -> Vec<Rating> {
    let played = pairings.iter().filter(|pairing| pairing.evidence.units() > 0);
    let pairings: &Vec<Pairing> = &played.copied().collect();
    let standings = standings(&closure(scored_against(players, pairings)));
    let group: Vec<usize> = (0..players).filter(|&p| standings[p] == RatingStatus::Rated).collect();
    let (nats, errors) = fit(&group, pairings);
    let unrated = |standing| Rating { elo: None, low: None, high: None, standing };
    let mut ratings: Vec<Rating> = standings.into_iter().map(unrated).collect();
    for (number, &player) in group.iter().enumerate() {
        let (elo, half) = (ELO_PER_NAT * nats[number], ELO_PER_NAT * Z95 * errors[number]);
        ratings[player].elo = Some(elo);
        (ratings[player].low, ratings[player].high) = (Some(elo - half), Some(elo + half));
    }
    for player in 0..players {
        let end = open_end(player, &ratings, pairings);
        match ratings[player].standing {
            RatingStatus::Above => ratings[player].low = end,
            RatingStatus::Below => ratings[player].high = end,
            RatingStatus::Rated | RatingStatus::Apart => {}
        }
    }
    ratings
}

fn scored_against(players: usize, pairings: &[Pairing]) -> Vec<Vec<bool>> {
    let mut scored = vec![vec![false; players]; players];
    for Pairing { players: [a, b], evidence } in pairings {
        for (share, _) in evidence.shares().filter(|(_, count)| *count > 0.0) {
            scored[*a][*b] |= share > 0.0;
            scored[*b][*a] |= share < 1.0;
        }
    }
    scored
}

/// The transitive closure: whom each player reaches over any number of steps.
///
/// Source: Warshall, "A theorem on Boolean matrices", J. ACM 9, 1962.
fn closure(mut reach: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    for over in 0..reach.len() {
        let row = reach[over].clone();
        for from in &mut reach {
            if from[over] {
                from.iter_mut().zip(&row).for_each(|(to, further)| *to |= further);
            }
        }
    }
    reach
}

fn standings(reach: &[Vec<bool>]) -> Vec<RatingStatus> {
    let players = reach.len();
    let size = |p: usize| (0..players).filter(|&q| reach[p][q] && reach[q][p]).count();
    // A player that nobody reaches back is alone and has size 0. Of equal sizes the earliest is chosen.
    let centre = (0..players).filter(|&p| size(p) >= 2).min_by_key(|&p| players - size(p));
    let Some(centre) = centre else { return vec![RatingStatus::Apart; players] };
    let standing = |p: usize| match (reach[p][centre], reach[centre][p]) {
        (true, true) => RatingStatus::Rated,
        (true, false) => RatingStatus::Above,
        (false, true) => RatingStatus::Below,
        (false, false) => RatingStatus::Apart,
    };
    (0..players).map(standing).collect()
}

fn fit(group: &[usize], pairings: &[Pairing]) -> (DVector<f64>, DVector<f64>) {
    let n = group.len();
    let place = |player: usize| group.iter().position(|&one| one == player);
    let places = |pairing: &Pairing| {
        let [a, b] = pairing.players.map(place);
        Some((a?, b?, pairing.evidence))
    };
    let inside: Vec<(usize, usize, Evidence)> = pairings.iter().filter_map(places).collect();
    let mut nats = DVector::zeros(n);
    let mut inverse = DMatrix::zeros(n, n);
    for _ in 0..MOST_STEPS {
        let mut gradient = DVector::zeros(n);
        let mut information = DMatrix::zeros(n, n);
        for &(a, b, ref evidence) in &inside {
            let games = evidence.games() as f64;
            let expected = logistic(nats[a] - nats[b]);
            let surplus = games * (evidence.score() - expected);
            gradient[a] += surplus;
            gradient[b] -= surplus;
            add_difference(&mut information, a, b, games * expected * (1.0 - expected));
        }
        inverse = pseudo_inverse(information);
        let step = &inverse * &gradient;
        // Far from the maximum a full step may overshoot, so no rating moves by more than one nat.
        let longest = step.amax();
        nats += step / longest.max(1.0);
        if longest < TOLERANCE {
            break;
        }
    }
    let mut residuals = DMatrix::zeros(n, n);
    for &(a, b, ref evidence) in &inside {
        let expected = logistic(nats[a] - nats[b]);
        add_difference(&mut residuals, a, b, residual_variance(evidence, expected));
    }
    let covariance = &inverse * residuals * &inverse;
    (nats, covariance.diagonal().map(|variance| variance.max(0.0).sqrt()))
}

/// Adds `weight` times (e_a - e_b)(e_a - e_b)ᵀ to the matrix.
fn add_difference(matrix: &mut DMatrix<f64>, a: usize, b: usize, weight: f64) {
    matrix[(a, a)] += weight;
    matrix[(b, b)] += weight;
    matrix[(a, b)] -= weight;
    matrix[(b, a)] -= weight;
}

/// The pseudo-inverse, on vectors of mean 0. The information is singular only along (1, ..., 1), because all ratings may rise
/// together. Adding the projection on that direction, and subtracting it from the inverse, leaves the rest unchanged.
fn pseudo_inverse(information: DMatrix<f64>) -> DMatrix<f64> {
    let n = information.nrows();
    let projection = DMatrix::from_element(n, n, 1.0 / n as f64);
    // Positive definite for a connected group; rounding may break that if ratings are thousands of Elo apart.
    match (information + &projection).cholesky() {
        Some(cholesky) => cholesky.inverse() - projection,
        None => DMatrix::zeros(n, n),
    }
}

/// The variance of a pairing's points: the squared residuals, by pair where games are paired.
fn residual_variance(evidence: &Evidence, expected: f64) -> f64 {
    let (games, count) = (evidence.games_of_unit(), evidence.units() as f64);
    // As for the interval of a match, one unit more is thought of, half lost and half won.
    let all = evidence.shares().chain([(0.0, 0.5), (1.0, 0.5)]);
    let squared = |(share, units): (f64, f64)| {
        let residual = games * (share - expected);
        units * residual * residual
    };
    all.map(squared).sum::<f64>() * count / (count + 1.0)
}

/// The finite end of the interval of a player who won or lost all games against the group: the rating at which the group
/// predicts the end of the Wilson interval of that score, over units of evidence. `None` without such games.
fn open_end(player: usize, ratings: &[Rating], pairings: &[Pairing]) -> Option<f64> {
    let (mut units, mut points) = (0, 0.0);
    let mut opponents = Vec::new();
    for Pairing { players: [a, b], evidence } in pairings {
        let (score, opponent) = match player {
            p if p == *a => (evidence.score(), *b),
            p if p == *b => (1.0 - evidence.score(), *a),
            _ => continue,
        };
        if let Some(elo) = ratings[opponent].elo {
            units += evidence.units();
            points += score;
            opponents.push((elo, evidence.games() as f64));
        }
    }
    let games: f64 = opponents.iter().map(|(_, games)| games).sum();
    let wanted = match units {
        0 => return None,
        _ if points > 0.0 => wilson_interval(1.0, units as f64).0,
        _ => wilson_interval(0.0, units as f64).1,
    };
    let predicted = |elo: f64| {
        opponents.iter().map(|(theirs, n)| n * score_of_elo(elo - theirs)).sum::<f64>() / games
    };
    // One opponent of that strength instead of all bounds the answer.
    let difference = ELO_PER_NAT * (wanted / (1.0 - wanted)).ln();
    let elos = || opponents.iter().map(|(elo, _)| elo + difference);
    let (mut low, mut high) =
        (elos().fold(f64::INFINITY, f64::min), elos().fold(f64::NEG_INFINITY, f64::max));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if predicted(middle) < wanted { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

fn logistic(nats: f64) -> f64 {
    1.0 / (1.0 + (-nats).exp())
}

#[cfg(test)]
mod tests;
