//! Tests of the form of an evolution: of the whole, and of what is evolved.

use std::collections::BTreeSet;

use super::*;
use crate::plan::Start;

const GOOD: &str = include_str!("tests/evolution.toml");

pub(super) fn read(text: &str) -> Result<Plan, String> {
    crate::known::read(text).map_err(|error| error.to_string())
}

pub(super) fn check_mistakes<T>(
    section: &str,
    good: &str,
    read: impl Fn(&str) -> Result<T, String>,
) {
    tictune_core::testing::check_mistakes(include_str!("tests/mistakes.txt"), section, good, read);
}

/// The keys of a table in a schema, with those of the tables in it: `fitness.runner.cmd`.
fn add_keys(schema: &Value, path: &str, keys: &mut BTreeSet<String>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let inner = inner.get("items").unwrap_or(inner);
        match inner.get("properties") {
            Some(_) => add_keys(inner, &format!("{path}{name}."), keys),
            None => {
                keys.insert(format!("{path}{name}"));
            }
        }
    }
}

#[test]
fn the_documented_config_has_every_key_and_no_other() {
    let mut keys = BTreeSet::new();
    add_keys(&schema(), "", &mut keys);
    let mut documented = BTreeSet::new();
    let mut table = String::new();
    for line in include_str!("../../../../experiments/documented.toml").lines() {
        let line = line.trim_start_matches(['#', ' ']);
        let header = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((name, _)) = header {
            table = format!("{}.", name.trim_start_matches('['));
        } else if let Some((key, value)) = line.split_once(" = ")
            && !key.contains(|c: char| !c.is_ascii_lowercase() && c != '_')
        {
            let (inner, _) = value.split_once('}').unwrap_or_default();
            let inner = inner.strip_prefix("{ ").unwrap_or_default();
            if inner.is_empty() || ["hold", "numbers", "runner"].contains(&key) {
                documented.insert(format!("{table}{key}"));
            } else {
                let words = inner.split(' ').zip(inner.split(' ').skip(1));
                let names = words.filter(|(_, sign)| *sign == "=").map(|(name, _)| name);
                documented.extend(names.map(|name| format!("{table}{key}.{name}")));
            }
        }
    }
    // Sections of which each key is one of the game or the agent, or is shown elsewhere.
    let elsewhere =
        ["rules.", "agent.", "validation.agents.", "stages.opponents.", "fitness.runner"];
    let is_here = |key: &String| {
        !key.ends_with("opponents.name") && !elsewhere.iter().any(|table| key.starts_with(table))
    };
    keys.retain(is_here);
    documented.retain(is_here);
    documented.extend(["rules", "agent"].map(String::from));
    assert_eq!(documented, keys);
}

#[test]
fn depths_are_mixed_and_opponents_have_their_own() {
    let text = GOOD
        .replacen("depth = 3", "depths = [4, 2, 3, 2]", 1)
        .replace("games = 300", "games = 320")
        .replace("\"half-and-half\"", "\"paired\"");
    let more = "[[opponents]]\nagent = \"random\"\ndepths = [7]\nopenings = \"random:4\"\n";
    let plan =
        read(&text.replace("[[stages]]\ndepths", &format!("{more}[[stages]]\ndepths"))).unwrap();
    let [mixed, single] = &plan.stages[..] else { panic!("two stages") };
    assert_eq!((mixed.depth, &*mixed.depths, single.depth), (4, &[2, 3, 4][..], 5));
    let entries = |stage: &crate::plan::StagePlan| -> Vec<_> {
        let opponents = &stage.fitness.opponents;
        opponents.iter().map(|o| (o.depth, o.openings.is_some(), o.games)).collect()
    };
    let own = (Some(7), true);
    let expected = [(Some(2), false), (Some(3), false), (Some(4), false), own];
    assert_eq!(entries(mixed), expected.map(|(depth, openings)| (depth, openings, 80)));
    assert_eq!(entries(single), [(None, false, 160), (own.0, own.1, 160)]);
    assert_eq!(mixed.fitness.openings_at(3).to_string(), "random:4");
}

