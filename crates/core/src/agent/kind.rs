//! What a kind of agent is.
//!
//! A kind is a struct of settings, in a file of its own. Its fields are the keys of the kind's agents (see [`table`](super::table)).

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use strum::VariantNames;

use super::agents::Spawn;
use super::common::{CommonSettings, Evaluation, searching};
use super::kinds::Scope;
use super::limit::Limit;
use super::program::OtherProgram;
use super::table::{AgentKey, properties};
use crate::game::{Evaluator, Game, GameInfo};
use crate::input::{InputError, Result, schema_of, unknown};
use crate::weights::Weights;

/// A kind of agent: its settings, with a name and a way to make players.
///
/// The fields of the settings are the keys of the kind's agents. serde gives their names; the schema gives their help (the doc
/// comment), ranges and defaults. The doc comment of the struct says what agents of the kind do, in one sentence.
/// No field may be called `kind` or as a field of [`CommonSettings`](super::CommonSettings). The struct needs
/// `#[serde(default)]`, since agents give the keys that they want. `#[schemars(extend("x-evolves" = true))]` on a
/// field of numbers lets evolutions choose it. A kind with an evaluation flattens an [`Evaluation`](super::Evaluation) and
/// implements `evaluation` and `evaluation_mut`; one with a depth has `depth: Option<u32>`, `depth` and `fixed_depth_mut`. `examples/own_agent.rs` has a
/// kind of 30 lines, and one that searches with an evaluation and a depth.
pub trait AgentKind:
    AgentSettings + Clone + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema
{
    /// Its name in text and in tables, which no other kind of the program may have.
    const NAME: &'static str;

    /// Which keys of [`CommonSettings`] its agents take, too; all by default.
    const COMMON: Option<&'static [&'static str]> = None;

    /// Its description. Rust compiles generic code in every crate that uses it: see [`described_here`](crate::described_here).
    fn kind_info() -> &'static KindInfo {
        KindInfo::of::<Self>()
    }

    /// Makes players for a game, by default those of [`search`](Self::search). The settings are complete: see
    /// [`AgentSettings::complete`]. `label` is the text form of the agent.
    fn prepare<P: Game>(&self, label: &str) -> Result<Spawn<P>> {
        searching(self, label)
    }

    /// Makes players that search with the evaluator of its weights; an error for a kind that does not search.
    fn search<P: Game, E: Evaluator<P>>(&self, _: Arc<E>) -> Result<Spawn<P>> {
        Err(InputError::new(format!("{} does not search", Self::NAME)))
    }

    /// Reads a text that names something: a key whose schema says so by `x-names`, with a name that only this kind knows.
    /// `None` for all other keys.
    fn look_up(_key: &str, _text: &str, _scope: Scope<'_>) -> Option<Result<Value>> {
        None
    }

    /// What a person meant who wrote a text where a kind was expected, in a sentence; `None` if this kind cannot tell.
    fn meant_by(_text: &str) -> Option<String> {
        None
    }
}

/// What the rest of the program asks the settings of an agent. Every method has a default: a kind without weights, depth and limit,
/// whose players draw their moves, implements none.
pub trait AgentSettings: Any + Debug + Send + Sync {
    /// Its evaluation, if agents of the kind have one.
    fn evaluation(&self) -> Option<&Evaluation> {
        None
    }

    /// The same, to change it.
    fn evaluation_mut(&mut self) -> Option<&mut Evaluation> {
        None
    }

    /// Where it may hold weights, each with the key that gives them.
    fn weights_mut(&mut self) -> Vec<(&'static str, &mut Option<Weights>)> {
        let own = self.evaluation_mut().map(|evaluation| ("weights", &mut evaluation.weights));
        own.into_iter().collect()
    }

    /// Whether it evaluates positions, or is a program that is given weights.
    fn evaluates(&self) -> bool {
        self.evaluation().is_some()
    }

    /// The depth of its search in plies, if it has one.
    fn depth(&self) -> Option<u32> {
        None
    }

