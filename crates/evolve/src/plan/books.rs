//! Which positions of its books a run plays when: every part of it has a range of its own, so that what is called new is new.
//!
//! The parts follow each other in one order of each book, which the run's seed shuffles: first what verdicts rest on, then the
//! training. Only a part that is larger than what is left of a book begins again at its beginning.

use super::evolution::Plan;
use super::fitness::Seeds;
use super::stage::StagePlan;
use tictune_core::arena::{Book, BookRange, Openings};
use tictune_core::input::Result;

/// A part of a run whose games are apart from those of the others; stages are counted from 0.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Validation,
    Comparison,
    /// The games of a stage's candidates.
    Training(usize),
    After,
}

/// Openings that a part plays, and how many of them.
type Need<'p> = (Part, &'p Openings, u64);

impl Plan {
    /// What the parts need, in the order of their ranges.
    pub(super) fn needs(&self) -> Vec<Need<'_>> {
        let mut needs = Vec::new();
        let validation = self.validation.openings.iter();
        needs.extend(validation.map(|from| (Part::Validation, from, self.validation.games / 2)));
        let comparison = &self.comparison;
        needs.push((Part::Comparison, &comparison.openings, comparison.games / 2));
        for (index, stage) in self.stages.iter().enumerate() {
            let generations = match stage.fitness.seeds {
                Seeds::Fixed => 1,
                Seeds::Fresh => stage.most_generations(),
            };
            let count = generations.saturating_mul(stage.openings_of_generation());
            needs.push((Part::Training(index), &stage.fitness.openings, count));
            let own = stage.fitness.opponents.iter().filter_map(|plan| plan.openings.as_ref());
            needs.extend(own.map(|own| (Part::Training(index), own, count)));
        }
        needs
    }

    /// The first place of a part in the order of a book.
    fn first_place(&self, part: Part, openings: &Openings) -> u64 {
        let needs = self.needs();
        let before = needs.iter().take_while(|(of, ..)| *of != part);
        let mut of_book: Vec<_> = before.filter(|(_, from, _)| *from == openings).collect();
        // Opponents with the same openings are in the same games.
        of_book.dedup_by_key(|(of, ..)| *of);
        of_book.iter().fold(0, |first, (.., count)| first.saturating_add(*count))
    }

    /// Openings as a part of the run plays them: of a book, so many of its positions, from an offset within the part on.
    #[doc(hidden)]
    pub fn given(
        &self,
        part: Part,
        (offset, count): (u64, u64),
        openings: &Openings,
    ) -> Result<Openings> {
        let first = self.first_place(part, openings).saturating_add(offset);
        openings.in_range(BookRange { order: self.seed, first, count })
    }

    /// A stage as a part of the run plays it: with the positions of its books that are the part's, from an offset on.
    #[doc(hidden)]
    pub fn stage_given(&self, part: Part, offset: u64, mut stage: StagePlan) -> Result<StagePlan> {
        let range = (offset, stage.openings_of_generation());
        for plan in &mut stage.fitness.opponents {
            if let Some(own) = &mut plan.openings {
                *own = self.given(part, range, own)?;
            }
        }
        stage.fitness.openings = self.given(part, range, &stage.fitness.openings)?;
        Ok(stage)
    }

    /// Every book that is too small for the parts that play from it: its openings, its positions, and how many all parts want.
    #[doc(hidden)]
    pub fn small_books(&self) -> Vec<(&Openings, u64, u64)> {
        let mut small: Vec<(&Openings, u64, u64)> = Vec::new();
        for (_, openings, _) in self.needs() {
            let Some(book) = openings.book() else { continue };
            let wanted = self.first_place(Part::After, openings);
            if wanted > book.positions && !small.iter().any(|(known, ..)| *known == openings) {
                small.push((openings, book.positions, wanted));
            }
        }
        small
    }

    /// The books of all openings of the plan.
    pub(crate) fn books_mut(&mut self) -> impl Iterator<Item = &mut Book> {
        let mut all: Vec<&mut Openings> = Vec::new();
        all.extend(&mut self.validation.openings);
        all.push(&mut self.comparison.openings);
        for stage in &mut self.stages {
            let fitness = &mut stage.fitness;
            all.push(&mut fitness.openings);
            all.extend(fitness.opponents.iter_mut().filter_map(|plan| plan.openings.as_mut()));
        }
        if let Some(learn) = &mut self.learn {
            all.push(&mut learn.regression.openings);
            all.extend(learn.regression.opponent.as_mut().map(|plan| &mut plan.openings));
        }
        all.into_iter().filter_map(Openings::book_mut)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use tictune_core::arena::{Schedule, Split};

    fn openings(size: u64) -> Openings {
        let lines = (0..size).map(|number| format!("position {number}")).collect();
        Openings::File(Book::new("book.txt".into(), Split::All, lines))
    }

    /// A run that plays everything from one book.
    fn run(size: u64, [training, comparison, validation]: [u64; 3], seed: u64) -> Plan {
        let mut plan = crate::known::connecting("");
        plan.seed = seed;
        (plan.comparison.games, plan.comparison.openings) = (comparison, openings(size));
        (plan.validation.games, plan.validation.openings) = (validation, vec![openings(size)]);
        for stage in &mut plan.stages {
            stage.fitness.openings = openings(size);
            stage.fitness.games = training;
            stage.fitness.schedule = Schedule::Paired;
            stage.fitness.seeds = Seeds::Fresh;
            stage.stops.max_generations = Some(3);
            stage.stops.max_evaluations = 1000;
        }
        plan
    }

    /// The positions of every match that the run and what comes after it call new, in the order of the book.
    fn all_matches(plan: &Plan, seeds: u64) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        let mut add = |part, from: &Openings, first: u64, count: u64| {
            let given = plan.given(part, (first, count), from).unwrap();
            let Openings::Given { positions, .. } = given else { panic!("no positions of a book") };
            all.push(positions);
        };
        // The rows of a validation share their openings.
        add(Part::Validation, &plan.validation.openings[0], 0, plan.validation.games / 2);
        let (openings, pairs) = (&plan.comparison.openings, plan.comparison.games / 2);
        add(Part::Comparison, openings, 0, pairs);
        for (index, stage) in plan.stages.iter().enumerate() {
            let count = stage.openings_of_generation();
            for generation in 0..stage.most_generations() {
                add(Part::Training(index), &stage.fitness.openings, generation * count, count);
            }
        }
        (0..seeds).for_each(|seed| add(Part::After, openings, seed * pairs, pairs));
        all
    }

    proptest! {
        #[test]
        fn what_is_called_new_is_new_while_the_book_lasts(
            size in 50_u64..1000, training in 1_u64..60, comparison in 1_u64..60, validation in 1_u64..60,
            seed in any::<u64>()
        ) {
            let plan = run(size, [training, comparison, validation].map(|pairs| 2 * pairs), seed);
            let (mut seen, mut played) = (HashSet::new(), 0);
            for positions in all_matches(&plan, 3) {
                let new = positions.iter().filter(|&position| !seen.contains(position)).count() as u64;
                // The part of the match that the book still had, and no position twice until it is spent.
                let left = size.saturating_sub(played);
                prop_assert_eq!(new, (positions.len() as u64).min(left));
                played += positions.len() as u64;
                seen.extend(positions);
            }
            let small = plan.small_books();
            let after = 3 * comparison;
            prop_assert_eq!(small.is_empty(), played - after <= size, "{}", small.len());
        }
    }

    #[test]
    fn another_seed_has_another_order_and_fixed_seeds_play_the_same_in_every_generation() {
        let of = |seed| run(500, [20; 3], seed);
        assert_ne!(all_matches(&of(1), 1), all_matches(&of(2), 1));
        let mut plan = of(1);
        let wanted = |plan: &Plan| plan.first_place(Part::After, &plan.comparison.openings);
        let fresh = wanted(&plan);
        plan.stages[0].fitness.seeds = Seeds::Fixed;
        assert_eq!(fresh - wanted(&plan), 2 * 10);
    }
}
