//! Tournaments on the real binary: their tables, and games that were played under an earlier config. What is torn or killed is
//! in `interruptions.rs`.

use serde_json::Value;

use crate::common::{Folder, assert_has, assert_same, parsed, stderr, without_times_in};

const SMALL: &str = include_str!("../configs/tournament.toml");

#[test]
fn games_are_reused_by_what_they_are() {
    let folder = Folder::with("t.toml", SMALL);
    // What is said, and the tables.
    let play = |out: &str| {
        let output = folder.run(&format!("tournament t.toml --out {out} --json"));
        let report = parsed(&output);
        (stderr(&output), without_times_in(report))
    };
    let (_, before) = play("out");
    // Another agent and more games: the games that exist are not played again.
    let more = "[[agents]]\nagent = \"random\"\nname = \"dice\"\n";
    let larger = SMALL.replace("games = 20", "games = 30") + more;
    folder.file("t.toml", &larger);
    let log = folder.lines("out/games.csv");
    let (said, after) = play("out");
    assert_has(&said, &["120 of 300 games are already played"]);
    assert_eq!(after["agents"].as_array().unwrap().len(), 5);
    let longer = folder.lines("out/games.csv");
    assert!(log.iter().all(|row| longer.contains(row)), "with their times");
    play("fresh");
    assert_same(&folder.path("out"), &folder.path("fresh"));
    // Back to the smaller config: the other games stay in the log and do not count.
    folder.file("t.toml", SMALL);
    let (said, again) = play("out");
    assert_has(
        &said,
        &["120 of 120 games are already played", "180 logged games belong to other tournaments"],
    );
    assert_eq!(again, before);
    folder.file("t.toml", &larger);
    assert_has(&play("out").0, &["300 of 300 games"]);
    assert_same(&folder.path("out"), &folder.path("fresh"));
    // The distinct games of an agent are those of its pairings.
    for agent in after["agents"].as_array().unwrap() {
        let pairings = after["pairings"].as_array().unwrap().iter();
        let theirs = pairings.filter(|row| [&row["a"], &row["b"]].contains(&&agent["name"]));
        let sum: u64 = theirs.map(|row| row["distinct_games"].as_u64().unwrap()).sum();
        assert_eq!(agent["distinct_games"].as_u64(), Some(sum));
        assert!(sum > 0 && sum <= agent["games"].as_u64().unwrap());
    }
}

#[test]
fn json_holds_table_cross_table_and_pairings() {
    let folder = Folder::new();
    let report = folder.json("tournament minimax:depth=2 greedy random --games 20 --json");
    let has = |row: &Value, keys: &str| {
        for key in keys.split_whitespace() {
            assert!(row.get(key).is_some(), "{key} is missing");
        }
    };
    has(&report, "name game rules format schedule openings seed games agents cross pairings");
    let agents = report["agents"].as_array().unwrap();
    for (agent, rank) in agents.iter().zip(1..) {
        has(
            agent,
            "rank name agent games wins draws losses score elo elo_low elo_high standing moves \
             ms_per_move nodes_per_move iterations_per_move timeouts errors",
        );
        assert_eq!((&agent["rank"], &agent["games"]), (&Value::from(rank), &Value::from(40)));
    }
    assert_eq!(agents[2]["name"], "random");
    let cross = &report["cross"];
    assert_eq!(cross[0][0], Value::Null);
    let (one, other) = (cross[0][2].as_f64().unwrap(), cross[2][0].as_f64().unwrap());
    assert!((one + other - 1.0).abs() < 1e-12 && one > 0.8);
    // A pairing equals the match between its agents.
    let alone = folder.json_without_times("match minimax:depth=2 greedy --games 20 --json");
    for key in ["wins", "draws", "losses", "pairs", "elo", "elo_low", "distinct_games", "plies"] {
        assert_eq!(report["pairings"][0][key], alone[key], "{key}");
    }
    // Amar's table: every ordered pair, with drawn games played again. A gauntlet: one agent against all others.
    let ordered = "score in % of the row, moving first, against the column";
    for (more, games, pairings, said) in [
        ("--schedule first --replay-ties --games 5", 30, 6, ordered),
        ("--format gauntlet --games 4", 8, 2, "8 games in 2 pairings of 4"),
    ] {
        let line = format!("tournament greedy random reflex {more}");
        let report = folder.json(&format!("{line} --json"));
        let found = report["pairings"].as_array().unwrap().len();
        assert_eq!((&report["games"], found), (&games.into(), pairings));
        assert_has(&folder.said(&line), &[said]);
    }
    // Repeated games of a pairing are warned of.
    let line = "tournament reflex reflex:seed=1 random --openings none --games 20";
    let said = stderr(&folder.run(line));
    assert_has(&said, &["reflex against reflex:seed=1: warning: only 1 of 20"]);
    assert!(!said.contains("random: warning"), "{said}");
}

#[test]
fn a_program_that_does_not_start_ends_the_tournament_without_a_game() {
    let folder = Folder::new();
    let program = "external:cmd=/no/such/program,protocol=theaigames";
    let line = format!("tournament random reflex {program} --games 4 --out out");
    let said = folder.fails(&line, 1, "the program could not be started");
    assert_has(&said, &["fix this, then run: tictune tournament"]);
    // Games played before the failure are kept.
    let log = folder.read("out/games.csv");
    assert!(!log.contains("could not be started"), "{log}");
}
