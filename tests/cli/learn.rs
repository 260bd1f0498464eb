//! Reinforcement learning, compared with simple implementations, and `tictune learn` on the real binary.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rand::RngExt;
use tictune::game::{Evaluator, EvaluatorVisitor, Game, Outcome, Player, Position};
use tictune::games::uttt::evaluation::ADVANCED;
use tictune::games::uttt::{Uttt, UtttMove};
use tictune::papers::reinforcement::config;
use tictune::papers::reinforcement::table::state_action;
use tictune::papers::reinforcement::{
    LearnPlan, LearnedValues, Learner, Method, Product, Prospect, Representation, ReturnModel,
    Trajectory, ValueTable, learn,
};
use tictune::search::Minimax;
use tictune::seed::{Role, generator};
use tictune::{Agents, built_in};

use crate::common::{Folder, assert_has, read_json, stderr};
use crate::positions::{describe, late_positions, positions};

fn plan(text: &str) -> LearnPlan {
    match config::parse(text, Path::new("test.toml"), None, &built_in()).unwrap() {
        config::Learning::Moves(plan) => plan,
        other => panic!("{other:?}"),
    }
}

fn learned(plan: &LearnPlan) -> Product {
    let stop = AtomicBool::new(false);
    learn(&Agents::<Uttt>::default(), plan, &mut || {}, &mut |_| Ok(()), &stop).unwrap().product
}

fn table(plan: &LearnPlan) -> ValueTable {
    match learned(plan) {
        Product::Table(table) => table,
        Product::Weights(weights) => panic!("{weights:?}"),
    }
}

/// The report's value of a position, computed from scratch.
fn worth(position: &Uttt, view: Player) -> f64 {
    match position.outcome() {
        Some(Outcome::Win(winner)) if winner == view => 500.0,
        Some(Outcome::Win(_)) => -500.0,
        _ => {
            let won = |player| f64::from(position.won(player).count_ones());
            won(view) - won(view.other())
        }
    }
}

/// A learner of state-action pairs.
fn learner(method: Method, alpha: f64, gamma: f64) -> Learner<Uttt> {
    let plan = plan("games = 1\nalpha = 1");
    Learner::new(&LearnPlan { method, alpha, gamma, ..plan }).unwrap()
}

/// Q-learning as in textbooks, over a dictionary of texts.
#[derive(Default)]
struct Twin {
    values: BTreeMap<(String, String), f64>,
    last: Option<(String, String, f64)>,
}

impl Twin {
    fn value(&self, position: &Uttt, mv: UtttMove) -> f64 {
        self.values.get(&(position.notation(), mv.to_string())).copied().unwrap_or(0.0)
    }

    fn best(&self, position: &Uttt) -> f64 {
        position.legal_moves().map(|mv| self.value(position, mv)).fold(f64::MIN, f64::max)
    }

    fn arrive(&mut self, position: &Uttt, side: Player, alpha: f64, gamma: f64) {
        let next = if position.outcome().is_some() { 0.0 } else { self.best(position) };
        if let Some((state, action, before)) = self.last.take() {
            let value = self.values.entry((state, action)).or_insert(0.0);
            *value += alpha * (worth(position, side) - before + gamma * next - *value);
        }
    }

    fn play(&mut self, position: &Uttt, mv: UtttMove, side: Player) {
        self.last = Some((position.notation(), mv.to_string(), worth(position, side)));
    }
}

#[test]
fn q_learning_is_its_textbook_twin() {
    let (alpha, gamma) = (0.3, 0.9);
    let starts: Vec<Uttt> = late_positions(2, 12).take(8).collect();
    let mut learner = learner(Method::QLearning, alpha, gamma);
    let mut twin = Twin::default();
    for game in 0..4000 {
        let exploration = if game < 2000 { 0.5 } else { 0.0 };
        let mut generator = generator(game, Role::AgentA);
        let mut position = starts[game as usize % starts.len()];
        let side = position.side_to_move();
        let mut trajectory = Trajectory::new(side);
        while position.outcome().is_none() {
            let mv = if position.side_to_move() == side {
                twin.arrive(&position, side, alpha, gamma);
                let mv = learner.play(&position, &mut trajectory, exploration, &mut generator);
                if exploration == 0.0 {
                    assert_eq!(twin.value(&position, mv), twin.best(&position), "the best move");
                }
                twin.play(&position, mv, side);
                mv
            } else {
                position.nth_legal_move(
                    generator.random_range(0..position.legal_move_count() as u32) as usize,
                )
            };
            position.play_unchecked(mv);
        }
        learner.finish(&position, &trajectory);
        twin.arrive(&position, side, alpha, gamma);
    }
    assert_eq!(learner.model.known(), twin.values.len());
    for ((notation, mv), value) in &twin.values {
        let rules = starts.iter().map(Position::rules);
        // The rules are not part of a key, nor of the textbook implementation's text.
        let mut read = rules.filter_map(|rules| Uttt::from_notation(notation, rules).ok());
        let key = read.next().unwrap().key();
        let mv = Uttt::move_index(Uttt::parse_move(mv).unwrap());
        let found = learner.model.estimate(&Prospect::Key(state_action(key, mv)));
        assert_eq!(found, *value, "{notation} {mv}");
    }
}

