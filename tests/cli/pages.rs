//! `tictune serve` as a program: its address, its bounds, and runs on its pages. `tictune report` of one run and of two.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{assert_fails, run, stdout_of, tictune};
use crate::hostile::{CONFIG, Folder};

/// The page, ended with the test.
struct Page {
    child: Child,
    /// As in `127.0.0.1:8017`.
    address: String,
}

impl Page {
    fn open(folder: &str) -> Self {
        let mut child = tictune(&["serve", folder, "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').into();
        Self { child, address }
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

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_run_has_its_page_and_no_other_file_has_one() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    stdout_of(&["evolve", &config, "--out", &folder.text("runs/one")]);
    folder.file("secret.toml", "do not show");
    let page = Page::open(&folder.text("runs"));
    assert!(page.address.starts_with("127.0.0.1:"), "{}", page.address);
    let list = page.get("/");
    assert!(list.starts_with("HTTP/1.1 200 OK\r\n") && list.contains(">one</a>"), "{list}");
    let id = list.split("/run/").nth(1).unwrap().split('"').next().unwrap();
    let shown = page.get(&format!("/run/{id}"));
    assert!(shown.contains("<svg") && shown.contains("finished"), "{shown}");
    let saved = page.get(&format!("/report/{id}"));
    assert!(saved.contains("attachment; filename=\"report.html\""), "{saved}");
    for path in ["/run/../secret.toml", "/run/%2e%2e%2fsecret.toml", "/secret.toml", "//etc/passwd"]
    {
        let answer = page.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
}

#[test]
fn a_run_of_a_program_says_how_to_play_against_it() {
    let folder = Folder::new();
    let program = format!(
        "{} bot --protocol codingame --agent random --seed {{S}}",
        env!("CARGO_BIN_EXE_tictune")
    );
    let config = format!(
        "name = \"of-a-program\"\n[rules]\nno_line = \"most_boards\"\n[cmaes]\npopulation = 4\nsigma = 0.3\n\
         [fitness]\ngames = 2\nopenings = \"none\"\n[agent]\nkind = \"external\"\ncmd = \"{program}\"\n\
         protocol = \"codingame\"\ntime = \"20s\"\n[[parameters]]\nkey = \"S\"\ninitial = 3\nlow = 0\nhigh = 9\n\
         whole = true\n[[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\nmax_generations = 1\n\
         [comparison]\ngames = 2\nopenings = \"none\"\n[validation]\ngames = 2\nopenings = [\"none\"]\n"
    );
    let config = folder.file("program.toml", &config);
    stdout_of(&["evolve", &config, "--out", &folder.text("runs/one")]);
    let page = Page::open(&folder.text("runs"));
    let list = page.get("/");
    let id = list.split("/run/").nth(1).unwrap().split('"').next().unwrap();
    let shown = page.get(&format!("/run/{id}"));
    assert!(!shown.contains("Play against it"), "{shown}");
    let command = "<code>tictune play --agent @";
    let (_, agent) = shown.split_once(command).unwrap();
    let rest = agent.split('<').next().unwrap();
    let rules = "--game uttt --rules drawn_board=nobody,no_line=most_boards";
    assert!(rest.ends_with(&format!("-agent.txt {rules}")), "{shown}");
    // Nor is there a game of the run to look at.
    let setup = page.get(&format!("/api/setup?run={id}"));
    assert!(setup.contains("\"vectors\":[]"), "{setup}");
}

#[test]
fn requests_have_bounds() {
    let folder = Folder::new();
    let page = Page::open(&folder.text(""));
    let host = format!("Host: {}", page.address);
    let long = format!("GET / HTTP/1.1\r\n{host}\r\nX: {}", "x".repeat(1 << 20));
    for (request, status) in [
        (long.as_str(), 431),
        ("\u{1}\u{2}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\n\r\n", 421),
        (
            &*format!("POST /api/position HTTP/1.1\r\n{host}\r\nContent-Length: 1000000\r\n\r\n"),
            413,
        ),
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
fn slow_clients_keep_nobody_from_an_answer() {
    let folder = Folder::new();
    let page = Page::open(&folder.text(""));
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(&page.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        slow.push(stream);
        if slow.len().is_multiple_of(25) {
            let answer = page.get("/");
            assert!(answer.starts_with("HTTP/1.1 200"), "{} slow: {answer}", slow.len());
        }
    }
}

#[test]
fn a_question_ends_when_its_asker_has_gone() {
    let folder = Folder::new();
    let page = Page::open(&folder.text(""));
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
fn folders_and_ports_that_are_not_there_are_named() {
    let folder = Folder::new();
    assert_fails(&run(&["serve", &folder.text("nothing")]), 2, "is no folder");
    let page = Page::open(&folder.text(""));
    let port = page.address.rsplit(':').next().unwrap();
    assert_fails(&run(&["serve", "--port", port]), 1, "--port N names another port");
}

#[test]
fn a_report_has_every_part_and_refers_to_nothing() {
    let folder = Folder::new();
    let config = CONFIG
        .replace("evaluation = \"simple\"", "evaluation = \"advanced\"")
        .replace("population = 4", "population = 12")
        .replace("max_generations = 2", "max_generations = 4")
        .replace("[comparison]", "[[stages]]\ndepth = 2\nmax_generations = 4\n[comparison]");
    let config = folder.file("tiny.toml", &config);
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let text = std::fs::read_to_string(folder.path("run/report.html")).unwrap();
    for part in [
        "<figcaption>Fitness ",
        "Standard deviations",
        "Distinct games",
        // Both stages are on one axis.
        ">depth 1</text>",
        ">depth 2</text>",
        "id=\"comparison\"",
        "<td class=\"h",
        "id=\"paths\"",
        "id=\"correlations\"",
        "liang-optimized",
        "class=\"squares w3\"",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(text.matches("chart small").count(), 8, "a path for each weight");
    for reference in ["src=", "href=", "<script", "url(", "{{", "{%"] {
        assert!(!text.contains(reference), "{reference}");
    }
    // Its charts are files, too, which refer to nothing either.
    let charts = folder.text("charts");
    stdout_of(&["report", &out, "--svg", &charts]);
    let chart = |name: &str| std::fs::read_to_string(format!("{charts}/{name}.svg")).unwrap();
    for text in [">Fitness</text>", ">points lost in ", ">depth 2</text>", ">mean vector</text>"] {
        assert!(chart("fitness").contains(text), "{text}");
    }
    let path = chart("path-macro_middle");
    assert!(
        path.contains(">mean of the distribution</text>") && path.contains(">generation</text>")
    );
    assert!(!path.contains("class=\"small\"") && !path.contains("href"), "{path}");
    assert_eq!(std::fs::read_dir(&charts).unwrap().count(), 5 + 8);
    stdout_of(&["report", &out, "--svg", &charts]);
    assert_eq!(path, chart("path-macro_middle"));
    // A run that is not finished has what it has so far.
    std::fs::remove_file(folder.path("run/comparison.json")).unwrap();
    for file in ["validation.csv", "validation.json", "best.toml", "mean.toml"] {
        std::fs::remove_file(folder.path("run").join(file)).unwrap();
    }
    stdout_of(&["report", &out]);
    let text = std::fs::read_to_string(folder.path("run/report.html")).unwrap();
    assert!(text.contains("mean so far") && !text.contains("id=\"validation\""));
}

#[test]
fn between_two_stages_half_of_the_generations_are_done() {
    let folder = Folder::new();
    let stages = "[[stages]]\ndepth = 2\nmax_generations = 2\n[comparison]";
    let config = folder.file("tiny.toml", &CONFIG.replace("[comparison]", stages));
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let manifest = std::fs::read_to_string(folder.path("run/manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["finished"] = false.into();
    manifest["stages"].as_array_mut().unwrap().truncate(1);
    folder.file("run/manifest.json", &manifest.to_string());
    std::fs::remove_dir_all(folder.path("run/stage-2-depth-2")).unwrap();
    stdout_of(&["report", &out]);
    let text = std::fs::read_to_string(folder.path("run/report.html")).unwrap();
    for part in [
        "<dd>stage 2 of 2, depth 2</dd>",
        "<dd>none yet</dd>",
        "value=\"50\"",
        // What was measured last is of the first stage.
        "best fitness",
        "<code>tictune runs</code> prints the command",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn two_runs_are_compared_in_one_file() {
    let folder = Folder::new();
    let out = folder.text("both.html");
    for (name, seed) in [("one", "1"), ("two", "2")] {
        let config = folder.file("tiny.toml", CONFIG);
        stdout_of(&["evolve", &config, "--out", &folder.text(name), "--seed", seed]);
    }
    let (one, two) = (folder.text("one"), folder.text("two"));
    stdout_of(&["report", &one, &two, "--out", &out]);
    let text = std::fs::read_to_string(&out).unwrap();
    for part in [
        "<code>seed</code>",
        // Their names are the same.
        "A: tiny, seed 1",
        "B: tiny, seed 2",
        "<figcaption>Axis ratio",
        "<figcaption>Standard deviation ",
        "<figcaption>Distinct games",
        "id=\"paths\"",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("<script") && !text.contains("http"), "{text}");
    let charts = folder.text("charts");
    stdout_of(&["report", &one, &two, "--svg", &charts]);
    let both = std::fs::read_to_string(folder.path("charts/axis-ratio.svg")).unwrap();
    assert!(both.contains(">B: tiny, seed 2</text>"), "{both}");
    std::fs::remove_dir_all(folder.path("two/stage-1-depth-1")).unwrap();
    assert_fails(&run(&["report", &two, "--svg", &charts]), 2, "has no charts yet");
    assert_fails(&run(&["report", &one, &folder.text("nothing")]), 2, "holds no run");
    // Their names and seeds are the same.
    stdout_of(&["report", &one, &one, "--out", &out]);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.contains("A: tiny in one") && text.contains("They do not."), "{text}");
}
