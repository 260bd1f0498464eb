//! Tests of the text form of agents.

use std::collections::HashMap;

use proptest::prelude::*;
use strum::IntoEnumIterator;

use super::*;
use crate::games::Qubic;
use crate::games::uttt::Uttt;
use crate::weights::{TableKind, ValueTable, from_json};

fn parse(text: &str) -> Result<AgentSpec, String> {
    AgentSpec::parse::<Uttt>(text, Path::new("")).map_err(|error| error.to_string())
}

#[test]
fn text_forms_round_trip() {
    for text in [
        "random",
        "random:seed=4",
        "reflex",
        "human",
        "greedy:eval=simple,weights=liang-simple",
        "minimax:depth=7,eval=comprehensive,weights=tictune-comprehensive,first_move=centre",
        "minimax:depth=3,eval=advanced,weights=liang-default,seed=9",
        "minimax:depth=3,prune=none,eval=heur1,weights=lifshitz-heur1",
        "expectimax:depth=4,eval=heur3,weights=lifshitz-heur3",
        "expectimax:depth=2,win=500,eval=heur3,weights=lifshitz-heur3",
        "iterative:time=100ms,table=16,prune=none,eval=heur3,weights=lifshitz-heur3",
        "iterative:nodes=5000,depth=9,table=16,eval=advanced,weights=liang-default",
        "iterative:time=100ms,eval=simple,weights=liang-simple",
        "iterative:clock=theaigames,time_scale=0.05",
        "minimax:depth=6,widths=papadam,eval=heur1,weights=lifshitz-heur1",
        "minimax:depth=6,order=liang-default,widths=\"all,9,1\",eval=heur1,weights=lifshitz-heur1",
        "iterative:nodes=5,memory=keep-first",
        "iterative:nodes=5,prune=none,memory=fifo,memory_positions=5000,memory_symmetry=true",
        "iterative:nodes=5,memory=fifo,memory_hash=zobrist",
        "mcts:tree=uct,playout=random,iterations=25000",
        "mcts:tree=uct,playout=random,time=1s500ms",
        "mcts:tree=rave,playout=ept,c=0.7,boundary=0.5,judge=sigmoid,threads=2,parallel=tree,clock=theaigames",
        "minimax:depth=4,eval=winning-possibilities,weights=amar-winning,jump=5",
        "minimax:depth=4,ties=first,eval=simple,weights=liang-simple",
        "greedy:eval=heur3,weights=lifshitz-heur3,jump=4,jump_start=2.5,mix=sista,mix_share=0.25",
        "external:cmd=\"java -cp bots, Bot 7\",protocol=theaigames,time=1s",
    ] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_open_is_filled_with_the_strongest() {
    let complete =
        |text: &str| parse(text).and_then(|s| s.complete(Uttt::INFO).map_err(|e| e.to_string()));
    assert_eq!(
        complete("minimax:depth=2,eval=comprehensive").unwrap().to_string(),
        "minimax:depth=2,eval=comprehensive,weights=tictune-comprehensive"
    );
    assert_eq!(
        complete("minimax:depth=2,weights=liang-simple").unwrap().to_string(),
        "minimax:depth=2,eval=simple,weights=liang-simple"
    );
    assert!(complete("minimax:eval=simple").unwrap_err().contains("needs a depth"));
    assert!(complete("expectimax").unwrap_err().contains("as in expectimax:depth=5"));
    assert!(complete("mcts:c=1").unwrap_err().contains("needs a limit: iterations=25000"));
    assert!(complete("iterative").unwrap_err().contains("nodes=100000"));
    assert!(complete("external").unwrap_err().contains("needs cmd="));
    assert!(complete("learned").unwrap_err().contains("needs from=PATH"));
    assert_eq!(
        complete("mcts:playout=ept,iterations=9,eval=comprehensive").unwrap().to_string(),
        "mcts:tree=uct,playout=ept,iterations=9,eval=comprehensive,weights=tictune-comprehensive"
    );
}

#[test]
fn errors_list_what_is_known() {
    for (text, expected) in [
        (
            "minmax",
            "did you mean \"minimax\"? Known: random, reflex, human, greedy, minimax, iterative, expectimax, mcts, external, learned",
        ),
        ("minimax:dept=3", "did you mean \"depth\"?"),
        ("random:depth=3", "Known: seed"),
        ("minimax:depth=0", "depth: expected a number of plies from 1 to 32, found \"0\""),
        ("minimax:depth=3,depth=3", "given twice"),
        ("minimax:depth", "is not KEY=VALUE"),
        ("minimax:weights=liang-defaul", "did you mean \"liang-default\"?"),
        ("minimax:weights=./none.toml", "./none.toml: cannot be read"),
        ("minimax:eval=advance", "did you mean \"advanced\"?"),
        ("minimax:eval=simple,weights=liang-default", "does not go with weights liang-default"),
        ("minimax:weights=\"x", "quote"),
        ("minimax:first_move=corner", "search or centre"),
        ("random:seed=-1", "a whole number"),
        ("minimax:prune=all", "prune: expected alpha-beta, stepwise, none, found \"all\""),
        (
            "minimax:widths=\"all,0\"",
            "widths: expected papadam, or a list of all or numbers of moves",
        ),
        ("minimax:order=nobody", "unknown weights \"nobody\""),
        ("minimax:prune=none,widths=papadam", "do not go with prune=none"),
        ("iterative:widths=papadam", "unknown key \"widths\""),
        ("iterative:memory=lru", "memory: expected none, keep-first, fifo, found \"lru\""),
        ("iterative:memory=none,memory_hash=full", "memory_hash goes with memory=keep-first or"),
        ("iterative:memory_positions=5", "memory_positions goes with memory="),
        ("iterative:memory=fifo,memory_positions=0", "a whole number from 1 to 200000000"),
        ("iterative:memory=fifo,memory_symmetry=8", "memory_symmetry: expected true or false"),
        ("iterative:memory=fifo,memory_hash=md5", "memory_hash: expected full, zobrist"),
        (
            "iterative:memory=fifo,memory_symmetry=true,memory_hash=zobrist",
            "goes with memory_hash=full",
        ),
        ("iterative:memory=fifo,table=1", "two memories"),
        ("expectimax:win=0", "win: expected a number from 1e-9 to 1e15, found \"0\""),
        ("expectimax:prune=none", "Known: depth, win, eval"),
        ("greedy:prune=none", "unknown key \"prune\""),
        ("iterative:nodes=5,time=1s", "two are given"),
        ("iterative:nodes=0", "nodes: expected a whole number from 1, found \"0\""),
        ("iterative:time=0.1", "a time from 10us to 1h"),
        ("iterative:clock=chess", "unknown clock \"chess\". Known: theaigames, codingame"),
        ("iterative:nodes=5,time_scale=2", "goes with clock="),
        ("mcts:playout=heavy", "playout: expected random, win-first, ept, partial, total"),
        ("mcts:c=-1", "c: expected a number from 0, found \"-1\""),
        ("mcts:c=NaN", "a number from 0"),
        ("mcts:iterations=10,weights=liang-default", "nothing in this search evaluates"),
        ("mcts:draw=2", "a number from 0 to 1"),
        ("mcts:treee=uct", "did you mean \"tree\"?"),
        ("external:protocol=theaigames", "needs cmd="),
        ("learned:from=./none.csv", "./none.csv: cannot be read"),
        ("learned:form=x", "did you mean \"from\"?"),
        ("external:cmd=x,protocol=gtp", "expected theaigames or codingame"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn results_are_remembered_by_position_only_where_values_are_of_positions() {
    for key in ["table=1", "memory=fifo"] {
        let agent = format!("iterative:nodes=5,{key},weights=amar-cells");
        let error = parse(&agent).unwrap().prepare::<Uttt>().unwrap_err().to_string();
        assert!(error.contains("depends on the moves that led there"), "{error}");
    }
    assert_eq!(parse("iterative:memory=none").unwrap(), parse("iterative").unwrap());
}

#[test]
fn opening_theory_belongs_to_games_that_have_some() {
    let parse = |text: &str, game: &str| {
        let game = if game == "uttt" { Uttt::INFO } else { Qubic::INFO };
        let scope = Scope { game, known: &[], folder: Path::new("") };
        AgentSpec::parse_in(text, scope).map_err(|error| error.to_string())
    };
    for text in [
        "minimax:depth=2,eval=ef1,weights=papadam-ef1,theory=corners",
        "mcts:tree=uct,playout=random,iterations=9,theory=inner,theory_plies=0,seed=3",
        "greedy:theory=inner,theory_plies=9",
    ] {
        assert_eq!(parse(text, "qubic").unwrap().to_string(), text);
    }
    assert_eq!(
        parse("greedy:theory_plies=4,theory=inner", "qubic").unwrap().to_string(),
        "greedy:theory=inner"
    );
    for (text, game, expected) in [
        ("greedy:theory=corner", "qubic", "did you mean \"corners\"? Known: corners, inner"),
        ("greedy:theory=corners", "uttt", "theory: uttt has no sets of opening moves"),
        ("greedy:theory=inner,theory_plies=-1", "qubic", "a whole number of moves from 0"),
        ("greedy:theory_plies=3", "qubic", "theory_plies goes with theory="),
        ("greedy:first_move=centre", "qubic", "first_move: qubic has no centre"),
        ("random:theory=inner", "qubic", "Known: seed"),
    ] {
        let error = parse(text, game).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_learned_agent_is_read_from_a_file_or_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.csv");
    let kind = TableKind::StateActions;
    let table = ValueTable { game: "uttt".into(), kind, values: HashMap::from([(3, 0.5)]) };
    table.write(&file).unwrap();
    let text = format!("learned:from={},first_move=centre,seed=4", file.display());
    let spec = parse(&text).unwrap();
    assert_eq!(spec.to_string(), text);
    let of_folder = format!("learned:seed=4,first_move=centre,from={}", folder.path().display());
    assert_eq!(parse(&of_folder).unwrap(), spec);
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(from_json::<AgentSpec>(&json, &[]).unwrap(), spec);
}

#[test]
fn keys_are_told_apart_and_explained() {
    for (index, key) in KEYS.iter().enumerate() {
        assert!(KEYS[..index].iter().all(|earlier| earlier.name != key.name), "{}", key.name);
        assert!(!key.help.is_empty() && !key.takes.is_empty(), "{}", key.name);
        assert!(!key.example.is_empty() && !key.kinds.is_empty(), "{}", key.name);
    }
    let page = include_str!("../../../docs/agents.md");
    for key in KEYS.iter() {
        let is_there = |text: &str| text.contains(key.name);
        assert!(page.split('`').skip(1).step_by(2).any(is_there), "docs/agents.md: {}", key.name);
    }
    let help = AgentSpec::help();
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    for name in Kind::VARIANTS {
        assert!(help.contains(&format!("\n{name} ")), "{name}");
    }
    assert!(help.contains("c=0.5  The exploration constant C"), "{help}");
    assert!(help.contains("by default 0.5. Can be evolved."), "{help}");
}

#[test]
fn quotes_hold_commas() {
    assert_eq!(split_outside_quotes("a=1,b=\"x, y\",c=2").unwrap(), ["a=1", "b=\"x, y\"", "c=2"]);
}

/// Values for a key: its example, its words where it takes words, and a number.
fn values(key: &Key, number: f64) -> Vec<String> {
    let words = key.takes.split([' ', ',']).filter(|word| !word.is_empty());
    let mut values: Vec<String> = words.map(String::from).collect();
    values.extend([key.example.into(), number.to_string(), number.ceil().to_string()]);
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_agent_is_what_its_text_and_its_json_say(
        kind in 0..Kind::VARIANTS.len(),
        of_uttt in any::<bool>(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0.0..200.0), 0..12),
    ) {
        let kind = Kind::iter().nth(kind).unwrap();
        // A learned agent needs a file: see the test below.
        prop_assume!(kind != Kind::Learned && (kind != Kind::Human || picks.is_empty()));
        let game = if of_uttt { Uttt::INFO } else { Qubic::INFO };
        let scope = Scope { game, known: &[], folder: Path::new("") };
        let read = |text: &str| AgentSpec::parse_in(text, scope);
        let keys: Vec<&Key> = keys_of(kind).collect();
        let mut text = match kind {
            Kind::External => "external:cmd=\"./bot, 7\",protocol=codingame".to_string(),
            _ => kind.to_string(),
        };
        // The keys of parts come last as often as not.
        let mut given: Vec<(&Key, String)> = Vec::new();
        for (key, value, number) in picks {
            let key = *key.get(&keys);
            let candidates = values(key, number);
            let value = value.get(&candidates);
            let separator = if text.contains(':') { ',' } else { ':' };
            let more = format!("{text}{separator}{}={value}", key.name);
            if read(&more).is_ok() {
                text = more;
                given.push((key, unquote(value)));
            }
        }
        let spec = read(&text).unwrap();
        let printed = spec.to_string();
        // With weights, the name of their evaluation is printed, too.
        let known = |spec: &AgentSpec| match spec.weights() {
            Some(weights) => spec.with_weights(weights.clone()),
            None => spec.clone(),
        };
        let again = read(&printed).unwrap();
        prop_assert_eq!(known(&again), known(&spec), "{} is printed {}", text, printed);
        prop_assert_eq!(again.to_string(), printed.clone());
        for (key, value) in &given {
            let shown = key.show(&spec).or_else(|| key.default_of(kind));
            let shown = shown.unwrap_or_else(|| "none".into());
            let same = shown == *value || shown.parse::<f64>().ok() == value.parse().ok();
            prop_assert!(same, "{}: {} is {} in {}", text, key.name, shown, printed);
        }
        let json = serde_json::to_string(&spec).unwrap();
        let back: AgentSpec = from_json(&json, &[Uttt::INFO, Qubic::INFO]).unwrap();
        prop_assert_eq!(back.to_string(), printed);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), json);
    }

    #[test]
    fn no_text_panics(text in ".*") {
        let _ = parse(&text);
    }

    #[test]
    fn no_near_miss_panics(text in "(minimax|random|greedy):((depth|eval|weights|seed|first_move)=[a-z0-9\"./,=-]{0,8},?){0,4}") {
        let _ = parse(&text);
    }
}

#[test]
fn what_repeats_itself_and_what_has_no_chance_is_known_beforehand() {
    // Two agents of the same spec but other seeds play alike where there is no chance.
    for (text, repeatable, without_chance) in [
        ("reflex", true, true),
        ("minimax:depth=3,ties=first", true, true),
        ("minimax:depth=3,ties=first,first_move=centre,order=liang-default", true, true),
        ("minimax:depth=3", true, false),
        ("minimax:depth=3,ties=first,jump=5", true, false),
        ("minimax:depth=3,ties=first,mix=liang-default", true, false),
        ("random", true, false),
        ("greedy:weights=liang-default", true, false),
        ("expectimax:depth=2", true, false),
        ("iterative:nodes=100", true, false),
        ("iterative:time=100ms", false, false),
        ("iterative:clock=codingame", false, false),
        ("mcts:iterations=100", true, false),
        ("mcts:iterations=100,threads=2,parallel=tree", false, false),
        ("mcts:time=10ms", false, false),
        ("external:cmd=bot,protocol=theaigames", false, false),
    ] {
        let spec = parse(text).unwrap();
        assert_eq!(spec.is_repeatable(), repeatable, "{text}");
        assert_eq!(spec.is_without_chance(), without_chance, "{text}");
    }
    let qubic = "minimax:depth=2,ties=first,theory=inner";
    let spec = AgentSpec::parse::<Qubic>(qubic, Path::new("")).unwrap();
    assert!(spec.is_repeatable() && !spec.is_without_chance());
}