/// The last three plies of a random game: the positions before them, and the final one. The side
/// that makes the first and the last of these plies has only one move each time, and both moves
/// change the value of its position.
fn forced_end() -> [Uttt; 4] {
    let ends = (0..).filter_map(|seed| {
        let mut generator = generator(seed, Role::Opening);
        let mut line = vec![Uttt::start(Default::default())];
        while let Some(position) = line.last().filter(|position| position.outcome().is_none()) {
            let count = position.legal_move_count() as u32;
            line.push(
                position.after(position.nth_legal_move(generator.random_range(0..count) as usize)),
            );
        }
        line.last_chunk::<4>().copied()
    });
    let forced = |line: &[Uttt; 4]| {
        let side = line[0].side_to_move();
        let worths = [0, 2, 3].map(|index| worth(&line[index], side));
        let one = |index: usize| line[index].legal_move_count() == 1;
        one(0) && one(2) && worths[0] != worths[1] && worths[1] != worths[2]
    };
    ends.into_iter().find(forced).unwrap()
}

#[test]
fn the_equations_by_hand() {
    let [start, _, second, end] = forced_end();
    let side = start.side_to_move();
    let r = [worth(&second, side) - worth(&start, side), worth(&end, side) - worth(&second, side)];
    let twice = |method| {
        let mut learner = learner(method, 0.5, 0.25);
        for game in 0..2 {
            let mut trajectory = Trajectory::new(side);
            for position in [&start, &second] {
                learner.play(position, &mut trajectory, 0.0, &mut generator(game, Role::AgentA));
            }
            learner.finish(&end, &trajectory);
        }
        [start, second].map(|position| {
            let mv = Uttt::move_index(position.nth_legal_move(0));
            learner.model.estimate(&Prospect::Key(state_action(position.key(), mv)))
        })
    };
    // After one game: alpha r. After two: alpha r + alpha (r + gamma Q' - alpha r), where Q' is that of one game.
    let last = 0.75 * r[1];
    let first = 0.75 * r[0] + 0.5 * 0.25 * (0.5 * r[1]);
    assert_eq!(twice(Method::QLearning), [first, last]);
    assert_eq!(twice(Method::TdLambda { lambda: 0.0 }), [first, last]);
    // Both games return r + gamma r'.
    let first = 0.75 * (r[0] + 0.25 * r[1]);
    assert_eq!(twice(Method::MonteCarlo), [first, last]);
    assert_eq!(twice(Method::TdLambda { lambda: 1.0 }), [first, last]);
}

/// The moves among which a greedy agent chooses at random.
struct Greedy<'p>(&'p Uttt);

impl EvaluatorVisitor<Uttt> for Greedy<'_> {
    type Output = Vec<UtttMove>;

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> Vec<UtttMove> {
        Minimax::new(&evaluator).analyse(self.0, 1).best.to_vec()
    }
}

#[test]
fn greedy_plays_learned_weights_by_the_learners_own_policy() {
    let mut generator = generator(9, Role::AgentA);
    let mut ended = 0;
    let mut model = ReturnModel::new(Representation::Features(&ADVANCED)).unwrap();
    for (number, position) in positions(9).take(4000).enumerate() {
        let LearnedValues::Weights(_, weights) = &mut model.estimates else { panic!("no weights") };
        for weight in &mut *weights {
            let random: f64 = generator.random_range(-50.0..50.0);
            // Integer weights cause ties between different counts.
            *weight = if number % 2 == 0 { random } else { (random / 20.0).round() };
        }
        let weights = weights.clone();
        let prospects = model.prospects(&position);
        let rank = |prospect| model.rank(prospect, position.side_to_move());
        let ranks: Vec<f64> = prospects.iter().map(rank).collect();
        let best = ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let policy: Vec<UtttMove> = position
            .legal_moves()
            .zip(&ranks)
            .filter(|(_, rank)| **rank == best)
            .map(|(mv, _)| mv)
            .collect();
        let greedy = Uttt::with_evaluator(&ADVANCED, &weights, Greedy(&position)).unwrap();
        assert_eq!(policy, greedy, "{:?}\n{}", weights, describe(&position));
        ended += usize::from(best == f64::INFINITY);
    }
    assert!(ended > 100, "{ended} positions with a win at hand");
}

