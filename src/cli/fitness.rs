//! `tictune fitness`: candidates in, costs out, as JSON lines. Other optimisers drive the games of a config with it.

pub(crate) mod request;

use std::collections::BTreeMap;
use std::io::stdin;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use self::request::{FitnessRequest, in_games, read_line};
use super::console::{in_background, next_of};
use super::executor::ExecutorArgs;
use super::log::LogArgs;
use super::{Session, print};
use crate::arena::{CountForfeits, Executor};
use crate::config::{self, Overrides};
use crate::evolve::plan::{OpponentPlan, Part};
use crate::evolve::{Batch, Measured, Plan, RunError, measure_batch, standard_error};
use crate::input::InputError;
use crate::programs::line::{Bounded, read_bounded};
use crate::registry::AnyGame;
use crate::seed::{Purpose, of_run};

/// The longest line of candidates in bytes: a batch of thousands.
const MAX_LINE: usize = 16 << 20;

#[derive(Debug, Args)]
pub(super) struct FitnessArgs {
    /// The config file of an evolution
    config: PathBuf,
    /// The number of the stage whose games are played
    #[arg(long, default_value_t = 1, value_name = "N")]
    stage: usize,
    /// Print what is evolved (names, initial values, ranges) and how, as a JSON object; read nothing
    #[arg(long)]
    describe: bool,
    /// The seed of the run, in place of the config's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    #[command(flatten)]
    players: ExecutorArgs,
    #[command(flatten)]
    log: LogArgs,
}

pub(super) fn run(args: &FitnessArgs, session: &Session) -> anyhow::Result<()> {
    let overrides = Overrides { seed: args.seed, ..Overrides::default() };
    let mut plan = config::load(&args.config, overrides, session.known())?;
    let stages = plan.stages.len();
    let refuse = |message: &str| Err(InputError::in_file(&args.config, message).into());
    let number = args.stage;
    if !(1..=stages).contains(&number) {
        return refuse(&format!("--stage: expected a number from 1 to {stages}, found {number}"));
    }
    let index = number - 1;
    if plan.learn.as_ref().is_some_and(|learn| !learn.keeps_start) {
        return refuse(
            "its start is learned by tictune evolve ([learn]): give learned.toml of such a run as initial instead",
        );
    }
    let start = plan.vector_at("initial", &plan.start_point())?.apply_to(&plan.agent)?;
    plan.stages[index] = plan.stages[index].clone().one_by_one(&start);
    if args.describe {
        return print(&(description(&plan, index).to_string() + "\n"));
    }
    args.log.open(session, &[])?;
    let stop = session.stop_flag()?;
    let game = session.find(Some(&plan.game))?;
    game.check_ranges(&plan)?;
    let executor = args.players.open(session, game)?;
    let executor = CountForfeits::new(&*executor);
    let door = Door { plan: &plan, index, game, executor: &executor, stop };
    session.interrupt.busy(|| door.answer_all())?;
    executor.in_words().iter().for_each(|forfeits| session.note(forfeits));
    let Some(forfeited) = executor.mostly_forfeited() else { return Ok(()) };
    let who = ["the candidates", "the opponents", "candidates and opponents"];
    bail!("no result: {}", forfeited.in_words(who[0], who[1], who[2]))
}

/// A stage of a plan, for a driver that does not read the config: what is evolved and how.
fn description(plan: &Plan, index: usize) -> Value {
    let stage = &plan.stages[index];
    let fitness = &stage.fitness;
    let opponent = |opponent: &OpponentPlan| json!({ "agent": stage.opponent(opponent).to_string(), "games": opponent.games });
    json!({
        // Of this format, and of the lines that follow.
        "version": 1,
        "name": plan.name,
        "game": plan.game,
        "rules": plan.rules,
        "evaluation": plan.layout().map(|layout| layout.name),
        // In the order of tictune's own coordinates.
        "numbers": plan.numbers().collect::<Vec<_>>(),
        // Slots that keep their value: candidates may leave them out.
        "held": plan.held().collect::<Vec<_>>(),
        "seed": plan.seed,
        "stage": index + 1,
        "stages": plan.stages.len(),
        "depth": stage.depth,
        "population": stage.population,
        "sigma": stage.sigma,
        "stops": stage.stops,
        "games": fitness.games,
        "schedule": fitness.schedule.to_string(),
        "openings": fitness.openings.to_string(),
        "seeds": fitness.seeds,
        "score": fitness.score,
        "agent": plan.agent.with_default_depth(stage.depth).to_string(),
        "opponents": fitness.opponents.iter().map(opponent).collect::<Vec<_>>(),
    })
}

struct Door<'d> {
    plan: &'d Plan,
    index: usize,
    game: &'d dyn AnyGame,
    executor: &'d dyn Executor,
    stop: &'d AtomicBool,
}

