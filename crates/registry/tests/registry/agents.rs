//! Agents of every kind of the program: their text, their tables, and the numbers in them that can be evolved.

mod play;

use std::collections::HashMap;
use std::path::Path;

use tictune_core::agent::{AgentSpec, Agents, KeyHelp};
use tictune_core::game::{Game, GameInfo};
use tictune_core::input::InputError;
use tictune_core::weights::read_weights;
use tictune_games::{Qubic, Uttt};
use tictune_papers::reinforcement::{TableKind, ValueTable};
use tictune_programs::ExternalSettings;
use tictune_registry::{BuiltInKinds, built_in};

fn read(text: &str, game: &'static GameInfo) -> Result<AgentSpec, InputError> {
    AgentSpec::parse_in(text, built_in().scope(game, Path::new("")))
}

/// An agent of UTTT, or of the game that has opening theory.
fn spec(text: &str) -> AgentSpec {
    let game = if text.contains("theory") { Qubic::INFO } else { Uttt::INFO };
    read(text, game).unwrap()
}

/// Reads agents of a game, of which each line has the end, and compares what their errors say.
fn assert_refused(game: &'static GameInfo, beginning: &str, cases: &str) {
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let (text, expected) = case.split_once(" => ").unwrap();
        let read = read(&format!("{beginning}{text}"), game);
        let error = read.and_then(|spec| spec.complete(game)).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn text_forms_round_trip() {
    const TEXTS: &str = r#"
        random:seed=4
        reflex
        human
        greedy:eval=simple,weights=liang-simple
        minimax:depth=7,eval=comprehensive,weights=tictune-comprehensive,first_move=centre
        plain:depth=3,eval=heur1,weights=lifshitz-heur1
        expectimax:depth=2,win=500,eval=heur3,weights=lifshitz-heur3
        plain:time=100ms,first_depth=3,depth_step=2,alpha_beta=true,value_table=16,ties=coin,eval=heur3
        iterative:time=100ms,eval=simple,weights=liang-simple
        iterative:clock=theaigames,time_scale=0.05
        selective:depth=6,order=liang-default,widths="all,9,1",eval=heur1,weights=lifshitz-heur1
        pvs:time=100ms,reduction=1.5,window=0.2
        remembering:nodes=5,first_depth=3,positions=5000,symmetry=true
        remembering:nodes=5,replace=fifo,hash=zobrist
        mcts:tree=uct,playout=random,time=1s500ms
        mcts:tree=rave,playout=ept,c=0.7,boundary=0.5,judge=sigmoid,threads=2,parallel=tree,clock=theaigames
        minimax:depth=4,eval=winning-possibilities,weights=amar-winning,jump=5
        greedy:eval=heur3,weights=lifshitz-heur3,jump=4,jump_start=2.5,mix=sista,mix_share=0.25
        minimax:depth=2,eval=ef1,weights=papadam-ef1,theory=corners
        mcts:tree=uct,playout=random,iterations=9,theory=inner,theory_plies=0,seed=3
        greedy:theory=inner,theory_plies=9
        external:cmd="java -cp bots, Bot 7",protocol=theaigames,time=1s
        external:cmd='java -jar "my bot.jar"',protocol=theaigames
        external:cmd="./bot {corner} {seed}",protocol=codingame,env={ CORNER = "{corner}, {edge}" },setup=["a, \"b\"", "{edge}"],options={ "King Safety" = "{edge}" },numbers={ corner = 3.5, edge = true },time=1s,seed=4
        external:cmd="./bot {weights}",protocol=codingame,eval=simple,weights=liang-simple"#;
    for text in TEXTS.trim().lines().map(str::trim) {
        assert_eq!(spec(text).to_string(), text);
    }
}

#[test]
fn what_is_open_is_filled_with_the_strongest() {
    for (text, expected) in [
        ("minimax:depth=2,eval=comprehensive", ",weights=tictune-comprehensive"),
        ("minimax:depth=2,weights=liang-simple", ",eval=simple,weights=liang-simple"),
        ("mcts:playout=ept,iterations=9,eval=comprehensive", ",weights=tictune-comprehensive"),
    ] {
        let complete = spec(text).complete(Uttt::INFO).unwrap().to_string();
        assert!(complete.ends_with(expected), "{complete}");
    }
}

#[test]
fn errors_list_what_is_known() {
    // What is mistyped in a command is in tests/cli/messages/typing.txt.
    assert_refused(
        Uttt::INFO,
        "",
        r#"
        expectimax => as in expectimax:depth=5
        mcts:c=1 => needs a limit: iterations=25000
        iterative => nodes=100000
        external => needs cmd=
        learned => needs from=PATH
        random:depth=3 => Known: seed
        minimax:depth=0 => depth: expected a number of plies from 1 to 32, found "0"
        external:cmd=./bot 1,2,protocol=codingame => "2" is not KEY=VALUE; a value with commas needs quotes, as in cmd="./bot 1,2"
        minimax:eval=simple,weights=liang-default => does not match weights liang-default
        selective:widths="all,0" => widths: expected papadam, or a list of all or numbers of moves
        minimax:ties=last => ties: expected random, first, coin
        remembering:replace=fifo,symmetry=8 => symmetry: expected true or false
        remembering:replace=fifo,symmetry=true,hash=zobrist => needs hash=full
        iterative:nodes=5,time=1s => two are given
        iterative:time=0.1 => a time from 10us to 1h
        iterative:nodes=5,time_scale=2 => needs clock=
        iterative:clock=10s+1s,time_scale=2 => time_scale needs the clock of a platform
        mcts:c=-1 => c: expected a number of at least 0, found "-1"
        learned:form=x => did you mean "from"?
        greedy:weights=liang-default,jump_start=3 => jump_start needs jump=
        greedy:weights=liang-default,mix_share=0.5 => mix_share needs mix=WEIGHTS
        greedy:theory=corners => theory: uttt has no sets of opening moves
        "#,
    );
    assert_refused(
        Qubic::INFO,
        "",
        r#"
        greedy:theory=corner => did you mean "corners"? Known: corners, inner
        greedy:theory=inner,theory_plies=-1 => a whole number of moves from 0
        greedy:theory_plies=3 => theory_plies needs theory=
        greedy:first_move=centre => first_move: qubic has no centre
        "#,
    );
}

#[test]
fn results_are_remembered_by_position_only_where_values_are_of_positions() {
    for text in ["iterative:nodes=5,table=1", "remembering:nodes=5", "plain:depth=2,value_table=1"]
    {
        let agent = spec(&format!("{text},weights=amar-cells"));
        let error = Agents::<Uttt>::of::<BuiltInKinds>().prepare(&agent).unwrap_err().to_string();
        assert!(error.contains("this one depends on earlier moves"), "{error}");
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
    let learned = spec(&text);
    assert_eq!(learned.to_string(), text);
    let of_folder = format!("learned:seed=4,first_move=centre,from={}", folder.path().display());
    assert_eq!(spec(&of_folder), learned);
    let json = serde_json::to_string(&learned).unwrap();
    assert_eq!(built_in().from_json::<AgentSpec>(&json).unwrap(), learned);
}

#[test]
fn keys_are_told_apart_and_explained() {
    let page = concat!(
        include_str!("../../../../docs/agents.md"),
        include_str!("../../../../docs/agents-papers.md")
    );
    let known = built_in();
    for kind in &known.kinds {
        let mut names = kind.key_names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), kind.key_names().len(), "{}", kind.name);
    }
    for KeyHelp { key, example, help, takes, .. } in known.key_help() {
        assert!(!help.is_empty() && !takes.is_empty() && !example.is_empty(), "{key}");
        let is_there = |text: &str| text.contains(key);
        assert!(page.split('`').skip(1).step_by(2).any(is_there), "docs/agents.md: {key}");
    }
    let help = known.help();
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    for kind in &known.kinds {
        assert!(help.contains(&format!("\n{} ", kind.name)), "{}", kind.name);
    }
    assert!(help.contains("c=0.5  The exploration constant C"), "{help}");
    assert!(help.contains("by default 0.5. Can be evolved."), "{help}");
}

