//! Opponents of candidates besides the pool: the hall of fame, and other candidates.

use super::{COEVOLUTION_KEYS, HALL_KEYS, Reader};
use crate::arena::{MAX_GAMES, Openings, Schedule};
use crate::evolve::plan::{CoevolutionPlan, FitnessPlan, HallPlan};
use crate::input::{InputError, Table};

/// The most members of a hall of fame, far above what a run can use.
const MAX_MEMBERS: u32 = 10_000;

impl Reader<'_, '_, '_> {
    /// The hall of fame of a stage. `openings` are those of its fitness.
    pub(super) fn hall(&self, openings: &Openings) -> Result<Option<HallPlan>, InputError> {
        let Some(table) = self.root.table("hall_of_fame", &HALL_KEYS)? else { return Ok(None) };
        let missing = |hint: &str| table.error("every", format!("missing; {hint}"));
        let games = table.whole("games", 2)?.unwrap_or(200);
        if games > MAX_GAMES || !games.is_multiple_of(2) {
            let message = format!("expected an even number of at most {MAX_GAMES}, found {games}");
            return Err(table.error("games", message));
        }
        let confidence = table.number("confidence")?.unwrap_or(0.95);
        if !(0.5..1.0).contains(&confidence) {
            let message = format!("expected a number from 0.5 to below 1, found {confidence}");
            return Err(table.error("confidence", message));
        }
        Ok(Some(HallPlan {
            every: table
                .whole("every", 1)?
                .ok_or_else(|| missing("how many generations lie between admission matches"))?,
            games,
            openings: match table.string("openings")? {
                Some(text) => self.openings(&table, text)?,
                None => openings.clone(),
            },
            share: share(&table, 0.25).and_then(|share| match share < 1.0 {
                true => Ok(share),
                false => Err(table.error("share", "expected less than 1: the pool plays, too")),
            })?,
            size: table.whole32("size", 1, MAX_MEMBERS)?.unwrap_or(8) as usize,
            confidence,
            carry: table.boolean("carry")?.unwrap_or(false),
        }))
    }

    /// Whether candidates play only each other.
    pub(super) fn coevolves_alone(&self) -> Result<bool, InputError> {
        let table = self.root.table("coevolution", &COEVOLUTION_KEYS)?;
        table.map_or(Ok(false), |table| Ok(share(&table, 1.0)? >= 1.0))
    }

    /// The games of candidates against each other, out of all games of a candidate.
    pub(super) fn coevolution(
        &self,
        games: u64,
        schedule: Schedule,
        depths: &[u32],
    ) -> Result<Option<CoevolutionPlan>, InputError> {
        let Some(table) = self.root.table("coevolution", &COEVOLUTION_KEYS)? else {
            return Ok(None);
        };
        if schedule != Schedule::Paired {
            let message = format!(
                "candidates play each other in pairs: it needs fitness.schedule paired, not {schedule}"
            );
            return Err(table.error_here(message));
        }
        let opponents = table.whole32("opponents", 1, super::MAX_POPULATION)?.ok_or_else(|| {
            table.error("opponents", "missing; how many of the others each candidate plays")
        })?;
        let share = share(&table, 1.0)?;
        let matches = u64::from(opponents) * depths.len() as u64;
        // Whole pairs of games, the same number in every match.
        let each = ((games / 2) as f64 * share / matches as f64).floor() as u64 * 2;
        if each == 0 || share >= 1.0 && each * matches != games {
            let at = if depths.len() > 1 {
                format!(" at {} depths", depths.len())
            } else {
                String::new()
            };
            let message = format!(
                "{opponents} opponents{at} each need the same number of game pairs: with share {share} expected a \
                 {} {} of fitness.games, found {games}",
                if share >= 1.0 { "multiple of" } else { "share that gives at least" },
                2 * matches
            );
            return Err(table.error("opponents", message));
        }
        let opponents = opponents as usize;
        Ok(Some(CoevolutionPlan { opponents, depths: depths.to_vec(), games: each }))
    }

    /// Checks that every opponent of the pool has games, in the fitness when the hall of fame takes
    /// its share and in admission matches. Also checks that a hall has a pool and that a generation
    /// is large enough for coevolution.
    pub(super) fn check_opponents(
        &self,
        fitness: &FitnessPlan,
        population: usize,
    ) -> Result<(), InputError> {
        if let (Some(plan), Some(table)) =
            (&fitness.coevolution, self.root.table("coevolution", &COEVOLUTION_KEYS)?)
        {
            plan.check_population(population).map_err(|error| table.error("opponents", error))?;
        }
        let (Some(hall), Some(table)) =
            (&fitness.hall, self.root.table("hall_of_fame", &HALL_KEYS)?)
        else {
            return Ok(());
        };
        if fitness.opponents.is_empty() {
            let message = "it needs opponents: the mean is admitted when it has beaten them";
            return Err(table.error_here(message));
        }
        let (theirs, all) = (fitness.hall_games(), fitness.games - fitness.coevolution_games());
        if theirs == 0 {
            let message =
                format!("too small: none of {} games would go to the hall", fitness.games);
            return Err(table.error("share", message));
        }
        let too_small = |games: u64| fitness.pool_split(games).contains(&0);
        if theirs >= all || too_small(all - theirs) {
            let message = format!(
                "too large: of {} games it leaves {} to the pool, too few for every opponent",
                fitness.games,
                all.saturating_sub(theirs)
            );
            return Err(table.error("share", message));
        }
        let admission = hall.games - (hall.games as f64 * hall.share / 2.0).round() as u64 * 2;
        if admission == 0 || too_small(admission) {
            let message = format!("too few for every opponent of the pool: {}", hall.games);
            return Err(table.error("games", message));
        }
        Ok(())
    }
}