impl Door<'_> {
    /// Answers line after line, until the input ends or the program is stopped.
    fn answer_all(&self) -> anyhow::Result<()> {
        let lines = in_background(|| read_bounded(&mut stdin().lock(), MAX_LINE));
        for number in 1_u64.. {
            let Some(line) = next_of(&lines, self.stop)? else { break };
            let too_long = format!("longer than {} MiB", MAX_LINE >> 20);
            let answer = match line {
                Bounded::Line(text) if text.trim().is_empty() => continue,
                Bounded::Line(text) => self.answer(&text, number)?,
                Bounded::TooLong => refusal(&Value::Null, number, &too_long),
            };
            print(&(answer.to_string() + "\n"))?;
        }
        Ok(())
    }

    /// The answer to a line: an object for a candidate, an array for an array of them.
    fn answer(&self, text: &str, number: u64) -> Result<Value, RunError> {
        let (requests, is_batch) = match read_line(text) {
            Err(message) => return Ok(refusal(&Value::Null, number, &message)),
            Ok(requests) => requests,
        };
        let read = |value| FitnessRequest::read(value, self.plan, self.index);
        let mut checked: Vec<Result<FitnessRequest, String>> = requests.iter().map(read).collect();
        let mut answers = match self.measure(&checked) {
            // Perhaps a program does not take a value of a single candidate.
            Err(RunError::Input(_)) if self.refuse(&mut checked) => self.measure(&checked)?,
            measured => measured?,
        };
        for ((answer, candidate), value) in answers.iter_mut().zip(&checked).zip(&requests) {
            if let Err(message) = candidate {
                *answer = refusal(value.get("id").unwrap_or(&Value::Null), number, message);
            }
        }
        Ok(if is_batch { answers.into() } else { answers.pop().unwrap_or_default() })
    }

    /// Refuses the candidates that cannot play; whether there are any.
    fn refuse(&self, candidates: &mut [Result<FitnessRequest, String>]) -> bool {
        let depth = self.plan.stages[self.index].depth;
        let mut refused = false;
        for candidate in candidates {
            let Ok(FitnessRequest { vector, .. }) = candidate else { continue };
            let agent = vector.apply_to(&self.plan.agent);
            let checked = agent.and_then(|agent| {
                self.game.check_agent(&agent.with_default_depth(depth), &self.plan.rules)
            });
            if let Err(error) = checked {
                *candidate = Err(error.message);
                refused = true;
            }
        }
        refused
    }

    /// Measures candidates; those that play the same games are measured together, on all threads.
    fn measure(
        &self,
        candidates: &[Result<FitnessRequest, String>],
    ) -> Result<Vec<Value>, RunError> {
        let mut groups: BTreeMap<_, Vec<(usize, &FitnessRequest)>> = BTreeMap::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let Ok(candidate) = candidate else { continue };
            let key = (candidate.seed, candidate.games, candidate.against.is_some());
            groups.entry(key).or_default().push((place, candidate));
        }
        let mut answers = vec![Value::Null; candidates.len()];
        for ((seed, games, against), group) in groups {
            let stage = in_games(&self.plan.stages[self.index], games, against)?;
            let first = seed.saturating_mul(stage.fitness.openings_of(games));
            let stage = self.plan.stage_given(Part::Training(self.index), first, stage)?;
            let seed = of_run(self.plan.seed, Purpose::Fitness, self.index as u64, seed);
            let candidates = group.iter().map(|(_, candidate)| &candidate.vector).collect();
            let against = group.iter().filter_map(|(_, candidate)| candidate.against.as_ref());
            let against = against.collect();
            let batch = Batch { against, ..Batch::new(self.plan, &stage, seed, candidates) };
            let mut sink = |number: usize, measured: Measured| {
                let (place, candidate) = group[number];
                let evolved = &self.plan.agent;
                let agent = candidate.vector.apply_to(evolved)?.with_default_depth(stage.depth);
                let Measured { tally, distinct_games } = &measured;
                answers[place] = json!({
                    "id": candidate.id,
                    "cost": stage.fitness.score.fitness(tally),
                    "standard_error": standard_error(&stage.fitness, &measured),
                    "wins": tally.wins,
                    "draws": tally.draws,
                    "losses": tally.losses,
                    "games": tally.games(),
                    "distinct_games": distinct_games,
                    "agent": agent.without_weights().to_string(),
                });
                Ok(())
            };
            measure_batch(self.executor, &batch, &mut sink, &|| {}, self.stop)?;
        }
        Ok(answers)
    }
}

fn refusal(id: &Value, line: u64, message: &str) -> Value {
    json!({ "id": id, "error": format!("line {line}: {message}") })
}
