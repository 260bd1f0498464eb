//! The hall of fame of a stage: every so many generations the mean plays the pool and the members, and enters
//! if it beats them.
//!
//! `hall.csv` is a write-ahead log like `evaluations.csv`: the row of an entrance match is on disk before the next
//! generation is played. A stage that is resumed takes the matches from there, and refuses rows that do not
//! follow from its other logs. The time of entrance matches is not counted in `max_seconds`.

use std::borrow::Cow;
use std::path::Path;

use super::RunError;
use super::measure::fitness::{Batch, Measured, measure_batch};
use super::plan::HallPlan;
use super::plan::StagePlan;
use super::plan::Vector;
use super::stage::{StageContext, candidate};
use crate::files::GrowingCsv;
use crate::input::InputError;
use crate::seed::{Purpose, of_run};
use crate::stats::{Tally, los};

/// An entrance match: a row of `hall.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrance {
    /// The generation that it follows, from 1.
    pub generation: u64,
    /// Members of the hall that it was played against, beside the pool.
    pub members: u64,
    /// Results from the mean's view.
    pub tally: Tally,
    /// Different games among them.
    pub distinct_games: u64,
    /// Whether the mean entered.
    pub entered: bool,
    /// The member that left for it.
    pub left: Option<String>,
    /// The mean, in the plan's [columns](super::Plan::columns).
    pub values: Vec<f64>,
}

impl Entrance {
    fn header(columns: &[String]) -> Vec<String> {
        let fixed =
            "generation,members,games,wins,draws,losses,distinct_games,score,los,entered,left";
        fixed.split(',').map(String::from).chain(columns.iter().cloned()).collect()
    }

    fn fields(&self) -> Vec<String> {
        let Tally { wins, draws, losses } = self.tally;
        let games = self.tally.games();
        let counts =
            [self.generation, self.members, games, wins, draws, losses, self.distinct_games];
        let shares = [self.tally.score(), los(&self.tally)];
        (counts.iter().map(u64::to_string))
            .chain(shares.iter().map(f64::to_string))
            .chain([self.entered.to_string(), self.left.clone().unwrap_or_default()])
            .chain(self.values.iter().map(|value| format!("{value:?}")))
            .collect()
    }