#[test]
fn what_repeats_itself_is_known_beforehand() {
    for (text, repeatable) in [
        ("reflex", true),
        ("minimax:depth=3,jump=5", true),
        ("random", true),
        ("pvs:nodes=100", true),
        ("pvs:time=100ms", false),
        ("iterative:clock=codingame", false),
        ("mcts:iterations=100", true),
        ("mcts:iterations=100,threads=2,parallel=tree", false),
        ("external:cmd=bot,protocol=theaigames", false),
    ] {
        assert_eq!(spec(text).kind.is_repeatable(), repeatable, "{text}");
    }
}

#[test]
fn placeholders_and_their_values_belong_together() {
    assert_refused(
        Uttt::INFO,
        "external:protocol=codingame,",
        r#"
        cmd="bot {corner}" => {corner} has no value; give one, as in numbers={ corner = 1 }
        cmd="bot {cornr}",numbers={ corner = 1 } => {cornr} has no value; did you mean {corner}?
        cmd=bot,numbers={ corner = 1 } => numbers: nothing uses corner: write {corner} in cmd
        cmd=bot,env={ A = "}" } => env: A: a } without a {
        cmd="bot {weights}" => {weights} is a file of weights and parameters, but there are none
        cmd=bot,weights=liang-simple => weights: nothing uses them: write {weights}
        cmd=bot,options={ Hash = 16 } => options: the protocol codingame has none
        env=x => env: expected a table of texts, as in { NAME = "text" }, found "x"
        env={ A = [1] } => env: expected a table of texts
        setup={ A = 1 } => setup: expected a list of lines
        setup=["a\nb"] => setup: expected a list of lines
        numbers={ a = "x" } => numbers: a: expected a finite number, found "x"
        numbers={ a = inf } => numbers: a: expected a finite number, found inf
        numbers=./none.toml => ./none.toml: cannot be read
        numbers={ a = 1 => a { or [ is not closed
        cmd='x => or cmd='...' where the command has double quotes
        "#,
    );
}

#[test]
fn a_program_is_started_with_the_values_of_its_candidate() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("n.toml"), "corner = 3.5\nedge = 2\nbook = false\n").unwrap();
    let text = "external:cmd='./bot --corner={corner} \"{edge} {book}\" {{}} {seed}',protocol=codingame,\
        env={ E = \"{edge}\" },setup=[\"book {book}\"],numbers=n.toml";
    let known = built_in();
    let scope = known.scope(Uttt::INFO, folder.path());
    let spec = AgentSpec::parse_in(text, scope).unwrap().complete(Uttt::INFO).unwrap();
    let printed = read(&spec.to_string(), Uttt::INFO).unwrap();
    assert_eq!(printed, spec, "files of numbers are in the text");
    // A value is one word, whatever it is, and stays on or off.
    let spec = spec.with_number("book", 1.0).unwrap().with_number("corner", -1e-9).unwrap();
    let settings: &ExternalSettings = spec.settings().unwrap();
    let ready = settings.ready().unwrap();
    let found = ready.invocation(u64::MAX);
    assert_eq!(found.words, ["./bot", "--corner=-1e-9", "2 true", "{}", "2147483647"]);
    assert_eq!(found.env["E"], "2");
    assert_eq!(found.setup, ["book true"]);
    assert_ne!(ready.invocation(0), found);
}

#[test]
fn weights_reach_a_program_in_files_or_slot_by_slot() {
    let text = "external:cmd=\"bot {weights} {weights.csv} {weights.toml} {micro_win} {n}\",protocol=codingame,\
        numbers={ n = 7 },eval=connecting,weights=liang-connecting";
    let spec = spec(text).complete(Uttt::INFO).unwrap();
    let settings: &ExternalSettings = spec.settings().unwrap();
    let ready = settings.ready().unwrap();
    let words = ready.invocation(1).words;
    let weights = spec.weights().unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&words[1]).unwrap()).unwrap();
    let csv = std::fs::read_to_string(&words[2]).unwrap();
    for (slot, value) in weights.layout().slots.iter().zip(weights.values()) {
        assert_eq!(json[slot.name].as_f64(), Some(*value));
        let line = csv.lines().find_map(|line| line.strip_prefix(&format!("{},", slot.name)));
        assert_eq!(line.unwrap().parse(), Ok(*value));
    }
    assert_eq!((json["n"].as_f64(), csv.lines().last()), (Some(7.0), Some("n,7")));
    let read = read_weights(Path::new(&words[3]), &[Uttt::INFO]).unwrap();
    assert_eq!(read.values(), weights.values());
    assert_eq!(words[4].parse(), Ok(json["micro_win"].as_f64().unwrap()));
    drop(ready);
    assert!(!Path::new(&words[1]).exists(), "files go with the program");
    let error = spec.with_number("micro_wn", 1.0);
    assert!(error.is_ok(), "a file holds numbers of any name");
}

