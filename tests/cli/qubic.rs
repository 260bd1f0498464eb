//! Qubic on the real binary: every command accepts the game by name.

use tictune::Agents;
use tictune::arena::{Opening, play_game};
use tictune::game::{Game, NoRules, Position};
use tictune::games::qubic::{Qubic, QubicMove};

use crate::common::{assert_fails, json_without_times, run, stdout_of};

const A: &str = "minimax:depth=2,weights=papadam-ef2";
const B: &str = "minimax:depth=2,eval=ef1";

#[test]
fn perft_counts_qubic() {
    let text = stdout_of(&["perft", "--game", "qubic", "--depth", "3"]);
    assert_eq!(text, "1 64\n2 4032\n3 249984\n");
}

#[test]
fn matches_of_qubic_are_functions_of_their_seed_whatever_the_threads() {
    let of = |a: &str, threads: &str| {
        let args = ["match", a, B, "--game", "qubic", "--games", "40", "--json"];
        json_without_times(&[&args[..], &["--threads", threads]].concat())
    };
    for a in [A, "iterative:nodes=2000,table=1", "mcts:iterations=200,playout=ept", "greedy"] {
        assert_eq!(of(a, "1"), of(a, "3"), "{a}");
    }
    let report = of(A, "2");
    assert_eq!((&report["game"], &report["rules"]), (&"qubic".into(), &"".into()));
    // Papadam's Tables 2 and 3: EF2 is much stronger.
    assert!(report["score"].as_f64().unwrap() > 0.6, "{report}");
}

#[test]
fn what_does_not_go_with_qubic_is_refused_with_the_reason() {
    let of = |args: &[&str]| run(&[&args[..1], &["--game", "qubic"], &args[1..]].concat());
    for (args, expected) in [
        (
            &["match", A, "minimax:depth=2,weights=liang-default"][..],
            "are of the game uttt, not of qubic",
        ),
        (&["match", A, "minimax:depth=2,eval=advanced"], "Known: ef2, ef1, lines"),
        (&["match", A, "random", "--openings", "centre"], "qubic has no centre to begin with"),
        (&["match", A, "random", "--openings", "center"], "Known: none, random:K"),
        (&["match", A, "random", "--rules", "no_line=draw"], "rules of qubic have no variants"),
        (&["match", A, "external:cmd=x,protocol=codingame"], "codingame does not know qubic"),
        (&["bot", "--protocol", "theaigames"], "theaigames do not play qubic"),
        (&["validate", "liang-default"], "liang-default are of the game uttt, not of qubic"),
        (&["tournament", "random", "random", "--rules", "x=1"], "have no variants"),
    ] {
        assert_fails(&of(args), 2, expected);
    }
    for command in ["match", "tournament"] {
        let output = run(&[command, "random", "random", "--game", "qbic"]);
        assert_fails(
            &output,
            2,
            "unknown game \"qbic\"; did you mean \"qubic\"? Known: uttt, qubic, chess",
        );
    }
    assert_fails(&run(&["perft", "--game", "draughts", "--depth", "1"]), 2, "unknown game");
    assert_fails(
        &run(&["bot", "--game", "draughts", "--protocol", "codingame"]),
        2,
        "unknown game",
    );
    assert_fails(&run(&["validate", A, "--game", "draughts"]), 2, "unknown game");
    assert_fails(&run(&["validate", "papadam-ef1", "--game", "draughts"]), 2, "unknown game");
    assert_fails(
        &run(&["match", "random", "minimax:depth=1,weights=papadam-ef1"]),
        2,
        "not of uttt",
    );
}

const CONFIG: &str = "game = \"qubic\"\nevaluation = \"ef2\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n\
    initial = [2, 6]\n[fitness]\ngames = 8\n[[opponents]]\nagent = \"minimax:depth=1,eval=ef1\"\n\
    [[stages]]\ndepth = 1\nmax_generations = 2\n[comparison]\ngames = 10\n\
    [validation]\ngames = 10\ndepths = [1]\n";

#[test]
fn weights_of_qubic_are_evolved_compared_validated_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("tiny.toml"), CONFIG).unwrap();
    let (config, out) = (path("tiny.toml"), path("run"));
    let check = stdout_of(&["evolve", &config, "--check"]);
    assert!(check.contains("game qubic, seed 0"), "{check}");
    // The pool holds the published vectors of the game, one of which is the start, and there is no centre opening.
    assert!(
        check.contains(
            "validation: 2 rows of 10 games, from random:4:held-out\n  against initial, papadam-ef1: minimax of depth 1\n"
        ),
        "{check}"
    );
    let text = stdout_of(&["evolve", &config, "--out", &out]);
    assert!(text.contains("Best against mean") && text.contains("against papadam-ef1"), "{text}");
    let compared = json_without_times(&["compare", &out, "--games", "20", "--json"]);
    assert_eq!(compared["games"], 20);
    let best = path("run/best.toml");
    for weights in [&out, &best] {
        let rows = json_without_times(&[
            "validate",
            weights,
            "--games",
            "4",
            "--depths",
            "2",
            "--iterative",
            "nodes=300",
            "--ept",
            "iterations=30",
            "--json",
        ]);
        assert_eq!(rows["rows"].as_array().unwrap().len(), 5, "{rows}");
        assert_eq!(rows["rows"][2]["opponent"], "papadam-ef2", "{rows}");
    }
    let exported = stdout_of(&["export", &best, "--format", "rust"]);
    assert!(exported.contains("evaluation of qubic"), "{exported}");
    assert_eq!(run(&["report", &out]).status.code(), Some(0));
    // The game of the run counts, not the one in the option.
    assert_fails(
        &run(&["validate", &out, "--game", "uttt"]),
        2,
        "are of the game qubic, not of uttt",
    );
}