    fn parse(row: &csv::StringRecord) -> Option<Self> {
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        let tally = Tally { wins: count(3)?, draws: count(4)?, losses: count(5)? };
        let games = tally.wins.checked_add(tally.draws)?.checked_add(tally.losses)?;
        if games != count(2)? {
            return None;
        }
        Some(Self {
            generation: count(0)?,
            members: count(1)?,
            tally,
            distinct_games: count(6)?,
            entered: row.get(9)?.parse().ok()?,
            left: Some(row.get(10)?).filter(|name| !name.is_empty()).map(String::from),
            values: row.iter().skip(11).map(|field| field.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

/// The log of a hall, and the rows that it held at the beginning.
struct Log {
    file: GrowingCsv,
    rows: Vec<csv::StringRecord>,
    /// How many of them were taken.
    taken: usize,
}

/// The hall of fame of a stage as it grows; without a plan it stays empty and keeps no log.
pub(super) struct Hall<'r> {
    context: &'r StageContext<'r>,
    log: Option<Log>,
    members: Vec<Vector>,
}

impl<'r> Hall<'r> {
    /// The hall at the beginning of a stage.
    ///
    /// # Errors
    /// A log of other columns; what the file system says.
    pub(super) fn open(context: &'r StageContext<'r>) -> Result<Self, RunError> {
        let stage = &context.plan.stages[context.index];
        let Some(plan) = &stage.fitness.hall else {
            return Ok(Self { context, log: None, members: Vec::new() });
        };
        let header = Entrance::header(&context.plan.columns());
        let (file, rows) = GrowingCsv::open(&context.folder.join(FILE), &header)?;
        let members = if plan.carry { context.members.to_vec() } else { Vec::new() };
        Ok(Self { context, log: Some(Log { file, rows, taken: 0 }), members })
    }

    /// Those who are in it, the first to come first.
    pub(super) fn into_members(self) -> Vec<Vector> {
        self.members
    }

    /// The stage as the candidates of a generation meet it.
    pub(super) fn stage(&self, seed: u64) -> Result<Cow<'r, StagePlan>, InputError> {
        let stage = &self.context.plan.stages[self.context.index];
        stage.with_members(&self.members, &self.context.plan.agent, seed)
    }

    /// The same with another number of games, whose results are told by opponent.
    pub(super) fn stage_of(&self, games: u64, seed: u64) -> Result<StagePlan, InputError> {
        let stage = self.context.plan.stages[self.context.index].with_games(games);
        Ok(stage.with_members(&self.members, &self.context.plan.agent, seed)?.into_owned())
    }

    /// Plays the entrance match that is due after a generation, or takes it from the log. Whether the members
    /// are others than before.
    ///
    /// # Errors
    /// A log that does not fit, [`RunError::Interrupted`], and what the file system says. `later` says that the stage's other
    /// logs hold more generations, which are played after the match.
    pub(super) fn generation_finished(
        &mut self,
        generation: u64,
        mean: &[f64],
        later: bool,
    ) -> Result<bool, RunError> {
        let stage = &self.context.plan.stages[self.context.index];
        let (Some(plan), Some(log)) = (&stage.fitness.hall, &mut self.log) else {
            return Ok(false);
        };
        if !generation.is_multiple_of(plan.every) {
            return Ok(false);
        }
        let values = self.context.plan.values_at(mean);
        let mean = &candidate(self.context.plan, mean)?;
        let entrance = match log.rows.get(log.taken) {
            Some(row) => {
                let wrong = |reason: &str| log.file.wrong_row(log.taken, reason);
                let found = Entrance::parse(row).ok_or_else(|| wrong("is no entrance match"))?;
                let measured = Measured {
                    tally: found.tally,
                    by_opponent: Vec::new(),
                    distinct_games: found.distinct_games,
                };
                let expected = entrance(plan, generation, &values, &self.members, &measured);
                let same = row.iter().eq(expected.fields().iter().map(String::as_str));
                if !same || found.tally.games() != plan.games {
                    return Err(wrong(&format!(
                        "is not the entrance match of generation {generation} that follows from the stage's \
                         other logs; the log is of another run, or was made by another version or on another \
                         kind of machine"
                    ))
                    .into());
                }
                log.taken += 1;
                found
            }
            None if later => {
                let message = format!(
                    "the entrance match of generation {generation} is missing: it was written before the \
                     generations that follow in evaluations.csv"
                );
                return Err(log.file.wrong_row(log.taken, message).into());
            }
            None => {
                let measured = play(self.context, generation, mean, &self.members)?;
                let entrance = entrance(plan, generation, &values, &self.members, &measured);
                log.file.append(&entrance.fields())?;
                log.file.sync()?;
                entrance
            }
        };
        self.context.observer.entrance_finished(&entrance);
        tracing::info!(
            generation,
            score = entrance.tally.score(),
            members = entrance.members,
            entered = entrance.entered,
            "entrance match"
        );
        if entrance.entered {
            if entrance.left.is_some() {
                self.members.remove(0);
            }
            let name = name_of_member(self.context.index, generation);
            self.members.push(mean.clone().named(&name));
        }
        Ok(entrance.entered)
    }

    /// Checks that nothing is left in the log when the stage has ended.
    ///
    /// # Errors
    /// Rows that are left.
    pub(super) fn check_end(&self) -> Result<(), RunError> {
        match &self.log {
            Some(log) if log.taken < log.rows.len() => {
                Err(log.file.wrong_row(log.taken, "the stage ended before this row").into())
            }
            _ => Ok(()),
        }
    }
}

/// The name of the log in the folder of a stage.
const FILE: &str = "hall.csv";

fn name_of_member(stage: usize, generation: u64) -> String {
    format!("stage-{}-generation-{generation}", stage + 1)
}

/// What follows from the results of an entrance match.
fn entrance(
    plan: &HallPlan,
    generation: u64,
    values: &[f64],
    members: &[Vector],
    measured: &Measured,
) -> Entrance {
    let entered = plan.admits(&measured.tally);
    let full = members.len() >= plan.size;
    Entrance {
        generation,
        members: members.len() as u64,
        tally: measured.tally,
        distinct_games: measured.distinct_games,
        entered,
        left: members.first().filter(|_| entered && full).map(|member| member.name.clone()),
        values: values.to_vec(),
    }
}

/// Plays an entrance match.
fn play(
    context: &StageContext<'_>,
    generation: u64,
    mean: &Vector,
    members: &[Vector],
) -> Result<Measured, RunError> {
    let StageContext { plan, index, executor, observer, stop, .. } = *context;
    let seed = of_run(plan.seed, Purpose::HallOfFame, index as u64, generation);
    let none = || RunError::Interrupted;
    let stage = plan.stages[index].admission_match().ok_or_else(none)?;
    let stage = stage.with_members(members, &plan.agent, seed)?;
    observer
        .match_started(&format!("entrance match of generation {generation}"), stage.fitness.games);
    let batch = Batch {
        stage: &stage,
        game: &plan.game,
        agent: &plan.agent,
        rules: &plan.rules,
        seed,
        candidates: vec![mean.clone()],
        rivals: None,
    };
    let mut measured = None;
    let mut sink = |_, found: &Measured| {
        measured = Some(found.clone());
        Ok(())
    };
    measure_batch(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
    measured.ok_or_else(none)
}

/// The entrance matches in the log of a stage's folder, for those who report; none without a log. A torn last
/// line is left out.
#[must_use]
pub fn entrances(folder: &Path) -> Vec<Entrance> {
    let text = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |newline| &text[..=newline]);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole.as_bytes());
    reader.records().map_while(|row| Entrance::parse(&row.ok()?)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::games::uttt::evaluation::CONNECTING;
    use crate::weights::Weights;

    fn columns() -> [String; 3] {
        ["a", "b", "x_b"].map(String::from)
    }

    fn row() -> Entrance {
        Entrance {
            generation: 40,
            members: 2,
            tally: Tally { wins: 30, draws: 4, losses: 16 },
            distinct_games: 49,
            entered: true,
            left: Some(name_of_member(0, 10)),
            values: vec![0.1 + 0.2, -1e-300, 3.0],
        }
    }

    #[test]
    fn rows_round_trip_bit_for_bit() {
        for row in [row(), Entrance { left: None, entered: false, ..row() }] {
            let fields = csv::StringRecord::from(row.fields());
            assert_eq!(fields.len(), Entrance::header(&columns()).len());
            assert_eq!(Entrance::parse(&fields), Some(row));
        }
    }

    #[test]
    fn the_first_member_leaves_a_full_hall_and_nobody_one_that_has_room() {
        let plan = crate::evolve::plan::hall_fixture(&crate::arena::Openings::None);
        let weights = |name: &str| {
            let weights = Weights::new(name, &CONNECTING, vec![1.0, 2.0, 3.0]).unwrap();
            Vector::of_weights(weights)
        };
        let members = [weights("a"), weights("b")];
        let measured = |wins| Measured {
            tally: Tally { wins, draws: 0, losses: 20 - wins },
            by_opponent: Vec::new(),
            distinct_games: 20,
        };
        let left = |members: &[Vector], wins| {
            entrance(&plan, 2, &[1.0, 2.0, 3.0], members, &measured(wins)).left
        };
        assert_eq!(left(&members, 15).as_deref(), Some("a"));
        assert_eq!(left(&members, 5), None, "who does not enter takes no place");
        assert_eq!(left(&members[..1], 15), None);
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let header = Entrance::header(&columns()).join(",");
            let text = [format!("{header}\n").as_bytes(), &bytes].concat();
            std::fs::write(folder.path().join(FILE), text).unwrap();
            let _ = entrances(folder.path());
        }
    }
}