/// Agents that look at every numeric key.
const AGENTS: [&str; 8] = [
    "mcts:tree=rave,expansion=heuristic,final=ratio,iterations=10",
    "mcts:tree=grave,expansion=heuristic,playout=ept,iterations=10",
    "mcts:playout=partial,iterations=10",
    "mcts:threads=2,parallel=tree,iterations=10",
    "expectimax:depth=2,win=1",
    "minimax:depth=2,jump=5,mix=liang-simple",
    "minimax:depth=2,theory=corners",
    "pvs:nodes=10",
];

#[test]
fn a_number_set_is_the_number_read_in_the_agent_and_in_its_text() {
    let mut seen = Vec::new();
    for agent in AGENTS.map(spec) {
        for key in agent.numeric_keys() {
            let value = match key.as_str() {
                "confidence" | "amaf_confidence" => 17.5,
                _ if agent.takes_whole(&key) => 7.0,
                _ => 0.1 + 0.2,
            };
            let Ok(changed) = agent.with_number(&key, value) else { continue };
            seen.push(key.clone());
            assert_eq!(changed.number(&key), Some(value), "{key} of {changed}");
            let text = changed.to_string();
            assert_eq!(spec(&text), changed, "{text}");
            let again = spec(&text.replace(&format!("{key}={value}"), &format!("{key}=1")));
            assert_ne!(again, changed, "{key} is not in {text}");
        }
    }
    let keys = built_in().key_help();
    let unseen = keys.iter().find(|key| key.evolves && !seen.iter().any(|seen| seen == key.key));
    assert!(unseen.is_none(), "{}", unseen.map_or("", |key| key.key));
}

