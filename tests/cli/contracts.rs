//! Contracts of matches and of figures, tested on the real binary.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::common::Folder;

const A: &str = "minimax:depth=2,weights=liang-comprehensive";
const B: &str = "minimax:depth=2,eval=advanced,weights=liang-optimized";

#[test]
fn match_json_holds_what_the_contract_names() {
    let folder = Folder::new();
    let report = folder.json(&format!("match {A} {B} --games 40 --json --seed 3"));
    let keys = "agents games wins draws losses timeouts errors score elo elo_low elo_high los p p_value \
                p_value_two_sided pairs distinct_games plies seconds by_agent nelo nelo_low nelo_high sprt";
    for key in keys.split_whitespace() {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 40);
    assert_eq!((count("games"), count("timeouts"), count("errors")), (40, 0, 0));
    assert_eq!(report["pairs"].as_array().unwrap().len(), 5);
    for side in report["by_agent"].as_array().unwrap() {
        assert!(side["moves"].as_u64().unwrap() > 0 && side["nodes"].as_u64().unwrap() > 0);
        assert!(side["search_seconds"].as_f64().unwrap() > 0.0);
    }
    let halves = folder.json(&format!("match {A} {B} --games 4 --json --schedule half-and-half"));
    assert_eq!(halves["pairs"], Value::Null);
    // A clean sweep has an open end.
    let swept = folder.json("match minimax:depth=3 reflex --games 10 --json");
    assert_eq!(swept["wins"], 10);
    assert_eq!((&swept["elo"], &swept["elo_high"]), (&Value::Null, &Value::Null));
    assert!(swept["elo_low"].as_f64().is_some());
}

#[test]
fn a_match_is_a_function_of_its_seed_whatever_the_threads() {
    for (game, a, b) in [
        ("uttt", A, B),
        ("uttt", "expectimax:depth=2,weights=lifshitz-heur3", "random"),
        (
            "uttt",
            "selective:depth=5,widths=papadam,order=lifshitz-heur3,weights=lifshitz-heur1",
            "random",
        ),
        (
            "uttt",
            "remembering:nodes=2000,replace=fifo,positions=500,weights=lifshitz-heur3",
            "random",
        ),
        ("uttt", "plain:nodes=2000,weights=lifshitz-heur3", "random"),
        ("qubic", "minimax:depth=2,weights=papadam-ef2", "minimax:depth=2,eval=ef1"),
        ("qubic", "iterative:nodes=2000,table=1", "minimax:depth=2,eval=ef1"),
        ("qubic", "mcts:iterations=200,playout=ept", "minimax:depth=2,eval=ef1"),
    ] {
        let of = |seed: u64, threads: u32| {
            let more = format!("--games 20 --json --seed {seed} --threads {threads}");
            Folder::new().json_without_times(&format!("match {a} {b} --game {game} {more}"))
        };
        let report = of(1, 1);
        assert_eq!(report, of(1, 3), "{a}");
        assert_ne!(report["by_agent"], of(2, 1)["by_agent"], "{a}");
        assert_eq!(report["game"], game);
        if b == "random" {
            assert!(report["score"].as_f64().unwrap() > 0.8, "{a} against random: {report}");
        }
    }
}

#[test]
fn a_sequential_test_stops_a_match() {
    let folder = Folder::new();
    let of = |threads: u32| {
        let test = "--sprt elo0=0,elo1=100,beta=0.1";
        folder.json(&format!("match {A} random {test} --json --threads {threads}"))
    };
    let report = of(1);
    let sprt = &report["sprt"];
    for key in ["elo0", "elo1", "alpha", "beta", "llr", "lower", "upper", "decision"] {
        assert!(sprt.get(key).is_some(), "{key} is missing");
    }
    assert_eq!((&sprt["decision"], &sprt["beta"]), (&"H1".into(), &0.1.into()));
    assert!(sprt["llr"].as_f64() >= sprt["upper"].as_f64());
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), count("games"));
    assert!(count("games") < 200);
    let three = of(3);
    assert_eq!((&three["games"], &three["sprt"]), (&report["games"], sprt));
    // What counts are the first games of the match.
    let whole = folder.json(&format!("match {A} random --games {} --json", count("games")));
    for key in ["wins", "losses", "pairs", "plies", "distinct_games"] {
        assert_eq!(report[key], whole[key], "{key}");
    }
    let open = folder.json("match random random --sprt elo0=-1,elo1=1 --games 20 --json");
    assert_eq!(open["sprt"]["decision"], Value::Null);
    // Two searches that always think alike play one game in each order, and nothing else ever.
    let [a, b] = [1, 2].map(|depth| format!("minimax:depth={depth},ties=first,weights=sista"));
    let alike = folder.json(&format!("match {a} {b} --openings none --sprt elo0=0,elo1=1 --json"));
    assert_eq!((&alike["games"], &alike["sprt"]["decision"]), (&202.into(), &Value::Null));
}

/// Each match is pinned by a digest of its games (`--games-csv`), which does not contain the number of searched positions. But the
/// games of agents limited by positions depend on it.
#[test]
fn every_pinned_match_is_played_as_ever() {
    let folder = Folder::new();
    let mut wrong = String::new();
    let pins = include_str!("../data/pinned.txt").lines().filter(|line| !line.starts_with('#'));
    for (expected, line) in pins.map(|line| line.split_once("  ").unwrap()) {
        folder.said(&format!("match {line} --json --games-csv games.csv"));
        let digest = Sha256::digest(folder.read("games.csv"));
        let found: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        if found != expected {
            wrong += &format!("{found}  {line}\n");
        }
    }
    assert!(wrong.is_empty(), "other games than ever:\n{wrong}");
}

#[test]
fn perft_and_bench_count_what_they_always_did() {
    let folder = Folder::new();
    let uttt = folder.said("perft --game uttt --depth 4");
    assert_eq!(uttt, "1 81\n2 720\n3 6336\n4 55080\n");
    assert_eq!(folder.said("perft --game qubic --depth 3"), "1 64\n2 4032\n3 249984\n");
    let report = folder.json("perft --depth 3 --json --rules no_line=most_boards");
    assert_eq!(report["counts"], serde_json::json!([81, 720, 6336]));
    // This covers search, evaluation, openings and seeds. If the total changes, behaviour has changed.
    let bench = folder.json("bench --json --repeat 1");
    assert_eq!((&bench["node_total"], &bench["repeats"]), (&2_901_534.into(), &1.into()));
    let suite = &bench["suites"][0];
    assert_eq!(suite["games_per_second_low"], suite["games_per_second_high"]);
}

#[test]
fn an_agent_in_a_file_is_read_with_what_lies_beside_it() {
    let folder = Folder::with("agents/good.txt", "minimax:depth=1,weights=w.toml\n");
    assert_eq!(folder.said("export liang-simple --format toml --out agents/w.toml"), "");
    folder.said("match @agents/good.txt random --games 2");
    let again = folder.said("export agents/w.toml --format toml");
    assert_eq!(again, folder.read("agents/w.toml"));
}