/// A share of games, above 0 and at most 1.
fn share(table: &Table<'_, '_>, default: f64) -> Result<f64, InputError> {
    let share = table.positive("share")?.unwrap_or(default);
    if share > 1.0 {
        return Err(table.error("share", format!("expected at most 1, found {share}")));
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Overrides, parse};
    use crate::evolve::Plan;

    const CONFIG: &str = r#"evaluation = "connecting"
[cmaes]
sigma = 0.5
population = 6
[fitness]
games = 40
[[opponents]]
agent = "random"
[[opponents]]
agent = "reflex"
[hall_of_fame]
every = 5
[coevolution]
opponents = 3
share = 0.5
[[stages]]
depth = 1
"#;

    fn read(text: &str) -> Result<Plan, String> {
        let plan = parse(text, Path::new("c.toml"), Overrides::default(), crate::games::KNOWN);
        plan.map_err(|error| error.to_string())
    }

    #[test]
    fn games_are_shared_among_pool_hall_and_each_other() {
        let fitness = &read(CONFIG).unwrap().stages[0].fitness;
        let coevolution = fitness.coevolution.as_ref().unwrap();
        assert_eq!((coevolution.opponents, coevolution.games), (3, 6));
        assert_eq!(fitness.opponents.iter().map(|plan| plan.games).collect::<Vec<_>>(), [12, 10]);
        assert_eq!(fitness.hall_games(), 10);
        assert_eq!(fitness.games_by_opponent(), [12, 10, 18]);
        let hall = fitness.hall.as_ref().unwrap();
        assert_eq!((hall.every, hall.games, hall.size, hall.carry), (5, 200, 8, false));
        assert_eq!((hall.share, hall.confidence), (0.25, 0.95));
        assert_eq!(hall.openings, fitness.openings);
    }

    #[test]
    fn candidates_may_play_nobody_but_each_other() {
        let alone = CONFIG
            .replace("[[opponents]]\nagent = \"random\"\n[[opponents]]\nagent = \"reflex\"\n", "")
            .replace("[hall_of_fame]\nevery = 5\n", "")
            .replace("share = 0.5\n", "");
        assert!(read(&alone).unwrap_err().contains("multiple of 6 of fitness.games, found 40"));
        let alone = alone.replace("games = 40", "games = 36");
        let fitness = &read(&alone).unwrap().stages[0].fitness;
        assert_eq!((fitness.opponents.len(), fitness.games_by_opponent()), (0, vec![36]));
        let mixed = alone.replace("depth = 1", "depths = [1, 2, 3]");
        let fitness = &read(&mixed).unwrap().stages[0].fitness;
        assert_eq!(fitness.coevolution.as_ref().unwrap().games, 4);
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        for (old, new, expected) in [
            ("every = 5", "games = 20", "c.toml:11: hall_of_fame.every: missing"),
            ("every = 5", "every = 0", "c.toml:12: hall_of_fame.every: expected a whole number"),
            ("every = 5", "every = 5\nsize = 0", "c.toml:13: hall_of_fame.size: expected"),
            ("every = 5", "every = 5\ngames = 3", "hall_of_fame.games: expected an even number"),
            ("every = 5", "every = 5\ngames = 4", "hall_of_fame.games: too few for every"),
            ("every = 5", "every = 5\nshare = 1", "hall_of_fame.share: expected less than 1"),
            ("every = 5", "every = 5\nshare = 0.5", "hall_of_fame.share: too large"),
            ("every = 5", "every = 5\nshare = 0.01", "hall_of_fame.share: too small"),
            ("every = 5", "every = 5\nconfidence = 1", "hall_of_fame.confidence: expected"),
            ("every = 5", "every = 5\nopenings = \"x\"", "hall_of_fame.openings: unknown openings"),
            ("every = 5", "evry = 5", "did you mean \"every\"?"),
            ("opponents = 3\n", "", "c.toml:13: coevolution.opponents: missing"),
            (
                "opponents = 3",
                "opponents = 6",
                "c.toml:14: coevolution.opponents: a candidate cannot",
            ),
            ("opponents = 3", "opponents = 0", "coevolution.opponents: expected a whole number"),
            ("population = 6", "population = 5", "needs an even population"),
            (
                "share = 0.5",
                "share = 0.1",
                "coevolution.opponents: 3 opponents each need the same number",
            ),
            ("share = 0.5", "share = 2", "coevolution.share: expected at most 1"),
            (
                "share = 0.5",
                "share = 1",
                "coevolution.opponents: 3 opponents each need the same number",
            ),
            (
                "games = 40",
                "games = 40\nschedule = \"coin\"",
                "coevolution: candidates play each other",
            ),
        ] {
            let text = CONFIG.replacen(old, new, 1);
            assert_ne!(text, CONFIG, "{old} is not in the config");
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{new}:\n  {error}\n  {expected}");
        }
    }
}
