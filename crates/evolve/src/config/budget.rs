//! A number of games instead of settings: what the tuner chooses where nothing is written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::regression::Keys;
use super::{Initial, Reader, Result};
use crate::plan::{FitnessPlan, LearnedStart, PairsPlan, SigmaUnit, StagePlan, Start, TimedBudget};
use tictune_core::arena::{MAX_GAMES, Schedule};

/// How many games the search plays, or how long the run takes. Settings that are left out follow from it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BudgetSection {
    /// All games of the search: those of learning, candidates and means. The matches at the end are extra
    #[schemars(range(min = LEAST_GAMES, max = MAX_GAMES))]
    games: Option<u64>,
    /// Instead of games: about how long the run takes, as in "2h". It is converted to games once, by the speed of the first games
    time: Option<String>,
}

/// The fewest games that a search can make anything of.
const LEAST_GAMES: u64 = 100;

/// The games of a budget of time before it is known how long they take: with so many, all is learned that helps.
const UNMEASURED_GAMES: u64 = 12_000;

/// Pairs of a generation: so many that a stage has about 600 generations, within limits. With more pairs, threads wait less for the last
/// game of a generation; with fewer generations, the mean is moved too seldom.
const PAIRS: [u64; 2] = [10, 100];
const GENERATIONS: u64 = 600;

/// Step sizes of pairs: in sizes of a start that says nothing, and of one that is given as weights; in ranges of parameters; in
/// steps of learned axes all together, and in the size of a start in these steps, where it says nothing.
const STEP_OF_NUMBER: f64 = 1.5;
const STEP_OF_WEIGHTS: f64 = 0.3;
const STEP_OF_RANGE: f64 = 0.1;
const STEP_OF_LEARNED: f64 = 0.3;
const STEP_OF_DIRECTED: f64 = 1.0;

/// The games of self-play before the opponents are played, where the start is neither learned nor given as weights: a quarter of
/// the budget, and no more than are known to help.
const SELF_PLAY_PART: u64 = 4;
const MOST_SELF_PLAY: u64 = 6000;

/// Games of learning: an eighth of the budget, and no more than are known to help. Where candidates search deeper than the games of learning, these
/// take less time, about a third for each ply, and there are as many more, up to half of the budget.
const LEARNED_PART: u64 = 8;
const MOST_LEARNED: u64 = 1500;
const COST_OF_PLY: u64 = 3;
const ROUNDS: u32 = 3;
const LABEL_DEPTH: u32 = 3;
const RESULTS: f64 = 0.3;

/// Games whose positions tell the directions, where the start stays: a thirtieth of the budget, within these limits.
const DIRECTED_PART: u64 = 30;
const DIRECTED: [u64; 2] = [5, 300];

