//! The whole of an evolution, and what its end plays.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::books::Part;
use super::space::{SlotPlan, Space};
use super::stage::{LearnedStart, StagePlan, least_step};
use tictune_core::agent::{AgentSpec, Limit};
use tictune_core::arena::{MAX_GAMES, Openings, Split};
use tictune_core::files::fingerprint;
use tictune_core::game::WeightLayout;
use tictune_core::input::whole;
use tictune_core::weights::Weights;

/// How much of its own information is added to that of each slot, so that no direction is said to change nothing.
const SHRINKAGE: f64 = 0.1;

/// The least that a slot moves values to be seen, as a part of what the one does that moves them most.
const SEEN: f64 = 1e-3;

/// An evolution to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name: what its folder is called.
    pub name: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of everything.
    pub seed: u64,
    /// The start vector; its layout is the evaluation that is evolved. None where no weights are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Weights>,
    /// What the optimiser moves, and in what units.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub space: Space,
    /// The regression that gives the start, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn: Option<LearnedStart>,
    /// Who plays with the candidates: a spec without depth, and without weights where those are evolved.
    pub agent: AgentSpec,
    /// The stages in order, at least one.
    pub stages: Vec<StagePlan>,
    /// Best against mean at the end.
    pub comparison: ComparisonPlan,
    /// The gauntlet of the winner; without depths there is none.
    pub validation: ValidationPlan,
    /// The optimiser of mirrored pairs, where it takes the place of CMA-ES.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsPlan>,
    /// The time that a person gave instead of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<TimedBudget>,
    /// The keys of the search that the config left to tictune. The hash leaves this list out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
}

/// A time for a run, and the games that it has become.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedBudget {
    /// How long the run takes, about.
    pub seconds: f64,
    /// The games of the search, by the speed of the machine on which the run began; none where it was not measured yet.
    pub games: Option<u64>,
}

