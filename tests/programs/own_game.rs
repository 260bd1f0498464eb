//! The examples. `examples/own_game`: every command works with a game that tictune does not know.

use std::path::Path;

use serde_json::Value;

use crate::common::{Folder, TICTUNE, assert_has, assert_same, edited, read, stderr, stdout};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own_game/connect-four.toml");

/// A folder for the binary of an example.
///
/// `cargo test` builds the examples along with the program. `cargo test --test programs` uses those that were built before.
fn example(name: &str) -> Folder {
    let path = Path::new(TICTUNE).parent().unwrap().join("examples").join(name);
    let built = path.with_extension(std::env::consts::EXE_EXTENSION).exists();
    assert!(built, "{name} is not built: cargo build --examples");
    let mut folder = Folder::new();
    folder.program = path;
    folder
}

/// The game of its own, and a config with fewer games.
pub(crate) fn own_game() -> Folder {
    let folder = example("own_game");
    let config = edited(
        &read(Path::new(CONFIG)),
        &[
            ("games = 40", "games = 12"),
            ("iterations=200", "iterations=20"),
            ("games = 100", "games = 20"),
            ("games = 200", "games = 20"),
            ("max_generations = 15", "max_generations = 4"),
            ("depths = [1, 2, 3, 4]", "depths = [1, 2]"),
        ],
    );
    folder.file("c.toml", &config);
    folder
}

#[test]
fn a_game_of_ones_own_has_every_command() {
    let folder = own_game();
    assert_has(&folder.said(&format!("evolve {CONFIG} --check")), &["game connect-four"]);
    assert_has(&folder.said("evolve c.toml --threads 2 --out run"), &["Validation of the"]);
    folder.said("evolve c.toml --threads 1 --out again");
    assert_same(&folder.path("run"), &folder.path("again"));

    let weights = folder.read("run/best.toml");
    assert_has(&weights, &["game = \"connect-four\"\nevaluation = \"lines\""]);
    let agent = "minimax:depth=2,weights=run/best.toml";
    let json = folder.json(&format!("match {agent} random --games 20 --json"));
    assert_eq!(json["game"], "connect-four");
    assert!(json["score"].as_f64().unwrap() > 0.8, "{json}");
    folder.said("compare run --games 20");
    let searches = "--depths 2 --iterative none --ept none --games 20";
    let table =
        folder.said(&format!("validate run/best.toml --opponents run/best.toml {searches}"));
    assert_has(&table, &["minimax:depth=2"]);
    let exported = folder.run("export run/best.toml --format c");
    assert_has(&stdout(&exported), &["three", "There is no function here"]);
    assert!(!stdout(&exported).contains("evaluate("), "{}", stdout(&exported));
    // No formulas: the file and standard error say what is missing.
    assert_has(&stderr(&exported), &["note: constants only. There is no function here"]);
    assert_eq!(stderr(&folder.run("export run/best.toml --format json")), "");
    folder.said("report run");
    // Nobody can have four discs before the seventh ply. The fifth disc does not fit into a column.
    assert_eq!(folder.said("perft --depth 5"), "1 5\n2 25\n3 125\n4 625\n5 3120\n");
    let table = folder.said(&format!("tournament random reflex {agent} --games 4"));
    assert_has(&table, &["minimax"]);
    // The ladder of a game without built-in weights is tree searches.
    let ladder = folder.json(&format!("ladder {agent} --games 2 --json"));
    let rows = ladder["agents"].as_array().unwrap();
    let kind = |row: &Value| row["name"].as_str().unwrap().split(':').next().unwrap().to_owned();
    let mut kinds: Vec<String> = rows.iter().map(kind).collect();
    assert_eq!(kinds.pop().as_deref(), Some("random"));
    kinds.sort();
    assert_eq!(kinds, ["mcts", "mcts", "mcts", "minimax"]);
    let played = folder.told("play --agent reflex", b"3\n3\n3\n3\n");
    assert_has(&stdout(&played), &["you have won"]);
}

#[test]
fn new_writes_a_crate_with_the_example() {
    let folder = Folder::new();
    assert_has(&folder.said("new --own-game my-game"), &["cd my-game\n  cargo test"]);
    assert_has(&folder.read("my-game/Cargo.toml"), &["tictune = { path = "]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_game");
    for (file, source) in [
        ("src/main.rs", "main.rs"),
        ("src/connect_four.rs", "connect_four.rs"),
        ("connect-four.toml", "connect-four.toml"),
    ] {
        assert_eq!(folder.read(&format!("my-game/{file}")), read(&example.join(source)));
    }
    folder.fails("new --own-game my-game", 2, "my-game: already exists");
    folder.fails("new mine.toml --own-game other", 2, "cannot be used with");
}

#[test]
fn other_games_are_unknown_to_it() {
    let folder = own_game();
    folder.fails("perft --game uttt --depth 1", 2, "unknown game \"uttt\"");
    folder.fails("bot --protocol codingame", 2, "do not play connect-four");
    let from = "play --from ...../...../...../.....";
    folder.fails(from, 2, "no notation that could be read");
    // It does not name what the program would refuse.
    assert_has(&folder.said("play"), &["left at ply 1; this game cannot be resumed"]);
    let help = folder.said("evolve --help") + &folder.said("--help") + &folder.said("list --help");
    assert_has(&help, &["own_game evolve mine.toml\n"]);
    assert!(!help.contains("quickstart") && !help.contains("qubic"), "{help}");
    // What it tells a person to type names this program.
    folder.said("evolve c.toml --out begun --max-generations 1");
    for file in ["mean.toml", "mean-agent.txt"] {
        std::fs::remove_file(folder.path("begun").join(file)).unwrap();
    }
    folder.fails("compare begun", 2, "continue it with: own_game evolve ");
}

#[test]
fn the_other_examples_run() {
    for (name, line, expected) in
        [("match", "", "200 different games"), ("evolve", "tiny.toml", "micro_win = ")]
    {
        let folder = example(name);
        folder.file("tiny.toml", include_str!("../configs/tiny.toml"));
        assert_has(&folder.said(line), &[expected]);
    }
    // An executor of one's own plays the same games.
    let said = example("own_executor").said("");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0] == lines[1], "{said}");
}

#[test]
fn a_kind_of_agent_of_ones_own_is_known_to_every_command() {
    let folder = example("own_agent");
    let games = |agent: &str, game: &str| {
        folder.json(&format!("match {agent} random --game {game} --games 20 --seed 1 --json"))
    };
    for game in ["uttt", "qubic", "chess"] {
        assert_eq!(games("opportunist", game)["agents"][0], "opportunist");
    }
    let [seen, missed] = ["opportunist", "opportunist:oversight=1"]
        .map(|agent| games(agent, "uttt")["plies"].clone());
    assert_ne!(seen, missed);
    let search = folder.json("match beam:depth=3,width=3 greedy --games 20 --seed 1 --json");
    assert_eq!(search["agents"][0], "beam:depth=3,width=3,eval=extended,weights=tictune-extended");
    assert!(search["wins"].as_u64() > search["losses"].as_u64(), "{search}");
    let help = "oversight=0.1  The chance that it does not see such a move";
    assert_has(&folder.said("match --help"), &[help]);
    folder.fails("match opportunist:oversigth=1 random", 2, "did you mean \"oversight\"?");
}