#[test]
fn self_play_learns_from_both_sides() {
    let text =
        "games = 20\nalpha = 0.5\nexploration = 1\nexploration_share = 1\nopponent = \"self\"";
    let played = plan(text);
    let table = table(&played);
    assert_eq!(table, self::table(&played));
    let known = |position: &Uttt| {
        let pair = |mv| state_action(position.key(), Uttt::move_index(mv));
        position.legal_moves().filter(|&mv| table.values.contains_key(&pair(mv))).count()
    };
    let start = Uttt::start(Default::default());
    let replies: usize = start.legal_moves().map(|mv| known(&start.after(mv))).sum();
    assert!(known(&start) > 10 && replies > 10, "{} and {replies}", known(&start));
}

#[test]
fn what_is_learned_plays_and_is_not_overwritten() {
    let table = "games = 400\nalpha = 0.2\nrepresentation = \"binary-features\"\nevaluation = \"connecting\"\n";
    let weights =
        "games = 400\nalpha = 0.001\nrepresentation = \"features\"\nevaluation = \"advanced\"\n";
    for (text, file, agent) in
        [(table, "values.csv", "learned:from="), (weights, "learned.toml", "greedy:weights=")]
    {
        let folder = Folder::with("c.toml", text);
        assert_has(&folder.said("learn c.toml --out a"), &["own-policy    200"]);
        folder.said("learn c.toml --out other --seed 7");
        assert_ne!(folder.read(&format!("a/{file}")), folder.read(&format!("other/{file}")));
        let report = folder.json(&format!("match {agent}a/{file} random --games 100 --json"));
        assert!(report["wins"].as_u64() > report["losses"].as_u64(), "{agent}: {report}");
        folder.fails("learn c.toml --out a", 2, "is not empty; add --resume");
        let again = folder.run("learn c.toml --out a --resume");
        assert_has(&stderr(&again), &["learned already"]);
        let other = "contains the results of another config or seed";
        folder.fails("learn c.toml --out a --resume --seed 5", 2, other);
        std::fs::remove_file(folder.path("a/summary.json")).unwrap();
        folder.edit("c.toml", "400", "402");
        let refused = "contains files that this config did not write";
        folder.fails("learn c.toml --out a --resume", 2, refused);
    }
    let steep = Folder::with("c.toml", &weights.replace("0.001", "1"));
    steep.fails("learn c.toml", 1, "the estimates grew without bound by game ");
}

#[test]
fn a_regression_beats_no_weights() {
    let folder = Folder::with("c.toml", include_str!("../configs/regression.toml"));
    let checked = folder.said("learn c.toml --check --out run");
    let expected =
        ["2 rounds of 120 games at depth 1", "searches of depth 2, 3", "the whole run: about"];
    assert_has(&checked, &expected);
    folder.said("learn c.toml --out run");
    folder.said("learn c.toml --out other --seed 9");
    assert_ne!(folder.read("run/learned.toml"), folder.read("other/learned.toml"));
    assert_ne!(folder.read("run/learned-2.toml"), folder.read("run/learned-3.toml"));
    let summary = read_json(&folder.path("run/summary.json"));
    let fits = |round: usize| summary["rounds"][round]["fits"].as_array().unwrap();
    assert_eq!((fits(0).len(), fits(1).len()), (1, 2));
    assert!(fits(0)[0]["depth"].is_null(), "nothing is searched with weights of 0");
    let fit = &fits(1)[1];
    assert_eq!(fit["depth"], 3);
    let number = |key: &str| fit[key].as_f64().unwrap();
    assert_eq!(number("positions") + number("held_out"), 960.0);
    assert!(number("log_loss_of_results") < number("log_loss_of_mean"), "{fit}");
    assert!(number("condition") >= 1.0 && fit["unseen"].as_array().unwrap().is_empty());
    let count = |key: &str| summary["match"][key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 40);
    let agent = "minimax:depth=1,weights=run/learned.toml";
    let report = folder.json(&format!("match {agent} random --games 60 --json"));
    assert!(report["score"].as_f64().unwrap() > 0.7, "{report}");
    let again = folder.said("learn c.toml --out run --resume");
    assert_has(&again, &["depth 3", "with the learned weights"]);
}
