//! `tictune serve` as a program: its address, its bounds, and runs on its pages. `tictune report` of one run and of two.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Folder, Killed, assert_has, edited, read_json};
use crate::own_game::own_game;

const TINY: &str = include_str!("../configs/tiny.toml");

/// The page, ended with the test.
struct Page {
    _child: Killed,
    /// As in `127.0.0.1:8017`.
    address: String,
}

impl Page {
    fn open(folder: &Folder, runs: &str) -> Self {
        let mut command = folder.command(&format!("serve {runs} --port 0"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').into();
        Self { _child: Killed(child), address }
    }

    /// Sends bytes and returns all that comes back.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // The other side may have closed before all was sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())
    }
}

/// The id of the only run that a page lists.
fn id_of_run(list: &str) -> &str {
    list.split("/run/").nth(1).unwrap().split('"').next().unwrap()
}

#[test]
fn a_run_has_its_page_and_no_other_file_has_one() {
    let folder = Folder::with("tiny.toml", TINY);
    folder.said("evolve tiny.toml --out runs/one");
    folder.file("secret.toml", "do not show");
    let page = Page::open(&folder, "runs");
    assert!(page.address.starts_with("127.0.0.1:"), "{}", page.address);
    let list = page.get("/");
    assert!(list.starts_with("HTTP/1.1 200 ") && list.contains(">one</a>"), "{list}");
    let id = id_of_run(&list);
    assert_has(&page.get(&format!("/run/{id}")), &["<svg", "finished", "download=\"report.html\""]);
    let saved =
        ["HTTP/1.1 200 ", "Content-Disposition: attachment; filename=\"report.html\"", "<svg"];
    assert_has(&page.get(&format!("/report/{id}")), &saved);
    for path in ["/run/../secret.toml", "/run/%2e%2e%2fsecret.toml", "/secret.toml", "//etc/passwd"]
    {
        let answer = page.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
    let port = page.address.rsplit(':').next().unwrap();
    folder.fails(&format!("serve --port {port} runs"), 1, "choose another port with --port N");
}

#[test]
fn a_run_of_a_program_says_how_to_play_against_it() {
    let folder = Folder::with("pick.sh", include_str!("../configs/pick.sh"));
    let config = include_str!("../configs/program.toml").replace("\"other.toml\"", "{ place = 4 }");
    let rules = "seed = 3\nrules = { no_line = \"most_boards\" }";
    folder.file("program.toml", &edited(&config, &[("seed = 3", rules)]));
    folder.said("evolve program.toml --out runs/one");
    let page = Page::open(&folder, "runs");
    let list = page.get("/");
    let id = id_of_run(&list);
    let shown = page.get(&format!("/run/{id}"));
    assert!(!shown.contains("Play against it"), "{shown}");
    let (_, agent) = shown.split_once("<code>tictune play --agent @").unwrap();
    let rest = agent.split('<').next().unwrap();
    let rules = "--game uttt --rules drawn_board=nobody,no_line=most_boards";
    assert!(rest.ends_with(&format!("-agent.txt {rules}")), "{shown}");
    // Nor is there a game of the run to look at.
    assert_has(&page.get(&format!("/api/setup?run={id}")), &["\"vectors\":[]"]);
}

#[test]
fn a_game_without_built_in_weights_has_opponents_that_can_play() {
    let folder = own_game();
    let setup = Page::open(&folder, "").get("/api/setup");
    assert_has(&setup, &["\"built_in\":false", "mcts:iterations=2000"]);
    assert!(!setup.contains("minimax"), "{setup}");
    folder.said("evolve c.toml --out runs/one --max-generations 1");
    let setup = Page::open(&folder, "").get("/api/setup");
    assert_has(&setup, &["minimax:depth=4", "best of one"]);
}

#[test]
fn requests_have_bounds() {
    let folder = Folder::new();
    let page = Page::open(&folder, ".");
    let host = format!("Host: {}", page.address);
    let long = format!("GET / HTTP/1.1\r\n{host}\r\nX: {}", "x".repeat(1 << 20));
    for (request, status) in [
        (long.as_str(), 431),
        ("\u{1}\u{2}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\n\r\n", 421),
        (&*format!("POST /api/game HTTP/1.1\r\n{host}\r\nContent-Length: 1000000\r\n\r\n"), 413),
        (&*format!("GET / HTTP/1.1\r\n{host}\r\nTransfer-Encoding: chunked\r\n\r\n"), 501),
    ] {
        let answer = page.send(request.as_bytes());
        // A long request may be cut before its answer is read.
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected) || status == 431 && answer.is_empty(), "{answer}");
    }
    assert!(page.get("/").starts_with("HTTP/1.1 200"), "it goes on answering");
}

