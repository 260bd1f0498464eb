//! The keys of evaluations: weights, the second evaluation, and random jumps.

use std::ops::RangeInclusive;

use super::super::key::{Key, Place, Refusal};
use super::super::kinds::{Evaluation, SecondEvaluation};
use super::super::spec::{AgentSpec, RandomJump};
use super::{EVALUATING, WEIGHTED};
use crate::weights::{Scope, Weights};

pub(super) fn keys() -> Vec<Key> {
    fn own(spec: &mut AgentSpec) -> Result<&mut Evaluation, Refusal> {
        spec.kind.evaluation_mut().ok_or(Refusal::Part)
    }
    fn second(spec: &AgentSpec) -> Option<&SecondEvaluation> {
        spec.kind.evaluation()?.second.as_ref()
    }
    fn second_mut(spec: &mut AgentSpec) -> Option<&mut SecondEvaluation> {
        spec.kind.evaluation_mut()?.second.as_mut()
    }
    fn jump(spec: &AgentSpec) -> Option<&RandomJump> {
        spec.jump.as_ref()
    }
    fn jump_mut(spec: &mut AgentSpec) -> Option<&mut RandomJump> {
        spec.jump.as_mut()
    }
    let read_name = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        own(spec)?.name = Some(scope.layout(text)?.name.into());
        Ok(())
    };
    let name = |spec: &AgentSpec| {
        let of_weights = spec.layout().map(|layout| layout.name.to_string());
        of_weights.or_else(|| spec.kind.evaluation()?.name.clone())
    };
    let read_weights = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        own(spec)?.weights = Some(Weights::find(text, scope)?);
        Ok(())
    };
    let weights = |spec: &AgentSpec| spec.weights().map(|weights| weights.name.clone());
    let numerator = Place {
        kinds: EVALUATING,
        get: |spec| jump(spec).map(|jump| jump.numerator),
        set: |spec, value| {
            spec.jump.get_or_insert(RandomJump::AMAR).numerator = value;
            Ok(())
        },
    };
    let read_second = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let weights = Weights::find(text, scope)?;
        own(spec)?.second = Some(SecondEvaluation { weights, share: SecondEvaluation::SHARE });
        Ok(())
    };
    let second_name = |spec: &AgentSpec| second(spec).map(|second| second.weights.name.clone());
    const ABOVE_0: RangeInclusive<f64> = 1e-9..=1e9;
    vec![
        Key::new("eval", WEIGHTED, "an evaluation of the game", read_name, name)
            .example("comprehensive")
            .help("The evaluation, where weights do not tell; by default that of the game"),
        Key::new("weights", WEIGHTED, "weights", read_weights, weights)
            .example("liang-default")
            .help("A built-in name or a path; by default the strongest built-in weights"),
        Key::real("jump", numerator, ABOVE_0, "a number above 0, as in jump=5")
            .used_by("jump=", |spec| spec.jump.is_some())
            .evolves()
            .example("5")
            .help("Random jumps (Amar VII): a random move with the chance jump / t^jump_power"),
        Key::real(
            "jump_power",
            within!(EVALUATING, jump, jump_mut, power),
            0.0..=100.0,
            "a number from 0 to 100",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.power)
        .evolves()
        .example("1")
        .help("The power of t"),
        Key::real(
            "jump_start",
            within!(EVALUATING, jump, jump_mut, start),
            ABOVE_0,
            "a number above 0",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.start)
        .evolves()
        .example("2.5")
        .help("t at the first own move"),
        Key::real(
            "jump_step",
            within!(EVALUATING, jump, jump_mut, step),
            0.0..=1e9,
            "a number from 0",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.step)
        .evolves()
        .example("0.2")
        .help("What is added to t with each own move"),
        Key::new("mix", EVALUATING, "weights", read_second, second_name)
            .example("liang-simple")
            .help("Weights of a second evaluation, used for some moves by chance (Amar X)"),
        Key::real(
            "mix_share",
            within!(EVALUATING, second, second_mut, share),
            0.0..=1.0,
            "a share from 0 to 1",
        )
        .of_part("mix=WEIGHTS")
        .default(SecondEvaluation::SHARE)
        .evolves()
        .example("0.25")
        .help("The chance that the second evaluation is used"),
    ]
}
