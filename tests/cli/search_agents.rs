//! Searches as agents of `tictune match`. Options that do not change values must not change games.

use serde_json::Value;

use crate::common::stdout_of;

fn play(a: &str, b: &str, games: &str, threads: &str) -> Value {
    let args = ["match", a, b, "--games", games, "--seed", "5", "--threads", threads, "--json"];
    serde_json::from_str(&stdout_of(&args)).unwrap()
}

/// The results of the games, and the nodes of A.
fn games_and_nodes(a: &str) -> ([Value; 5], u64) {
    let report = play(a, "greedy:weights=lifshitz-heur1", "20", "2");
    let keys = ["wins", "draws", "losses", "plies", "distinct_games"];
    let nodes = report["by_agent"][0]["nodes"].as_u64().unwrap();
    (keys.map(|key| report[key].clone()), nodes)
}

#[test]
fn games_do_not_depend_on_pruning_or_memory() {
    let weights = "weights=lifshitz-heur3";
    let (expected, nodes) = games_and_nodes(&format!("minimax:depth=3,{weights}"));
    let (games, more) = games_and_nodes(&format!("plain:depth=3,{weights}"));
    assert_eq!(games, expected);
    assert!(more > 2 * nodes, "{more} nodes, {nodes} with pruning");
    let (games, visited) = games_and_nodes(&format!("minimax:depth=3,prune=stepwise,{weights}"));
    assert_eq!(games, expected);
    assert!(visited > 2 * nodes && visited < more, "{visited} nodes, {nodes} with look-ahead");
    let (games, sorted) =
        games_and_nodes(&format!("selective:depth=3,order=liang-default,widths=all,{weights}"));
    assert_eq!(games, expected);
    assert_ne!(sorted, nodes);

    // Deepening stops before a depth at which it is lost, so it plays lost positions differently.
    let deepening = format!("iterative:nodes=1000000000,depth=4,{weights}");
    let (expected, nodes) = games_and_nodes(&deepening);
    let stepwise = format!("iterative:time=60s,depth=4,prune=stepwise,{weights}");
    assert_eq!(games_and_nodes(&stepwise), (expected.clone(), nodes), "no limit that matters");
    let limit = format!("nodes=1000000000,depth=4,{weights}");
    for text in [
        "plain:",
        "plain:alpha_beta=true,",
        "remembering:positions=300,",
        "remembering:replace=fifo,",
        "remembering:replace=fifo,symmetry=true,",
        "remembering:replace=fifo,positions=50,hash=zobrist,",
    ] {
        let (games, others) = games_and_nodes(&format!("{text}{limit}"));
        assert_eq!(games, expected, "{text}");
        assert_ne!(others, nodes, "{text}");
    }
}

#[test]
fn every_search_plays_the_same_games_on_any_number_of_threads() {
    for agent in [
        "expectimax:depth=2,weights=lifshitz-heur3",
        "selective:depth=5,widths=papadam,order=lifshitz-heur3,weights=lifshitz-heur1",
        "remembering:nodes=2000,replace=fifo,positions=500,weights=lifshitz-heur3",
        "plain:nodes=2000,weights=lifshitz-heur3",
    ] {
        let of = |threads| {
            let mut report = play(agent, "random", "20", threads);
            report["seconds"].take();
            for side in report["by_agent"].as_array_mut().unwrap() {
                side["search_seconds"].take();
                side["slowest_seconds"].take();
            }
            report
        };
        let report = of("1");
        assert_eq!(report, of("3"), "{agent}");
        assert!(report["score"].as_f64().unwrap() > 0.8, "{agent} against random: {report}");
    }
}