#[test]
fn what_is_wrong_in_a_config_of_qubic_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    for (old, new, expected) in [
        (
            "\"qubic\"",
            "\"qubics\"",
            "wrong.toml:1: game: unknown game \"qubics\"; did you mean \"qubic\"?",
        ),
        ("\"ef2\"", "\"advanced\"", "wrong.toml:2: evaluation: unknown evaluation"),
        ("[2, 6]", "\"liang-default\"", "are of the game uttt, not of qubic"),
        ("[cmaes]", "[rules]\nno_line = \"draw\"\n[cmaes]", "rules: qubic has no variants"),
        ("games = 8", "games = 8\nopenings = \"centre\"", "openings centre: qubic has no centre"),
    ] {
        let text = CONFIG.replacen(old, new, 1);
        assert_ne!(text, CONFIG, "{old} is not in the config");
        std::fs::write(&path, text).unwrap();
        assert_fails(&run(&["evolve", path.to_str().unwrap(), "--check"]), 2, expected);
    }
}

#[test]
fn tournaments_of_qubic_are_configs_and_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let config = "game = \"qubic\"\ngames = 4\n[[agents]]\nagent = \"greedy\"\n[[agents]]\nagent = \"random\"\n";
    std::fs::write(path("t.toml"), config).unwrap();
    let (file, out) = (path("t.toml"), path("out"));
    let of_config = json_without_times(&["tournament", &file, "--out", &out, "--json"]);
    assert_eq!(of_config["game"], "qubic");
    let of_list = json_without_times(&[
        "tournament",
        "greedy",
        "random",
        "--game",
        "qubic",
        "--games",
        "4",
        "--json",
    ]);
    assert_eq!(of_list["pairings"], of_config["pairings"]);
    // Games in the log are found again.
    let again = run(&["tournament", &file, "--out", &out]);
    assert!(crate::common::stderr(&again).contains("4 of 4 games are played already"));
    assert_fails(&run(&["tournament", &file, "--game", "uttt"]), 2, "a config names its own game");
}

/// The first moves of games in which the first player follows an opening theory and the second does
/// not.
fn first_moves(theory: &str, games: u64) -> Vec<Vec<QubicMove>> {
    let (agents, folder) = (Agents::<Qubic>::default(), std::path::Path::new(""));
    let prepare =
        |text: &str| agents.parse(text, folder).and_then(|spec| agents.prepare(&spec)).unwrap();
    let (a, b) = (prepare(&format!("greedy:{theory}")), prepare("greedy:theory=corners"));
    let play = |seed| {
        let opening = Opening { start: Qubic::start(NoRules), moves: Vec::new() };
        play_game(&opening, &mut [a.spawn(seed), b.spawn(seed)]).moves
    };
    (0..games).map(play).collect()
}

#[test]
fn theory_is_played_while_the_game_is_young_and_its_cells_are_free() {
    let set = |name: &str| Qubic::opening_sets().iter().find(|set| set.name == name).unwrap().moves;
    let (inner, corners) = (set("inner"), set("corners"));
    let games = first_moves("theory=inner", 200);
    let mut begun = std::collections::BTreeSet::new();
    for game in &games {
        begun.insert(game[0]);
        // The first player moves after 0, 2 and 4 moves, the second after 1 and 3.
        assert!([game[0], game[2], game[4]].iter().all(|mv| inner.contains(mv)), "{game:?}");
        assert!([game[1], game[3]].iter().all(|mv| corners.contains(mv)), "{game:?}");
    }
    assert_eq!(begun.len(), 8, "every cell of the set comes up in 200 games");
    assert_eq!(games, first_moves("theory=inner", 200), "a function of the seed");
    let for_one_move = first_moves("theory=inner,theory_plies=0", 200);
    assert!(for_one_move.iter().all(|game| inner.contains(&game[0])));
    assert!(for_one_move.iter().any(|game| !inner.contains(&game[2])));
    // The theory lasts for more plies than it has cells; then the agent searches.
    let long = first_moves("theory=corners,theory_plies=64", 50);
    assert!(long.iter().all(|game| game.len() >= 7));
}