    /// Where its depth is, if it searches to a fixed depth, which a stage of an evolution may fill in.
    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        None
    }

    /// What ends its search, if it has a limit.
    fn limit(&self) -> Option<Limit> {
        None
    }

    /// Where its limit is, if agents of the kind take one.
    fn limit_mut(&mut self) -> Option<&mut Option<Limit>> {
        None
    }

    /// Checks what only all settings together tell.
    fn check_keys(&self) -> Result<()> {
        Ok(())
    }

    /// Checks that nothing is missing for games of `game`. Weights are there already; the depth may still come from a stage.
    /// `agent` is its text form, for messages.
    fn complete(&self, agent: &str, game: &GameInfo) -> Result<()> {
        if game.is_outside() {
            return Err(InputError::new(format!(
                "agent \"{agent}\": tictune does not know the game of a runner; only agents runner:cmd=\"...\" play it"
            )));
        }
        Ok(())
    }

    /// Whether its moves depend on a clock.
    fn is_timed(&self) -> bool {
        self.limit().is_some_and(|limit| limit.time_rules().is_some())
    }

    /// Whether games with the same seeds repeat themselves: no clock, no race of threads, no person and no other program plays a
    /// part in its moves.
    fn is_repeatable(&self) -> bool {
        !self.is_timed() && self.program().is_none()
    }

    /// Whether it has to see a game from its first move on.
    fn plays_from_start_only(&self) -> bool {
        false
    }

    /// The key and value without which nothing looks at a number of it; `None` where something does.
    fn ignores(&self, _number: &str) -> Option<&'static str> {
        None
    }

    /// The memory of its tables in MiB, at most.
    fn mebibytes(&self) -> u32 {
        0
    }

    /// Threads of one search, where it may have several.
    fn threads(&self) -> u32 {
        1
    }

    /// The other program that it is, if it is one.
    fn program(&self) -> Option<&dyn OtherProgram> {
        None
    }

    /// The same, to change it.
    fn program_mut(&mut self) -> Option<&mut dyn OtherProgram> {
        None
    }
}

/// The methods of [`AgentSettings`] that look at a field of their own name; `fixed_depth` at the depth of a fixed search.
#[macro_export]
macro_rules! fields_of_settings {
    (@ evaluation) => {
        fn evaluation(&self) -> Option<&$crate::agent::Evaluation> {
            Some(&self.evaluation)
        }

        fn evaluation_mut(&mut self) -> Option<&mut $crate::agent::Evaluation> {
            Some(&mut self.evaluation)
        }
    };
    (@ depth) => {
        fn depth(&self) -> Option<u32> {
            self.depth
        }
    };
    (@ fixed_depth) => {
        $crate::fields_of_settings!(@ depth);

        fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
            Some(&mut self.depth)
        }
    };
    (@ limit) => {
        fn limit(&self) -> Option<$crate::agent::Limit> {
            self.limit
        }

        fn limit_mut(&mut self) -> Option<&mut Option<$crate::agent::Limit>> {
            Some(&mut self.limit)
        }
    };
    ($($field:ident),*) => { $($crate::fields_of_settings!(@ $field);)* };
}

/// Within an `impl` of [`AgentKind`]: its description, and reading and writing its settings, are compiled here once, and not for
/// every game's crate again.
#[macro_export]
macro_rules! described_here {
    () => {
        fn kind_info() -> &'static $crate::agent::KindInfo {
            $crate::agent::KindInfo::of::<Self>()
        }
    };
}

/// The settings of any kind.
pub trait AnyKind: AgentSettings {
    /// The description of its kind.
    fn info(&self) -> &'static KindInfo;
    /// The same settings again.
    fn boxed(&self) -> Box<dyn AnyKind>;
    /// Whether other settings are of the same kind, and equal.
    fn equals(&self, other: &dyn AnyKind) -> bool;
    /// All keys of the settings, those with defaults too.
    fn to_map(&self) -> Map<String, Value>;
}

impl<K: AgentKind> AnyKind for K {
    fn info(&self) -> &'static KindInfo {
        K::kind_info()
    }

    fn boxed(&self) -> Box<dyn AnyKind> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnyKind) -> bool {
        (other as &dyn Any).downcast_ref::<K>() == Some(self)
    }

    fn to_map(&self) -> Map<String, Value> {
        to_map(self)
    }
}