#[test]
fn a_question_ends_when_its_asker_has_gone() {
    let folder = Folder::new();
    let page = Page::open(&folder, ".");
    let question = |agent: &str| {
        let body = format!(r#"{{"game":"uttt","moves":["4,4"],"ask":"move","agent":"{agent}"}}"#);
        let Page { address, .. } = &page;
        format!(
            "POST /api/position HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let quick = || page.send(question("greedy").as_bytes());
    // As many as may search at once, and those that came while another question was answered.
    let mut askers = Vec::new();
    while !quick().starts_with("HTTP/1.1 503 ") {
        assert!(askers.len() < 20, "no two searches go on");
        let mut stream = TcpStream::connect(&page.address).unwrap();
        stream.write_all(question("iterative:time=10s").as_bytes()).unwrap();
        askers.push(stream);
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(askers);
    let gone = Instant::now();
    while !quick().starts_with("HTTP/1.1 200 ") {
        assert!(gone.elapsed() < Duration::from_secs(3), "the searches go on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_report_has_every_part_and_refers_to_nothing() {
    let folder = Folder::with("tiny.toml", include_str!("../configs/stages.toml"));
    folder.said("evolve tiny.toml --out run");
    let text = folder.read("run/report.html");
    assert_has(
        &text,
        &[
            "<figcaption>Fitness ",
            "Standard deviations",
            // No game repeats another.
            "<p>All games of each candidate are distinct.</p>",
            // Both stages are on one axis.
            ">depth 1</text>",
            ">depth 2</text>",
            "id=\"comparison\"",
            "<td class=\"h",
            "id=\"paths\"",
            "id=\"correlations\"",
            "<figcaption>Principal axes ",
            "id=\"directions\"",
            "liang-optimized",
            "class=\"squares w3\"",
        ],
    );
    assert_eq!(text.matches("chart small").count(), 8, "a path for each weight");
    for reference in ["src=", "href=", "url(", "{{", "{%"] {
        assert!(!text.contains(reference), "{reference}");
    }
    // Its charts are files, too, which refer to nothing either.
    folder.said("report run --svg charts");
    let fitness = folder.read("charts/fitness.svg");
    assert_has(
        &fitness,
        &[">Fitness</text>", ">points lost in ", ">depth 2</text>", ">mean vector</text>"],
    );
    let path = folder.read("charts/path-macro_middle.svg");
    assert_has(&path, &[">mean of the distribution</text>", ">generation</text>"]);
    assert!(!path.contains("class=\"small\"") && !path.contains("href"), "{path}");
    assert_eq!(std::fs::read_dir(folder.path("charts")).unwrap().count(), 5 + 8);
    folder.said("report run --svg charts");
    assert_eq!(path, folder.read("charts/path-macro_middle.svg"));
    // A run that is not finished has what it has so far.
    for file in ["comparison.json", "validation.csv", "validation.json", "best.toml", "mean.toml"] {
        std::fs::remove_file(folder.path("run").join(file)).unwrap();
    }
    folder.said("report run");
    let text = folder.read("run/report.html");
    assert!(text.contains("mean so far") && !text.contains("id=\"validation\""));
    // Between two stages half of the generations are done, and what was measured last is of the first.
    let path = folder.path("run/manifest.json");
    let mut manifest = read_json(&path);
    manifest["finished"] = false.into();
    manifest["stages"].as_array_mut().unwrap().truncate(1);
    std::fs::write(path, manifest.to_string()).unwrap();
    std::fs::remove_dir_all(folder.path("run/stage-2-depth-2")).unwrap();
    folder.said("report run");
    assert_has(
        &folder.read("run/report.html"),
        &[
            "<dd>stage 2 of 2, depth 2</dd>",
            "<dd>none yet</dd>",
            "value=\"50\"",
            "best fitness",
            "<code>tictune runs</code> prints the command",
        ],
    );
}

#[test]
fn the_axis_of_games_ends_at_the_games_of_the_plan() {
    let folder = Folder::with("c.toml", include_str!("../configs/budget.toml"));
    let checked = folder.said("evolve c.toml --check");
    let of_stages = checked.split(" games (with those of the mean vector)");
    let last = |text: &str| text.rsplit(' ').next().unwrap().replace(',', "").parse::<f64>();
    let games: f64 = of_stages.filter_map(|text| last(text).ok()).sum();
    folder.said("evolve c.toml --out runs/budget");
    let page = Page::open(&folder, "runs").get("/run/budget?x=games");
    assert!(page.contains("<figcaption>Won so far") && !page.contains("Fitness"), "{page}");
    let axes = page.split("data-axes=\"").nth(1).unwrap().split(',').nth(3);
    assert_eq!(axes.unwrap(), format!("{games:?}"));
}

#[test]
fn runs_are_compared_in_one_file() {
    let folder = Folder::with("tiny.toml", TINY);
    for (name, seed) in [("one", "1"), ("two", "2")] {
        folder.said(&format!("evolve tiny.toml --out {name} --seed {seed}"));
    }
    folder.said("report one two --out both.html");
    let text = folder.read("both.html");
    assert_has(
        &text,
        &[
            "<code>seed</code>",
            // Their names are the same.
            "A: one",
            "B: two",
            "<figcaption>Axis ratio",
            "<figcaption>Standard deviation ",
            "id=\"paths\"",
        ],
    );
    assert!(!text.contains("src=") && !text.contains("href="), "{text}");
    // What is all distinct is a sentence, and no chart.
    assert_has(&text, &["All games of each candidate are distinct"]);
    folder.said("report one two --svg charts");
    assert_has(&folder.read("charts/axis-ratio.svg"), &[">B: two</text>"]);
    std::fs::remove_dir_all(folder.path("two/stage-1-depth-1")).unwrap();
    folder.fails("report two --svg charts", 2, "has no charts yet");
    folder.fails("report one nothing", 2, "is not a run");
    // Folders of one name are told apart by those above.
    folder.said("evolve tiny.toml --out more/one --seed 3");
    folder.said("report one more/one two --out all.html");
    assert_has(&folder.read("all.html"), &["B: more&#x2f;one</h2>", "C: ", ">C</th>"]);
    folder.said("report one one --out both.html");
    assert_has(&folder.read("both.html"), &["A: one", "They do not."]);
}
