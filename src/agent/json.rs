//! Agents in JSON.
//!
//! Plans are hashed by their JSON, and manifests of old runs hold it, so that the form is fixed: one flat object with the
//! parts of all kinds, most of them left out. [`PlainSpec`] has that form, field by field. [`AgentSpec`] goes through
//! it and is free to change.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::keys::keys_of;
use super::kinds::{
    AgentKind, Evaluation, ExternalSettings, IterativeSettings, Kind, SecondEvaluation,
    TranspositionTable,
};
use super::learned::Learned;
use super::limit::Limit;
use super::placeholders::PlaceholderValue;
use super::runner::RunnerSettings;
use super::spec::{AgentSpec, FirstMove, RandomJump, Theory};
use crate::protocol::Protocol;
use crate::search::choice::{Ties, WhenLost};
use crate::search::iterative::Depths;
use crate::search::{Pruning, Sorting, Widths, mcts, memory, pvs};
use crate::weights::Weights;

/// [`AgentSpec`] as it is in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlainSpec {
    kind: Kind,
    depth: Option<u32>,
    evaluation: Option<String>,
    weights: Option<Weights>,
    first_move: FirstMove,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    theory: Option<Theory>,
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_table: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    options: PlainOptions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mcts: Option<mcts::Settings>,
    #[serde(default, skip_serializing_if = "is_default")]
    pvs: pvs::Settings,
    #[serde(default, skip_serializing_if = "is_default")]
    habits: PlainRandomness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external: Option<PlainExternal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned: Option<Learned>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runner: Option<RunnerSettings>,
}

/// Settings of minimax and its relatives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PlainOptions {
    #[serde(default)]
    pruning: Pruning,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Weights>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    widths: Option<Widths>,
    #[serde(default, skip_serializing_if = "is_default")]
    ties: Ties,
    #[serde(default, skip_serializing_if = "is_default")]
    lost: WhenLost,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quiescence: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    sorting: Sorting,
    #[serde(default, skip_serializing_if = "is_default")]
    depths: Depths,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<memory::Settings>,
}

/// Random jumps and the second evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PlainRandomness {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jump: Option<RandomJump>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mix: Option<SecondEvaluation>,
}

/// Another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlainExternal {
    command: String,
    protocol: Protocol,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    setup: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<String, PlaceholderValue>,
    #[serde(default = "default_grace", skip_serializing_if = "is_default_grace")]
    grace: f64,
}

const fn default_grace() -> f64 {
    ExternalSettings::GRACE
}