#[test]
fn what_cannot_be_is_an_error_that_says_why() {
    for (agent, key, value, expected) in [
        ("mcts:", "cc", 1.0, "mcts: unknown numeric key \"cc\""),
        ("mcts:", "iterations", 1.0, "mcts: iterations cannot be evolved"),
        ("mcts:", "rave", 1.0, "it needs tree=rave"),
        ("mcts:", "c", -1.0, "c: expected a number of at least 0, found -1"),
        ("mcts:playout=ept,", "threshold", 1.5, "threshold: expected a whole number from 0"),
        ("expectimax:depth=1", "win", 0.0, "win: expected a number from 1e-9"),
        ("minimax:depth=1", "jump_step", 1.0, "it needs jump="),
        ("minimax:depth=1,mix=liang-simple", "mix_share", 2.0, "mix_share: expected a share"),
    ] {
        let limit = if agent.starts_with("mcts") { "iterations=9" } else { "" };
        let error = spec(&format!("{agent}{limit}")).with_number(key, value).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn every_agent_of_a_ladder_plays() {
    fn ladder<P: Game>(rules: &[&str]) {
        for rules in rules {
            let agents = AgentSpec::ladder(P::INFO, rules);
            assert!(agents.len() >= 10, "{agents:?}");
            for text in agents {
                let spec = read(&text, P::INFO).and_then(|spec| spec.complete(P::INFO)).unwrap();
                let rules = rules.parse().ok().unwrap();
                Agents::<P>::of::<BuiltInKinds>().prepare_for(&spec, rules).unwrap();
            }
        }
    }
    ladder::<Uttt>(&["", "no_line=most_boards"]);
    ladder::<Qubic>(&[""]);
}