impl Plan {
    /// The evaluation whose slots are evolved; none where only parameters are.
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.initial.as_ref().map(Weights::layout)
    }

    /// The openings of training among which held-out ones may be, where comparison or validation play from held-out ones:
    /// what is shown there may then have been trained on. `None` if all is well.
    pub fn trains_on_held_out(&self) -> Option<&Openings> {
        let (training, others): (Vec<_>, Vec<_>) =
            self.needs().into_iter().partition(|(part, ..)| matches!(part, Part::Training(_)));
        let has_held_out =
            others.iter().any(|(_, openings, _)| openings.split() == Some(Split::HeldOut));
        let may_be =
            |openings: &&Openings| openings.split().is_some_and(|split| split != Split::Train);
        let found = training.into_iter().map(|(_, openings, _)| openings).find(may_be);
        found.filter(|_| has_held_out)
    }

    /// The plan with so many more generations of its last stage, or fewer.
    pub fn with_more_generations(&self, more: i64) -> Self {
        let mut plan = self.clone();
        if let Some(stage) = plan.stages.last_mut().filter(|_| more != 0) {
            let generations = stage.most_generations().saturating_add_signed(more);
            let stops = &mut stage.stops;
            stops.max_generations = stops.max_generations.map(|_| generations);
            stops.max_evaluations = generations.saturating_mul(stage.population as u64);
        }
        plan
    }

    /// A fingerprint of all that decides the run: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        let plan = Self { chosen: Vec::new(), ..self.clone() };
        fingerprint(&serde_json::to_vec(&plan).unwrap_or_default())
    }

    /// The same plan with learned weights as its start, also where opponents are the start. Slots that are held keep their
    /// values.
    pub fn started_from(&self, learned: &Weights) -> Self {
        let mut plan = self.clone();
        let Some(initial) = &self.initial else { return plan };
        let kept = self.slots().zip(learned.values());
        let values: Vec<f64> = kept
            .map(|((_, slot, held), learned)| if slot == SlotPlan::Held { held } else { *learned })
            .collect();
        let least = least_step(&values);
        if let (Some(least), true) = (least, self.learn.as_ref().is_some_and(|learn| learn.steps)) {
            plan.space.slots = (values.iter().enumerate())
                .map(|(index, value)| match self.space.slot(index) {
                    SlotPlan::Held => SlotPlan::Held,
                    _ => SlotPlan::Stepped(value.abs().max(least)),
                })
                .collect();
        }
        if let Ok(mut weights) = Weights::new(&*initial.name, initial.layout(), values) {
            weights.provenance.clone_from(&learned.provenance);
            for opponent in &mut plan.validation.opponents {
                if opponent == initial {
                    *opponent = weights.clone();
                }
            }
            let stages = plan.stages.iter_mut().flat_map(|stage| &mut stage.fitness.opponents);
            let agents = stages.map(|opponent| &mut opponent.agent);
            for agent in agents.chain(&mut plan.validation.agents) {
                if agent.weights() == Some(initial) {
                    *agent = agent.with_weights(weights.clone());
                }
            }
            plan.initial = Some(weights);
        }
        plan
    }

    /// How many logits the values of the start are worth, given what a position says of each pair of slots: 1 where they are 0.
    pub(crate) fn size_by(&self, information: &[Vec<f64>]) -> f64 {
        let values =
            DVector::from_iterator(information.len(), self.slots().map(|(_, _, value)| value));
        let information = DMatrix::from_fn(values.len(), values.len(), |i, j| information[i][j]);
        let size = values.dot(&(information * &values)).sqrt();
        if size.is_normal() { size } else { 1.0 }
    }

    /// The plan whose optimiser looks in directions that move values alike, given what a position says of each pair of
    /// slots: a step along any of them adds to a value about as much as it would by being worth so many logits.
    #[must_use]
    pub(crate) fn with_axes(mut self, information: &[Vec<f64>], logits: f64) -> Self {
        let evolved: Vec<(usize, f64)> = (self.slots().enumerate())
            .filter(|(_, (_, slot, _))| *slot != SlotPlan::Held)
            .map(|(index, (_, slot, _))| (index, slot.step()))
            .collect();
        let sizes: Vec<f64> =
            evolved.iter().map(|(slot, _)| information[*slot][*slot].max(0.0).sqrt()).collect();
        let largest = sizes.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // What positions hardly say anything of is moved as little as what they say most of.
        let size =
            |index: usize| if sizes[index] < SEEN * largest { largest } else { sizes[index] };
        let count = evolved.len();
        let shared = DMatrix::from_fn(count, count, |i, j| {
            let both = information[evolved[i].0][evolved[j].0] / (size(i) * size(j));
            if i == j { both + SHRINKAGE } else { both }
        });
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(shared);
        let axis = |i: usize, j: usize| {
            let step = eigenvalues[j].max(SHRINKAGE).sqrt() * size(i) * evolved[i].1;
            logits * eigenvectors[(i, j)] / step
        };
        self.space.axes =
            Some((0..count).map(|i| (0..count).map(|j| axis(i, j)).collect()).collect());
        self
    }

    /// What the fitness of a stage's answer is: pairs end at the mean, since their candidates lie away from it on purpose.
    pub const fn fitness_in_words(&self) -> &'static str {
        if self.pairs.is_some() { "fitness of the mean" } else { "lowest fitness" }
    }
}

/// The settings of the optimiser of mirrored pairs that a stage does not say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairsPlan {
    /// How much stronger than the start of the first stage the optimum is expected to be, in logits of the expected score.
    pub gain: f64,
    /// Prior standard deviation (log2) of the curvature of strength along an axis: how little is known of a good step length.
    pub spread: f64,
}

impl PairsPlan {
    /// The spread where steps follow from ranges that a person gives.
    pub const SPREAD_OF_RANGE: f64 = 3.0;
    /// The gain expected from a good start: a learned one, or the end of a stage.
    pub const GAIN_FROM_GOOD_START: f64 = 0.3375;
    /// The gain expected from an uninformed start, along directions estimated from positions.
    pub const GAIN_WITH_DIRECTIONS: f64 = 0.675;
    /// The gain expected from an uninformed start otherwise.
    pub const GAIN_FROM_NOTHING: f64 = 1.35;
}