fn is_default_grace(grace: &f64) -> bool {
    *grace == default_grace()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for AgentSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PlainSpec::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PlainSpec::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl From<AgentSpec> for PlainSpec {
    fn from(spec: AgentSpec) -> Self {
        let AgentSpec { mut kind, jump, first_move, theory, seed } = spec;
        let Evaluation { name: evaluation, weights, second: mix } =
            kind.evaluation_mut().map(std::mem::take).unwrap_or_default();
        let mut plain = Self {
            kind: Kind::from(&kind),
            depth: kind.depth(),
            evaluation,
            weights,
            first_move,
            theory,
            seed,
            limit: kind.limit(),
            table: None,
            value_table: kind.value_table(),
            options: PlainOptions::default(),
            mcts: None,
            pvs: pvs::Settings::default(),
            habits: PlainRandomness { jump, mix },
            external: None,
            learned: None,
            runner: None,
        };
        match kind {
            AgentKind::Minimax(of) => {
                let (pruning, ties, order, widths) = (of.pruning, of.ties, of.order, of.widths);
                let (lost, quiescence, sorting) = (of.lost, of.quiescence, of.sorting);
                plain.options = PlainOptions {
                    pruning,
                    order,
                    widths,
                    ties,
                    lost,
                    quiescence,
                    sorting,
                    ..plain.options
                };
            }
            AgentKind::Iterative(IterativeSettings { pruning, ties, depths, table, .. }) => {
                plain.options = PlainOptions { pruning, ties, depths, ..plain.options };
                match table {
                    TranspositionTable::None => {}
                    TranspositionTable::Mebibytes(size) => plain.table = Some(size),
                    TranspositionTable::Bounded(memory) => plain.options.memory = Some(memory),
                }
            }
            AgentKind::Pvs(settings) => {
                plain.table = settings.table;
                plain.pvs = settings.search;
            }
            AgentKind::Expectimax(settings) => plain.options.win = settings.win,
            AgentKind::Mcts(settings) => plain.mcts = Some(settings.search),
            AgentKind::External(of) => {
                let ExternalSettings {
                    command, protocol, env, setup, options, numbers, grace, ..
                } = of;
                plain.external =
                    Some(PlainExternal { command, protocol, env, setup, options, numbers, grace });
            }
            AgentKind::Learned(learned) => plain.learned = Some(learned),
            AgentKind::Runner(runner) => plain.runner = Some(runner),
            AgentKind::Random | AgentKind::Reflex | AgentKind::Human | AgentKind::Greedy(_) => {}
        }
        plain
    }
}

impl TryFrom<PlainSpec> for AgentSpec {
    type Error = String;

    /// Refuses an object with parts that its kind does not have.
    fn try_from(plain: PlainSpec) -> Result<Self, String> {
        let PlainSpec { depth, limit, table, options, habits, .. } = plain.clone();
        let mut kind = AgentKind::from(plain.kind);
        match &mut kind {
            AgentKind::Minimax(settings) => {
                settings.depth = depth;
                settings.pruning = options.pruning;
                settings.ties = options.ties;
                settings.lost = options.lost;
                settings.quiescence = options.quiescence;
                settings.sorting = options.sorting;
                settings.value_table = plain.value_table;
                settings.order = options.order;
                settings.widths = options.widths;
            }
            AgentKind::Iterative(settings) => {
                settings.limit = limit;
                settings.depth = depth;
                settings.depths = options.depths;
                settings.pruning = options.pruning;
                settings.ties = options.ties;
                settings.value_table = plain.value_table;
                settings.table = match (table, options.memory) {
                    (None, None) => TranspositionTable::None,
                    (Some(size), _) => TranspositionTable::Mebibytes(size),
                    (None, Some(memory)) => TranspositionTable::Bounded(memory),
                };
            }
            AgentKind::Pvs(settings) => {
                settings.limit = limit;
                settings.depth = depth;
                settings.table = table;
                settings.search = plain.pvs;
            }
            AgentKind::Expectimax(settings) => {
                settings.depth = depth;
                settings.win = options.win;
            }
            AgentKind::Mcts(settings) => {
                settings.limit = limit;
                settings.value_table = plain.value_table;
                settings.search = plain.mcts.clone().unwrap_or_default();
            }
            AgentKind::External(settings) => {
                let program =
                    plain.external.clone().ok_or("an external agent without a command")?;
                settings.command = program.command;
                settings.protocol = program.protocol;
                settings.env = program.env;
                settings.setup = program.setup;
                settings.options = program.options;
                settings.numbers = program.numbers;
                settings.grace = program.grace;
                settings.limit = limit;
                settings.depth = depth;
            }
            AgentKind::Learned(learned) => {
                *learned = plain.learned.clone().ok_or("a learned agent without a table")?;
            }
            AgentKind::Runner(runner) => {
                *runner = plain.runner.clone().ok_or("an agent of a runner without a command")?;
            }
            AgentKind::Random | AgentKind::Reflex | AgentKind::Human | AgentKind::Greedy(_) => {}
        }
        if let Some(evaluation) = kind.evaluation_mut() {
            *evaluation = Evaluation {
                name: plain.evaluation.clone(),
                weights: plain.weights.clone(),
                second: habits.mix,
            };
        }
        let (first_move, theory, seed) = (plain.first_move, plain.theory.clone(), plain.seed);
        let spec = Self { kind, jump: habits.jump, first_move, theory, seed };
        match PlainSpec::from(spec.clone()) == plain {
            true => check_values(&spec).map(|()| spec),
            false => Err(format!("not an agent of the kind {}: it has other parts", plain.kind)),
        }
    }
}

/// Checks that its keys take its values: a search of depth 0, or a table of a terabyte, comes from a manifest that was
/// edited or from somebody on the network.
fn check_values(spec: &AgentSpec) -> Result<(), String> {
    keys_of(spec.kind()).try_for_each(|key| key.check(spec))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::game::Game;
    use crate::games::uttt::Uttt;
    use crate::weights::from_json;

    const DEFAULT: &str = r#"{"name":"liang-default","game":"uttt","evaluation":"advanced","values":[50.0,30.0,20.0,10.0,5.0,3.0,2.0,1.0]}"#;
    const SIMPLE: &str =
        r#"{"name":"liang-simple","game":"uttt","evaluation":"simple","values":[1.0]}"#;

    /// Agents as version 0.1 wrote them into manifests.
    #[test]
    fn the_form_is_that_of_old_manifests() {
        for (text, json) in [
            (
                "random:seed=4",
                r#"{"kind":"random","depth":null,"evaluation":null,"weights":null,"first_move":"search","seed":4}"#,
            ),
            (
                "minimax:first_move=centre,ties=first,jump=4,mix=liang-simple,order=liang-default,widths=\"all,9,1\"",
                r#"{"kind":"minimax","depth":null,"evaluation":null,"weights":null,"first_move":"centre","seed":null,"options":{"pruning":"alpha-beta","order":DEFAULT,"widths":"all,9,1","ties":"first"},"habits":{"jump":{"numerator":4.0,"power":2.0,"start":3.0,"step":0.1},"mix":{"weights":SIMPLE,"share":0.5}}}"#,
            ),
            (
                "greedy:eval=simple,weights=liang-simple,jump=4,jump_start=2.5,jump_power=1,jump_step=0.3",
                r#"{"kind":"greedy","depth":null,"evaluation":"simple","weights":SIMPLE,"first_move":"search","seed":null,"habits":{"jump":{"numerator":4.0,"power":1.0,"start":2.5,"step":0.3}}}"#,
            ),
            (
                "expectimax:depth=1,win=500,weights=liang-simple",
                r#"{"kind":"expectimax","depth":1,"evaluation":null,"weights":SIMPLE,"first_move":"search","seed":null,"options":{"pruning":"alpha-beta","win":500.0}}"#,
            ),
            (
                "iterative:nodes=10,depth=9,table=1,prune=none,eval=advanced,weights=liang-default",
                r#"{"kind":"iterative","depth":9,"evaluation":"advanced","weights":DEFAULT,"first_move":"search","seed":null,"limit":{"nodes":10},"table":1,"options":{"pruning":"none"}}"#,
            ),
            (
                "iterative:nodes=10,prune=full-window,ties=coin,first_depth=3,depth_step=2",
                r#"{"kind":"iterative","depth":null,"evaluation":null,"weights":null,"first_move":"search","seed":null,"limit":{"nodes":10},"options":{"pruning":"full-window","ties":"coin","depths":{"first":3,"step":2}}}"#,
            ),
            (
                "minimax:depth=3,lost=first,sort=introsort",
                r#"{"kind":"minimax","depth":3,"evaluation":null,"weights":null,"first_move":"search","seed":null,"options":{"pruning":"alpha-beta","lost":"first","sorting":"introsort"}}"#,
            ),
            (
                "minimax:depth=3,lost=first,quiescence=4,value_table=2",
                r#"{"kind":"minimax","depth":3,"evaluation":null,"weights":null,"first_move":"search","seed":null,"value_table":2,"options":{"pruning":"alpha-beta","lost":"first","quiescence":4}}"#,
            ),
            (
                "iterative:time=1ms,memory=fifo,memory_positions=5000,memory_symmetry=true",
                r#"{"kind":"iterative","depth":null,"evaluation":null,"weights":null,"first_move":"search","seed":null,"limit":{"time":{"secs":0,"nanos":1000000}},"options":{"pruning":"alpha-beta","memory":{"replacement":"fifo","positions":5000,"symmetry":true,"hashing":"full"}}}"#,
            ),
            (
                "pvs:nodes=10,table=4,reduction=1,weights=liang-simple",
                r#"{"kind":"pvs","depth":null,"evaluation":null,"weights":SIMPLE,"first_move":"search","seed":null,"limit":{"nodes":10},"table":4,"pvs":{"reduction":1.0,"reduction_base":0.5,"killer":0.4,"window":0.4}}"#,
            ),
            (
                "mcts:tree=rave,playout=ept,c=0.7,offset=3,clock=theaigames,time_scale=0.001",
                r#"{"kind":"mcts","depth":null,"evaluation":null,"weights":null,"first_move":"search","seed":null,"limit":{"clock":{"clock":"theaigames","scale":0.001}},"mcts":{"tree":"rave","playout":"ept","exploration":0.7,"rave":0.1,"reference":50,"expansion":"one","bias":0.1,"confidence":2.0,"amaf_confidence":2.0,"offset":3.0,"threshold":50,"boundary":0.7,"judge":"boundary","influence":0.5,"final_move":"max-robust","min_visits":1,"draw":0.5,"solver":false,"threads":1,"parallel":"root","virtual_loss":1,"max_nodes":16000000}}"#,
            ),
            (
                "external:cmd=\"bot 7\",protocol=codingame",
                r#"{"kind":"external","depth":null,"evaluation":null,"weights":null,"first_move":"search","seed":null,"external":{"command":"bot 7","protocol":"codingame"}}"#,
            ),
        ] {
            let json = json.replace("DEFAULT", DEFAULT).replace("SIMPLE", SIMPLE);
            let spec = AgentSpec::parse::<Uttt>(text, Path::new("")).unwrap();
            assert_eq!(serde_json::to_string(&spec).unwrap(), json, "{text}");
            let back: AgentSpec = from_json(&json, &[Uttt::INFO]).unwrap();
            assert_eq!(serde_json::to_string(&back).unwrap(), json, "{text}");
        }
    }

    #[test]
    fn values_that_no_text_could_have_are_refused() {
        for (text, part, wrong, expected) in [
            ("minimax:depth=3,weights=liang-simple", "\"depth\":3", "\"depth\":0", "depth: "),
            ("iterative:nodes=10,table=1", "\"table\":1", "\"table\":4294967295", "table: "),
            ("iterative:nodes=10", "\"nodes\":10", "\"nodes\":0", "nodes: "),
            ("iterative:time=1s", "\"secs\":1", "\"secs\":99999999999999", "time: "),
            ("mcts:iterations=9,threads=2", "\"threads\":2", "\"threads\":900000", "threads: "),
        ] {
            let spec = AgentSpec::parse::<Uttt>(text, Path::new("")).unwrap();
            let json = serde_json::to_string(&spec).unwrap();
            assert!(from_json::<AgentSpec>(&json, &[Uttt::INFO]).is_ok(), "{text}");
            let edited = json.replace(part, wrong);
            assert_ne!(edited, json, "{text}");
            let error = from_json::<AgentSpec>(&edited, &[Uttt::INFO]).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn parts_that_a_kind_does_not_have_are_refused() {
        let json = r#"{"kind":"random","depth":5,"evaluation":null,"weights":null,"first_move":"search","seed":4}"#;
        let error = from_json::<AgentSpec>(json, &[Uttt::INFO]).unwrap_err().to_string();
        assert!(error.contains("not an agent of the kind random"), "{error}");
        let json = json.replace("random", "external").replace('5', "null");
        let error = from_json::<AgentSpec>(&json, &[Uttt::INFO]).unwrap_err().to_string();
        assert!(error.contains("without a command"), "{error}");
    }
}