impl Reader<'_, '_, '_> {
    /// Whether candidates are mirrored pairs.
    pub(super) fn in_pairs(&self) -> bool {
        self.config.budget.is_some()
    }

    /// Whether the start is given as weights, not as one number for all.
    pub(super) fn starts_from_weights(&self) -> bool {
        matches!(self.config.cmaes.initial, Some(Initial::Each(_) | Initial::Weights(_)))
    }

    /// Whether candidates play each other first: where nothing good is known to start from, they learn more from each other
    /// than from opponents who beat them all, or lose to them all.
    fn begins_alone(&self, first: &StagePlan) -> bool {
        let knows_nothing = !self.learns() && !self.starts_from_weights();
        self.in_pairs()
            && knows_nothing
            && first.fitness.schedule == Schedule::Paired
            && !first.fitness.opponents.is_empty()
    }

    /// The keys of the search that are not written, and that tictune chooses.
    pub(super) fn chosen(&self, learn: Option<&LearnedStart>) -> Vec<String> {
        let (cmaes, in_pairs) = (&self.config.cmaes, self.in_pairs());
        let stages = self.root.inners("stages");
        let left = |key| stages.is_empty() || stages.iter().any(|stage| !stage.has(key));
        let games = !self.section("fitness").has("games");
        let learns_start = learn.is_some_and(|learn| !learn.keeps_start);
        let choices = [
            ("stages", in_pairs && stages.is_empty()),
            ("learn", learn.is_some() && self.config.learn.is_none()),
            ("fitness.games", in_pairs && games && left("games")),
            ("cmaes.initial", learns_start && cmaes.initial.is_none()),
            ("cmaes.sigma", in_pairs && cmaes.sigma.is_none() && left("sigma")),
            ("cmaes.population", cmaes.population.is_none()),
        ];
        choices.into_iter().filter(|(_, chosen)| *chosen).map(|(key, _)| key.into()).collect()
    }

    pub(super) fn check_budget(&self) -> Result<()> {
        let (root, is_given) = (self.root, |name| self.root.inner(name).is_some());
        if self.config.budget.is_none() {
            let sections = [("cmaes", "initial and sigma"), ("fitness", "games")];
            let missing = sections.iter().find(|(name, _)| !is_given(name));
            return missing.map_or(Ok(()), |(name, keys)| {
                let message = format!(
                    "missing; write a [{name}] table with {keys}, or a [budget] table with games"
                );
                Err(root.error(name, message))
            });
        }
        let section = self.section("budget");
        match (section.has("games"), section.has("time")) {
            (true, true) => Err(section.error("time", "give games or a time, not both")),
            (false, true) if self.timed().is_none() => {
                Err(section.error("time", "expected a second or more, as in \"10min\" or \"2h\""))
            }
            (false, false) => {
                Err(section.error_here("expected games, such as 50_000, or a time, as in \"2h\""))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn timed(&self) -> Option<TimedBudget> {
        let time = humantime::parse_duration(self.config.budget.as_ref()?.time.as_ref()?).ok()?;
        let seconds = time.as_secs_f64();
        (seconds >= 1.0).then_some(TimedBudget { seconds, games: self.overrides.games_of_time })
    }

    pub(super) fn games(&self) -> u64 {
        let written = self.config.budget.as_ref().and_then(|budget| budget.games);
        written.or(self.overrides.games_of_time).unwrap_or(UNMEASURED_GAMES)
    }

    /// The depths at which the two of a pair play each other: one more opponent, and the only one where no others are named.
    pub(super) fn depths_of_self_play(&self, alone: bool, depths: &[u32]) -> Result<Vec<u32>> {
        let schedule = self.config.fitness.plan.schedule;
        if alone && schedule != Schedule::Paired {
            let message = format!(
                "without opponents, candidates play each other in pairs of games: expected \"paired\", not {schedule}"
            );
            return Err(self.section("fitness").error("schedule", message));
        }
        let mirrored = self.in_pairs() && schedule == Schedule::Paired;
        // A runner's programs have no depth.
        let depths = if depths.is_empty() { &[0] } else { depths };
        Ok(if mirrored { depths.to_vec() } else { Vec::new() })
    }

    /// Candidates of a generation, where their number is not written: CMA-ES as Hansen, "The CMA evolution strategy: a tutorial"
    /// (2016), or two for each pair.
    pub(super) fn default_population(&self, dimensions: usize, fitness: &FitnessPlan) -> u32 {
        if !self.in_pairs() {
            return 4 + (3.0 * (dimensions as f64).ln()).floor() as u32;
        }
        let of_pair = 2 * fitness.games - fitness.games_of_self_play();
        let of_stage = self.games() / self.config.stages.len().max(1) as u64;
        let pairs = of_stage / (GENERATIONS * of_pair.max(1));
        2 * pairs.clamp(PAIRS[0], PAIRS[1]) as u32
    }

    /// The optimiser of pairs, where no CMA-ES is.
    pub(super) fn optimiser_of_pairs(&self) -> Option<PairsPlan> {
        let is_good = self.learns() || self.starts_from_weights();
        let has_ranges = !self.config.parameters.is_empty();
        let gain = match is_good || has_ranges {
            true => PairsPlan::GAIN_FROM_GOOD_START,
            false if self.learns_directions() => PairsPlan::GAIN_WITH_DIRECTIONS,
            false => PairsPlan::GAIN_FROM_NOTHING,
        };
        let spread = if has_ranges { PairsPlan::SPREAD_OF_RANGE } else { 0.0 };
        self.in_pairs().then_some(PairsPlan { gain, spread })
    }

    /// The step size and what it counts, where they are not written.
    pub(super) fn default_sigma(&self, dimensions: usize) -> Option<(f64, SigmaUnit)> {
        self.config.budget.as_ref()?;
        let root = (dimensions as f64).sqrt();
        Some(match (self.learns(), self.config.parameters.is_empty()) {
            _ if self.learns_directions() => (STEP_OF_DIRECTED / root, SigmaUnit::Weight),
            (true, _) => (STEP_OF_LEARNED / root, SigmaUnit::Weight),
            (_, true) if self.starts_from_weights() => (STEP_OF_WEIGHTS, SigmaUnit::Start),
            (_, true) => (STEP_OF_NUMBER, SigmaUnit::Start),
            (_, false) => (STEP_OF_RANGE, SigmaUnit::Weight),
        })
    }

    /// The most generations of each stage: all have as many games.
    pub(super) fn share_budget(&self, stages: &mut Vec<StagePlan>) -> Result<()> {
        if self.config.budget.is_none() {
            return Ok(());
        }
        let learned = self.regression(1).map_or(0, |keys| keys.all_games());
        let mut left = self.games().saturating_sub(learned);
        if left < self.games() / 2 && self.config.learn.is_some() && self.is_measured() {
            let message = format!(
                "learning takes {learned} games, and the budget of {} is for all games: at most half of them may go into learning",
                self.games()
            );
            return Err(self.section("learn").error("games", message));
        }
        if let Some(first) = stages.first().filter(|first| self.begins_alone(first)) {
            let mut alone = first.clone();
            let fitness = &mut alone.fitness;
            fitness.opponents.clear();
            fitness.self_play.iter_mut().for_each(|plan| plan.games = fitness.schedule.unit());
            fitness.games = fitness.games_of_self_play();
            let games = (left / SELF_PLAY_PART).min(MOST_SELF_PLAY);
            self.limit(&mut alone, games)?;
            left -= games;
            stages[0].start = Start::Mean;
            stages.insert(0, alone);
        }
        let alone = stages.len() - self.config.stages.len();
        let each = left / self.config.stages.len().max(1) as u64;
        stages[alone..].iter_mut().try_for_each(|stage| self.limit(stage, each))
    }

    /// Whether the number of games is known. How many fit into a time is not before it is measured.
    fn is_measured(&self) -> bool {
        self.timed().is_none_or(|timed| timed.games.is_some())
    }

    /// Ends a stage after so many games.
    fn limit(&self, stage: &mut StagePlan, games: u64) -> Result<()> {
        let generation = stage.games_of(stage.population);
        let generations = (games / generation).max(u64::from(!self.is_measured()));
        if generations == 0 {
            let section = self.section("budget");
            let (key, too, much) = match section.has("time") {
                true => ("time", "short", "as long"),
                false => ("games", "few", "as many"),
            };
            let times = generation.div_ceil(games.max(1));
            let message = format!(
                "too {too}: a generation has {generation} games, and only {games} fit in a stage; give {times} times {much}, or \
                 fewer stages or depths"
            );
            return Err(section.error(key, message));
        }
        let most = &mut stage.stops.max_generations;
        let most = most.insert(most.map_or(generations, |most| most.min(generations)));
        let evaluations = &mut stage.stops.max_evaluations;
        *evaluations = (*evaluations).min(*most * stage.population as u64);
        Ok(())
    }

    /// Whether the start is learned: a person says so, or it can be, and no other start is written.
    pub(super) fn learns(&self) -> bool {
        let can = || self.config.cmaes.initial.is_none() && self.has_positions();
        self.config.learn.is_some() || can()
    }

    fn has_positions(&self) -> bool {
        let of_position = |layout| self.scope.game.of_position_alone(layout);
        self.config.budget.is_some()
            && self.config.parameters.is_empty()
            && !self.scope.game.is_outside()
            && self.layout.is_some_and(of_position)
    }

    /// Whether the start says nothing, being one number for all weights, and is kept: positions of games with it then tell in which
    /// directions to look, and how far.
    pub(super) fn learns_directions(&self) -> bool {
        let cmaes = &self.config.cmaes;
        let stages = self.config.stages.iter();
        matches!(cmaes.initial, Some(Initial::All(_)))
            && self.config.learn.is_none()
            && stages.map(|stage| stage.sigma).chain([cmaes.sigma]).all(|sigma| sigma.is_none())
            && self.has_positions()
    }

    /// The games of learning where none are written.
    fn learned_games(&self) -> u64 {
        if self.learns_directions() {
            return (self.games() / DIRECTED_PART).clamp(DIRECTED[0], DIRECTED[1]);
        }
        let stages = self.config.stages.iter();
        let depths =
            stages.flat_map(|stage| stage.depth.iter().chain(stage.depths.iter().flatten()));
        let deeper = depths.max().map_or(0, |depth| depth.saturating_sub(LABEL_DEPTH));
        let part = (self.games() / LEARNED_PART).saturating_mul(COST_OF_PLY.saturating_pow(deeper));
        let games = part.min(self.games() / 2).min(MOST_LEARNED);
        games / u64::from(ROUNDS) * u64::from(ROUNDS)
    }

    /// The regression that a search begins with: as it is written, or where the start is learned without that.
    pub(super) fn regression(&self, depth: u32) -> Option<Keys> {
        let usual = || {
            let depth = depth.clamp(1, LABEL_DEPTH);
            let games = self.learned_games();
            if self.learns_directions() {
                return Some(Keys::new(1, games, depth, None));
            }
            let labels = (depth + LABEL_DEPTH, RESULTS);
            let games = games / u64::from(ROUNDS);
            self.learns().then(|| Keys::new(ROUNDS, games, depth, Some(labels)))
        };
        self.config.learn.clone().or_else(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_mistakes, read};
    use super::*;

    const CONFIG: &str = include_str!("tests/budget.toml");

    fn games(plan: &crate::Plan) -> u64 {
        let learned = plan.learn.as_ref().map_or(0, |learn| learn.regression.all_games());
        let of_stage =
            |stage: &StagePlan| stage.most_generations() * stage.games_of(stage.population);
        let stages = plan.stages.iter().map(of_stage);
        learned + stages.sum::<u64>()
    }

    /// What is chosen: of each stage its candidates, their games, those against each other, where it starts and how large a step is;
    /// the games of learning, and the gain that is expected.
    fn chosen(text: &str) -> String {
        let plan = read(text).unwrap();
        let stage = |stage: &StagePlan| {
            let FitnessPlan { games, .. } = stage.fitness;
            let own = stage.fitness.games_of_self_play();
            format!(
                "{} x {games}, {own} own, {:?} {:.3}",
                stage.population, stage.start, stage.sigma
            )
        };
        let mut chosen: Vec<String> = plan.stages.iter().map(stage).collect();
        chosen.extend(plan.learn.map(|learn| {
            let what = if learn.keeps_start { "axes" } else { "a start" };
            let regression = &learn.regression;
            format!("{what} of {} by {:?}", regression.all_games(), regression.labels.depths)
        }));
        let PairsPlan { gain, spread } = plan.pairs.unwrap();
        format!("{}; {gain} {spread}", chosen.join("; "))
    }

    #[test]
    fn what_is_not_written_follows_from_the_games() {
        for (lines, expected) in [
            // A pair of games against the opponent and the other of the pair at each depth, and a start that is learned.
            ("", "20 x 8, 4 own, Initial 0.048; a start of 1500 by [6]; 0.3375 0"),
            // Where nothing good is known, candidates play each other first. What the positions of a start say of directions is asked
            // before, unless somebody says how far a step is.
            (
                "initial = 0.1",
                "20 x 4, 4 own, Initial 0.160; 20 x 8, 4 own, Mean 0.160; axes of 300 by []; 0.675 0",
            ),
            (
                "initial = 0.1\nsigma = 1.5",
                "20 x 4, 4 own, Initial 1.500; 20 x 8, 4 own, Mean 1.500; 1.35 0",
            ),
            ("initial = \"tictune-extended\"", "20 x 8, 4 own, Initial 0.300; 0.3375 0"),
            // What a person writes is shared in the same way, and the opponents come first.
            (
                "initial = \"tictune-extended\"\n[fitness]\ngames = 4",
                "20 x 4, 0 own, Initial 0.300; 0.3375 0",
            ),
            // Candidates play each other in pairs of games only.
            (
                "initial = 0.1\n[fitness]\nschedule = \"half-and-half\"",
                "20 x 4, 0 own, Initial 0.160; axes of 300 by []; 0.675 0",
            ),
        ] {
            let text = CONFIG.replace("[budget]", &format!("[cmaes]\n{lines}\n[budget]"));
            assert_eq!(chosen(&text), expected, "{lines}");
        }
        // Which keys were left out does not change the hash.
        let [all, less] = ["", "[cmaes]\npopulation = 20\n"]
            .map(|more| read(&format!("{CONFIG}{more}")).unwrap());
        assert_eq!((all.chosen.len(), all.hash()), (less.chosen.len() + 1, less.hash()));
        assert_eq!(less.chosen, ["learn", "fitness.games", "cmaes.initial", "cmaes.sigma"]);
        // Without opponents, candidates play each other alone. The more games there are, the more pairs has a generation.
        let opponents = "[[opponents]]\nagent = \"minimax:weights=liang-default\"\n";
        for (games, candidates) in [("12500", 20), ("50000", 40), ("1000000", 200)] {
            let chosen = chosen(&CONFIG.replace(opponents, "").replace("12500", games));
            assert!(chosen.starts_with(&format!("{candidates} x 4, 4 own, Initial")), "{chosen}");
        }
        for more in
            ["", "initial = 0.5", "initial = \"liang-default\"", "population = 100\nsigma = 2"]
        {
            for stages in ["", "[[stages]]\ndepth = 5\n"] {
                let text =
                    format!("{CONFIG}{stages}[cmaes]\n{more}\n").replace("extended", "advanced");
                let spent = games(&read(&text).unwrap());
                assert!((11_500..=12_500).contains(&spent), "{spent} with {more:?} {stages:?}");
            }
        }
        let usual = CONFIG.replace("[[stages]]\ndepths = [3, 4]\n", "");
        assert_eq!(read(&usual).unwrap().stages[0].depths, [3, 5]);
        // Games of learning take little time beside those of a deep search.
        for (depth, learned) in [("3", 123), ("4", 375), ("7", 498)] {
            let text = CONFIG
                .replace("12500", "1000")
                .replace("depths = [3, 4]", &format!("depth = {depth}"));
            assert_eq!(read(&text).unwrap().learn.unwrap().regression.all_games(), learned);
        }
        // Weights move in steps of their own size.
        let plan = read(&format!("{CONFIG}[cmaes]\ninitial = \"tictune-extended\"\n")).unwrap();
        let initial = plan.initial.as_ref().unwrap().values();
        assert_eq!(plan.space.slot(1), crate::SlotPlan::Stepped(initial[1].abs()));
        check_mistakes("budget", CONFIG, read);
    }

    #[test]
    fn a_validation_tries_every_search_and_its_games_follow_from_the_budget() {
        let validation = |text: &str| read(text).unwrap().validation;
        let usual = validation(CONFIG);
        // Minimax at six depths and iterative deepening against the start and three vectors, and playouts, from two openings.
        assert_eq!((usual.rows(), usual.games), (2 * (4 * 7 + 1), 200));
        assert_eq!((usual.iterative.len(), usual.early_termination.len()), (1, 1));
        assert_eq!(validation(&CONFIG.replace("12500", "1000")).games, 20);
        assert_eq!(validation(&CONFIG.replace("12500", "100_000")).games, 200);
        let written = format!("{CONFIG}[validation]\ngames = 30\niterative = []\nept = []\n");
        assert_eq!((validation(&written).rows(), validation(&written).games), (48, 30));
    }
}
