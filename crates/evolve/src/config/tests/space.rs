//! Tests of what is evolved: which weights, in what units, and the numbers of an agent.

use proptest::prelude::*;

use super::*;

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
    let error = with("initial = 0\nscale = \"initial\"").unwrap_err();
    assert!(error.contains("c.toml:8: cmaes.scale: the start vector is 0"), "{error}");
}

/// An evolution of a number alone.
const PARAMETERS: &str = r#"seed = 3
[cmaes]
sigma = 0.3
[fitness]
games = 20
[agent]
kind = "mcts"
iterations = 100
c = 0.7
[[parameters]]
key = "c"
low = 0.01
high = 10
scale = "log"
[[opponents]]
agent = "mcts:iterations=100"
[[stages]]
depth = 1
"#;

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
    assert!(error.contains("cmaes.sigma_unit: sigma is also that of [[parameters]]"), "{error}");
    check_mistakes("parameters", PARAMETERS, read);
    let ept = PARAMETERS.replace("c = 0.7", "playout = \"ept\"").replace("\"c\"", "\"threshold\"");
    assert!(read(&ept).unwrap_err().contains("parameters[1].low: expected a whole number"));
    let whole = ept.replace("0.01", "1").replace("= 10\n", "= 80\nwhole = false\n");
    let error = read(&whole).unwrap_err();
    assert!(error.contains("parameters[1].whole: threshold is a whole number"), "{error}");
}

#[test]
fn a_sigma_unit_is_part_of_the_plan_only_where_it_is_given() {
    let hash = |line: &str| {
        let plan =
            read(&GOOD.replacen("initial = 0.5", &format!("initial = 0.5\n{line}"), 1)).unwrap();
        let json = serde_json::to_string(&plan).unwrap();
        let again = crate::known::built_in().from_json::<Plan>(&json).unwrap();
        assert_eq!((&again.space, again.hash()), (&plan.space, plan.hash()));
        again.hash()
    };
    assert_eq!(hash("sigma_unit = \"weight\""), hash(""));
    assert_ne!(hash("sigma_unit = \"start\""), hash(""));
}

proptest! {
    #[test]
    fn no_numbers_of_a_parameter_panic(
        initial in any::<f64>(), low in any::<f64>(), high in any::<f64>(), x in any::<f64>(),
        log: bool, whole: bool, tame: bool,
    ) {
        let tamed = |x: f64| if tame { libm::fmod(x, 100.0).trunc() } else { x };
        let [initial, low, high] = [initial, low, high].map(tamed);
        let scale = if log { "log" } else { "linear" };
        let lines = format!(
            "low = {low:?}\nhigh = {high:?}\ninitial = {initial:?}\nwhole = {whole}\nscale = \"{scale}\"\n"
        );
        let text = PARAMETERS.replace("low = 0.01\nhigh = 10\nscale = \"log\"\n", &lines);
        prop_assert_ne!(&text, PARAMETERS);
        if let Ok(plan) = read(&text) {
            let value = plan.space.parameters[0].value(x);
            prop_assert!(value.is_nan() || (low..=high).contains(&value), "{}", value);
            prop_assert!(plan.vector_at("w", &plan.start_point()).unwrap().carried_by(&plan.agent).is_ok());
        }
    }
}
