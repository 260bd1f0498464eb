//! The one implementation of [`AnyGame`]: for every game type.

use std::io::{BufRead, Write};
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use super::{AnyGame, AnyTournament, BotRequest, Console, SessionRequest, bot, session};
use crate::agent::Playable;
use crate::arena::{
    Contest, GameLog, GameRow, GameTrace, MatchPlan, MatchSettings, PairingResult, PlayedMatch,
    Tournament, TournamentError, TournamentPlan, play_match, play_match_traced, play_until_decided,
};
use crate::evolve::plan::{CoevolutionPlan, ComparisonPlan, OpponentPlan, ValidationPlan};
use crate::evolve::{
    Comparison, LocalExecutor, MatchRow, Observer, Plan, RunDir, RunError, RunResult, StagePlan,
    Vector, compare, run, validate,
};
use crate::files::FileError;
use crate::game::{GameInfo, NotationError, Position, perft};
use crate::input::InputError;
use crate::learn::{LearnError, LearnPlan, Lesson, ProgressRow, learn};
use crate::reproduce::{Reproducing, Reproduction, RowReport, Sizes, Table};
use crate::stats::rating::Rating;
use crate::weights::Weights;

/// A game in the registry. It holds nothing but its type.
pub struct Entry<P>(PhantomData<fn() -> P>);

impl<P> Default for Entry<P> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

fn rules_of<P: Position>(text: &str) -> Result<P::Rules, InputError> {
    text.parse().map_err(|error: NotationError| InputError::new(error.to_string()))
}

impl<P: Playable> AnyGame for Entry<P> {
    fn info(&self) -> &'static GameInfo {
        P::INFO
    }

    fn perft(&self, rules: &str, depth: u32) -> Result<u64, InputError> {
        Ok(perft(&P::start(rules_of::<P>(rules)?), depth))
    }

    fn play_match(
        &self,
        plan: &MatchPlan,
        progress: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<PlayedMatch>, InputError> {
        let MatchPlan { agents, rules, openings, settings, sprt, traced } = plan;
        let (a, b) = (agents[0].prepare::<P>()?, agents[1].prepare::<P>()?);
        let contest = Contest { a: &a, b: &b, rules: rules_of::<P>(rules)?, openings };
        let untraced = |result| PlayedMatch { result, games: Vec::new() };
        Ok(match sprt {
            test if *traced => {
                let played = play_match_traced(&contest, settings, test.as_ref(), progress)?;
                played.map(|(result, games)| {
                    let games = games.into_iter().map(GameTrace::in_notation).collect();
                    PlayedMatch { result, games }
                })
            }
            Some(test) => play_until_decided(&contest, settings, test, progress)?.map(untraced),
            None => play_match(&contest, settings, progress)?.map(untraced),
        })
    }

    fn tournament<'p>(
        &self,
        plan: &'p TournamentPlan,
    ) -> Result<Box<dyn AnyTournament + 'p>, InputError> {
        Ok(Box::new(Tournament::<P>::new(plan)?))
    }

    fn evolve(
        &self,
        plan: &Plan,
        dir: &RunDir,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<RunResult, RunError> {
        run::<P>(plan, dir, &LocalExecutor::<P>::new(), observer, stop)
    }

    fn games_per_second(&self, plan: &Plan, stage: &StagePlan) -> Result<f64, InputError> {
        games_per_second::<P>(plan, stage)
    }

    fn compare(
        &self,
        plan: &ComparisonPlan,
        rules: &str,
        seed: u64,
        pair: [&Vector; 2],
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Comparison, RunError> {
        compare::<P>(plan, rules_of::<P>(rules)?, seed, pair, observer, stop)
    }

    fn validate(
        &self,
        plan: &ValidationPlan,
        rules: &str,
        seed: u64,
        weights: &Weights,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Vec<MatchRow>, RunError> {
        validate::<P>(plan, rules_of::<P>(rules)?, seed, weights, None, observer, stop)
    }

    fn learn(
        &self,
        plan: &LearnPlan,
        on_game: &mut dyn FnMut(),
        on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
        stop: &AtomicBool,
    ) -> Result<Option<Lesson>, LearnError> {
        learn::<P>(plan, on_game, on_row, stop)
    }

    fn reproduce<'t>(
        &self,
        table: &'t Table,
        sizes: &Sizes,
        earlier: &[RowReport],
    ) -> Result<Box<dyn Reproducing + Send + 't>, InputError> {
        Ok(Box::new(Reproduction::<P>::new(table, sizes, earlier)?))
    }

    fn play(&self, request: &SessionRequest<'_>, console: &mut dyn Console) -> anyhow::Result<()> {
        session::play::<P>(request, console)
    }

    fn bot(
        &self,
        request: &BotRequest<'_>,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        note: &dyn Fn(&str),
    ) -> anyhow::Result<()> {
        bot::play::<P>(request, input, output, note)
    }
}

