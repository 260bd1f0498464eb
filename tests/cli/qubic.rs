//! Qubic on the real binary: every command accepts the game by name. Its opening theory.

use tictune::Agents;
use tictune::arena::{Opening, play_game};
use tictune::game::{Game, NoRules, Position};
use tictune::games::qubic::{Qubic, QubicMove};

use crate::common::{Folder, assert_has};

#[test]
fn weights_of_qubic_are_evolved_compared_validated_and_exported() {
    let folder = Folder::with("tiny.toml", include_str!("../configs/qubic.toml"));
    let text = folder.said("evolve tiny.toml --out run");
    assert_has(&text, &["Best against mean", "against papadam-ef1"]);
    assert_eq!(folder.json("compare run --games 20 --json")["games"], 20);
    for weights in ["run", "run/best.toml"] {
        let searches = "--depths 2 --iterative nodes=300 --ept iterations=30";
        let report = folder.json(&format!("validate {weights} --games 4 {searches} --json"));
        let rows = report["rows"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[2]["opponent"]), (5, &"papadam-ef2".into()), "{report}");
    }
    let exported = folder.said("export run/best.toml --format rust");
    assert_has(&exported, &["evaluation of qubic"]);
    folder.said("report run");
    // The game of the run counts, not the one in the option.
    folder.fails("validate run --game uttt", 2, "are for the game qubic, not for uttt");
    // Papadam's Tables 2 and 3: EF2 is much stronger.
    let agents = "minimax:depth=2,weights=papadam-ef2 minimax:depth=2,eval=ef1";
    let report = folder.json(&format!("match {agents} --game qubic --games 40 --json"));
    assert_eq!((&report["game"], &report["rules"]), (&"qubic".into(), &"".into()));
    assert!(report["score"].as_f64().unwrap() > 0.6, "{report}");
}

#[test]
fn tournaments_of_qubic_are_configs_and_lists() {
    let config = "game = \"qubic\"\ngames = 4\n[[agents]]\nagent = \"greedy\"\n[[agents]]\nagent = \"random\"\n";
    let folder = Folder::with("t.toml", config);
    let of_config = folder.json("tournament t.toml --json");
    assert_eq!(of_config["game"], "qubic");
    let of_list = folder.json("tournament greedy random --game qubic --games 4 --json");
    assert_eq!(of_list["pairings"], of_config["pairings"]);
}

/// The moves of games in which the first player follows an opening theory, and the second another.
fn games(theory: &str, games: u64) -> Vec<Vec<QubicMove>> {
    let agents = Agents::<Qubic>::default();
    let prepare = |text: &str| agents.prepare(&agents.parse(text, "".as_ref()).unwrap()).unwrap();
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
    let followed = games("theory=inner", 200);
    let mut begun = std::collections::BTreeSet::new();
    for game in &followed {
        begun.insert(game[0]);
        // The first player moves after 0, 2 and 4 moves, the second after 1 and 3.
        assert!([game[0], game[2], game[4]].iter().all(|mv| inner.contains(mv)), "{game:?}");
        assert!([game[1], game[3]].iter().all(|mv| corners.contains(mv)), "{game:?}");
    }
    assert_eq!(begun.len(), 8, "every cell of the set comes up in 200 games");
    assert_eq!(followed, games("theory=inner", 200), "a function of the seed");
    let for_one_move = games("theory=inner,theory_plies=0", 200);
    assert!(for_one_move.iter().all(|game| inner.contains(&game[0])));
    assert!(for_one_move.iter().any(|game| !inner.contains(&game[2])));
    // The theory lasts for more plies than it has cells; then the agent searches.
    let long = games("theory=corners,theory_plies=64", 50);
    assert!(long.iter().all(|game| game.len() >= 7));
}