/// The fields of a struct of settings: numbers, texts and tables of them, all of which JSON has.
pub(super) fn to_map(settings: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

impl Clone for Box<dyn AnyKind> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

type ReadKind = fn(Map<String, Value>) -> serde_json::Result<Box<dyn AnyKind>>;

/// The description of a kind of agent.
#[derive(Debug)]
pub struct KindInfo {
    /// What agents of the kind are called in text and in tables.
    pub name: &'static str,
    /// What agents of the kind do, in a sentence.
    pub purpose: String,
    /// In the order in which they are printed.
    pub(super) keys: Vec<AgentKey>,
    pub(super) read: ReadKind,
    pub(super) empty: fn() -> Box<dyn AnyKind>,
    pub(super) look_up: fn(&str, &str, Scope<'_>) -> Option<Result<Value>>,
    pub(super) meant_by: fn(&str) -> Option<String>,
}

impl KindInfo {
    /// The description of a kind. It is made of the schema when it is first asked for, and kept.
    pub fn of<K: AgentKind>() -> &'static Self {
        static MADE: LazyLock<Mutex<HashMap<TypeId, &'static KindInfo>>> =
            LazyLock::new(Mutex::default);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(TypeId::of::<K>()).or_insert_with(|| Box::leak(Box::new(Self::new::<K>())))
    }

    fn new<K: AgentKind>() -> Self {
        let is_free = serde_json::from_value::<K>(Value::Object(Map::new())).is_ok();
        let name = K::NAME;
        assert!(
            is_free,
            "the settings of the kind {name} need #[serde(default)]: its agents give the keys that they want"
        );
        let settings = schema_of::<K>();
        let mut keys = properties(&settings);
        let is_taken = |key: &AgentKey| K::COMMON.is_none_or(|names| names.contains(&&*key.name));
        for key in properties(&schema_of::<CommonSettings>()).into_iter().filter(is_taken) {
            let is_new = keys.iter().all(|own| own.name != key.name);
            assert!(is_new, "the kind {name} has a field {}, a key that most kinds have", key.name);
            keys.push(key);
        }
        let purpose = settings.get("description").and_then(Value::as_str).unwrap_or_default();
        Self {
            name,
            purpose: purpose.replace('\n', " "),
            keys,
            read: |map| Ok(Box::new(serde_json::from_value::<K>(Value::Object(map))?)),
            empty: || Box::new(K::default()),
            look_up: K::look_up,
            meant_by: K::meant_by,
        }
    }

    pub(super) fn key(&self, name: &str) -> Option<&AgentKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The names of its keys.
    pub fn key_names(&self) -> Vec<&str> {
        self.keys.iter().map(|key| &*key.name).collect()
    }

    fn limits(&self) -> impl Iterator<Item = &AgentKey> {
        self.keys.iter().filter(|key| Limit::VARIANTS.contains(&&*key.name))
    }

    /// Its limits by example, as in "nodes=100000, time=100ms or clock=theaigames".
    pub(super) fn limits_by_example(&self) -> String {
        let mut limits: Vec<String> =
            self.limits().map(|key| format!("{}={}", key.name, key.example())).collect();
        let last = limits.pop().unwrap_or_default();
        format!("{} or {last}", limits.join(", "))
    }

    /// Reads a limit of this kind of search, `KEY=VALUE`.
    pub fn limit(&self, text: &str) -> Result<Limit> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let key = self.limits().find(|key| key.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.limits().map(|key| &*key.name).collect();
            InputError::new(unknown("limit", name, &names))
        })?;
        let map = key.take(value.into()).map(|value| Map::from_iter([(name.to_owned(), value)]));
        let limit = map.and_then(|map| (self.read)(map).ok()?.limit());
        limit.ok_or_else(|| InputError::new(format!("limit \"{text}\": expected {}", key.takes())))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::builtin::Random;
    use super::super::kinds::{CoreKinds, Known};
    use super::*;
    use crate::testing::toy::Toy;

    /// A kind that forgot `#[serde(default)]`, `prepare` and an evaluation.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Forgetful {
        number: u32,
    }

    impl AgentSettings for Forgetful {}

    impl AgentKind for Forgetful {
        const NAME: &'static str = "forgetful";
    }

    #[test]
    #[should_panic(expected = "the settings of the kind forgetful need #[serde(default)]")]
    fn a_kind_whose_keys_are_all_needed_is_refused() {
        KindInfo::of::<Forgetful>();
    }

    /// A kind whose own key is one that most kinds have.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Seeded {
        seed: u32,
    }

    impl AgentSettings for Seeded {}

    impl AgentKind for Seeded {
        const NAME: &'static str = "seeded";
    }

    #[test]
    #[should_panic(expected = "the kind seeded has a field seed, a key that most kinds have")]
    fn a_key_that_the_kind_has_twice_is_refused() {
        KindInfo::of::<Seeded>();
    }

    #[test]
    #[should_panic(expected = "two kinds of agents have one NAME")]
    fn two_kinds_of_one_name_are_refused() {
        Known::new::<(CoreKinds, Random)>(&[]);
    }

    #[test]
    fn a_kind_that_makes_no_players_is_told_what_it_lacks() {
        let error = Forgetful::default().prepare::<Toy>("forgetful:number=1").err().unwrap();
        let expected = "the kind forgetful has neither `prepare` nor an evaluation";
        assert!(error.to_string().contains(expected), "{error}");
    }
}