impl<P: Playable> AnyTournament for Tournament<P> {
    fn games(&self) -> u64 {
        self.games()
    }

    fn labels(&self) -> Vec<String> {
        self.labels()
    }

    fn open_games(&self, log: &GameLog) -> u64 {
        self.open_games(log)
    }

    fn play(
        &self,
        log: Option<&GameLog>,
        progress: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<GameRow>>, TournamentError> {
        self.play(log, progress)
    }

    fn results(&self, games: &[GameRow]) -> Vec<PairingResult> {
        self.results(games)
    }

    fn ratings(&self, results: &[PairingResult]) -> Vec<Rating> {
        self.ratings(results)
    }
}

/// The rate at which a stage's games go by, from a moment of playing them with the start vector at each of
/// its depths.
fn games_per_second<P: Playable>(plan_of_run: &Plan, stage: &StagePlan) -> Result<f64, InputError> {
    const ENOUGH_SECONDS: f64 = 0.3;
    let rules = rules_of::<P>(&plan_of_run.rules)?;
    let start = plan_of_run.vector_at("initial", &plan_of_run.start_point())?;
    let start = start.carried_by(&plan_of_run.agent)?;
    let mut measured: Vec<(Option<u32>, f64)> = Vec::new();
    let mut seconds_of_all = 0.0;
    // Candidates against each other as the start vector against itself.
    let itself = |plan: &CoevolutionPlan| {
        let games = plan.opponents as u64 * plan.games;
        let opponent = |&depth: &u32| OpponentPlan {
            agent: start.clone(),
            depth: Some(depth),
            openings: None,
            games,
            of_hall: false,
        };
        plan.depths.iter().map(opponent).collect::<Vec<_>>()
    };
    let themselves = stage.fitness.coevolution.as_ref().map(itself).unwrap_or_default();
    for opponent in stage.fitness.opponents.iter().chain(&themselves) {
        if !measured.iter().any(|(depth, _)| *depth == opponent.depth) {
            let depth = opponent.depth.unwrap_or(stage.depth);
            let agent = start.with_default_depth(depth);
            let (a, b) = (agent.prepare::<P>()?, stage.opponent(opponent).prepare::<P>()?);
            let contest = Contest { a: &a, b: &b, rules, openings: &stage.fitness.openings };
            let (mut games, mut played, mut seconds) = (4, 0, 0.0);
            while seconds < ENOUGH_SECONDS {
                let schedule = stage.fitness.schedule;
                let settings =
                    MatchSettings { games, seed: plan_of_run.seed, schedule, replay_ties: false };
                if let Some(result) = play_match(&contest, &settings, &|| true)? {
                    seconds += result.elapsed.as_secs_f64();
                    played += games;
                }
                games *= 2;
            }
            measured.push((opponent.depth, seconds / played as f64));
        }
        let of_depth = measured.iter().find(|(depth, _)| *depth == opponent.depth);
        seconds_of_all += of_depth.map_or(0.0, |(_, seconds)| seconds * opponent.games as f64);
    }
    Ok(stage.fitness.games as f64 / seconds_of_all)
}