/// Best against mean at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPlan {
    /// An even number; by default 400 with a budget
    #[serde(default = "whole::<1000, u64>")]
    #[schemars(range(min = 2, max = MAX_GAMES))]
    pub games: u64,
    /// The agent that plays both; by default that of the candidates at the greatest depth of the stages
    #[schemars(with = "Option<AgentSpec>")]
    pub agent: AgentSpec,
    /// Where games start; by default random:4:held-out
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
    pub openings: Openings,
}

/// The gauntlet that the winner runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationPlan {
    /// Games of each row, an even number.
    pub games: u64,
    /// The depths of minimax at which it plays each opponent.
    pub depths: Vec<u32>,
    /// The limits of iterative deepening with which it plays each opponent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterative: Vec<Limit>,
    /// The limits of Monte Carlo tree search with which early playout termination plays random playouts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_termination: Vec<Limit>,
    /// The vectors that it plays.
    pub opponents: Vec<Weights>,
    /// Further agents that the winner's agent plays, with the depth of the last stage unless they have their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentSpec>,
    /// Where games start.
    pub openings: Vec<Openings>,
}

impl ValidationPlan {
    /// The rows of weights, without those of an agent or a program.
    pub fn rows(&self) -> u64 {
        let of_opponent = self.depths.len() + self.iterative.len();
        let rows = self.opponents.len() * of_opponent + self.early_termination.len();
        (rows * self.openings.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_start_that_is_kept_are_as_large_as_what_it_is_worth() {
        let information = vec![vec![4.0, 1.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0; 3]];
        let axes = |initial: f64| {
            let text = format!(
                "evaluation = \"connecting\"\n[budget]\ngames = 1000\n[cmaes]\ninitial = {initial:?}\n[[stages]]\ndepth = 1\n"
            );
            let plan = crate::known::read(&text).unwrap();
            let size = plan.size_by(&information);
            (size, plan.with_axes(&information, size).space.axes.unwrap())
        };
        let (size, of_one) = axes(1.0);
        assert_eq!(size, 7.0_f64.sqrt());
        let (_, of_two) = axes(2.0);
        for (one, two) in of_one.iter().flatten().zip(of_two.iter().flatten()) {
            assert!((two - 2.0 * one).abs() < 1e-9, "{one} {two}");
        }
        // Each axis moves values by as much as the start is worth, but for what is added so that none has no length.
        for axis in 0..of_one.len() {
            let along = DVector::from_iterator(3, of_one.iter().map(|row| row[axis]));
            let moved = along.dot(&(DMatrix::from_fn(3, 3, |i, j| information[i][j]) * &along));
            let part = moved.sqrt() / size;
            assert!(part < 1e-9 || (0.8..=1.0).contains(&part), "{part}");
        }
        // Of a start of 0, steps are those of one logit.
        assert_eq!(axes(0.0).0, 1.0);
    }

    #[test]
    fn learned_weights_are_the_start_and_whoever_plays_as_it() {
        let text = "evaluation = \"connecting\"\n[cmaes]\nsigma = 1\nscale = \"initial\"\nleave_out = [\"micro_win\"]\n[learn]\n\
                    games = 10\n[fitness]\n[[opponents]]\nagent = \"random\"\n[[opponents]]\nagent = \"initial\"\n[[stages]]\n\
                    depth = 1\n";
        let plan = crate::known::read(text).unwrap();
        let learned =
            Weights::new("learned", plan.layout().unwrap(), vec![2.0, -4.0, 0.001]).unwrap();
        let begun = plan.started_from(&learned);
        let initial = begun.initial.as_ref().unwrap();
        assert_eq!(initial.values(), [0.0, -4.0, 0.001], "what is held keeps its value");
        // The sizes of what was learned.
        let steps = [SlotPlan::Held, SlotPlan::Stepped(4.0), SlotPlan::Stepped(0.04)];
        assert_eq!((&begun.space.slots[..], begun.start_point()), (&steps[..], vec![0.0; 2]));
        let opponents = begun.stages[0].fitness.opponents.iter();
        assert!(opponents.map(|plan| plan.agent.weights()).eq([None, Some(initial)]));
        assert!(begun.validation.opponents.contains(initial));
        assert!(!begun.validation.opponents.contains(plan.initial.as_ref().unwrap()));
    }
}