#[test]
fn a_good_config_is_read_whole_and_what_is_wrong_is_named_with_line_and_key() {
    let plan = read(GOOD).unwrap();
    assert_eq!(plan.initial.as_ref().unwrap().values(), [0.5; 8]);
    let [first, second] = &plan.stages[..] else { panic!("two stages") };
    assert_eq!((first.start, first.stops.max_evaluations), (Start::Initial, 10_000));
    assert_eq!((second.start, second.sigma), (Start::Mean, 0.2));
    assert_eq!(plan.comparison.agent.to_string(), "minimax:depth=5");
    assert_eq!((plan.validation.opponents.len(), plan.validation.openings.len()), (2, 2));
    let overrides = Overrides { seed: Some(9), max_generations: Some(2), ..Overrides::default() };
    let cut = parse(GOOD, Path::new("c.toml"), overrides, &crate::known::built_in()).unwrap();
    assert_eq!((cut.seed, cut.stages[1].stops.max_generations), (9, Some(2)));
    assert_ne!(cut.hash(), plan.hash());
    assert_eq!(read(&format!("# a comment\n{GOOD}")).unwrap().hash(), plan.hash());
    check_mistakes("evolution", GOOD, read);
}

#[test]
fn which_weights_move_and_in_what_units() {
    use crate::SlotPlan::{Free, Held, Stepped};
    let with = |lines: &str| read(&GOOD.replacen("initial = 0.5", lines, 1));
    let plan = with("initial = 0.5\nleave_out = [\"micro_*\"]\nhold = [\"macro_side\"]").unwrap();
    let initial = plan.initial.as_ref().unwrap();
    let names: Vec<&str> = initial.layout().slots.iter().map(|slot| slot.name).collect();
    for ((name, value), slot) in names.iter().zip(initial.values()).zip(&plan.space.slots) {
        let held = name.starts_with("micro_") || *name == "macro_side";
        assert_eq!(*slot, if held { Held } else { Free }, "{name}");
        assert_eq!(*value, if name.starts_with("micro_") { 0.0 } else { 0.5 }, "{name}");
    }
    assert_ne!(plan.hash(), read(GOOD).unwrap().hash());
    let list = "initial = [10, -2, 0, 0.001, 1, 1, 1, 1]\nscale = \"initial\"";
    let plan = with(list).unwrap();
    let steps = [10.0, 2.0, 0.1, 0.1, 1.0, 1.0, 1.0, 1.0].map(Stepped);
    assert_eq!(
        plan.space.slots, steps,
        "of the initial values, at least a hundredth of the largest"
    );
    check_mistakes("space", GOOD, read);
}

/// An evolution of a number alone.
const PARAMETERS: &str = include_str!("tests/parameters.toml");

#[test]
fn numbers_of_an_agent_are_read_with_their_ranges() {
    use crate::{Parameter, Scale};
    let plan = read(PARAMETERS).unwrap();
    assert_eq!((plan.layout(), plan.to_string()), (None, "c".into()));
    assert_eq!(plan.stages[0].population, 4);
    assert_eq!(plan.validation.opponents, [], "there are no weights to validate");
    let step = libm::log(10.0 / 0.7) - libm::log(0.01 / 0.7);
    let (key, scale, whole) = ("c".into(), Scale::Log, false);
    let c = Parameter { key, initial: 0.7, low: 0.01, high: 10.0, scale, whole };
    assert_eq!((c.step(), &plan.space.parameters[..]), (step, &[c][..]));
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(crate::known::built_in().from_json::<Plan>(&json).unwrap(), plan);
    let more = "[[parameters]]\nkey = \"threshold\"\nlow = 0\nhigh = 80\n[[parameters]]";
    let ept = PARAMETERS.replace("c = 0.7", "playout = \"ept\"\neval = \"advanced\"");
    let both = format!("evaluation = \"advanced\"\n{}", ept.replace("[[parameters]]", more));
    let plan = read(&both).unwrap();
    let threshold = &plan.space.parameters[0];
    assert_eq!((threshold.initial, threshold.whole, threshold.step()), (50.0, true, 81.0));
    assert_eq!(plan.to_string(), "the 8 weights of `advanced`, and threshold, c");
    assert_eq!(plan.start_point().len(), 10);
    let error =
        read(&both.replace("sigma = 0.3", "sigma = 0.3\nsigma_unit = \"start\"")).unwrap_err();
    assert!(error.contains("cmaes.sigma_unit: sigma also applies to [[parameters]]"), "{error}");
    check_mistakes("parameters", PARAMETERS, read);
}
