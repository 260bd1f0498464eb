//! Tests of the page: what it answers, and to whom.

use std::sync::LazyLock;

use super::*;
use crate::registry::Registry;

const ADDRESS: &str = "127.0.0.1:8017";

pub(super) fn site(folders: &[PathBuf]) -> Site<'static> {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(tictune_built_in::registry);
    Site::new(&REGISTRY, "tictune".into(), folders, Vec::new(), ADDRESS.parse().unwrap())
}

fn get(path: &str) -> HttpRequest {
    let text = format!("GET {path} HTTP/1.1\r\nHost: {ADDRESS}\r\n\r\n");
    http::read_request(&mut text.as_bytes()).unwrap()
}

fn post(path: &str, body: &str) -> HttpRequest {
    let mut request = HttpRequest { method: "POST".into(), body: body.into(), ..get(path) };
    request.headers.push(("content-type".into(), "application/json".into()));
    request
}

fn text(response: &Response) -> String {
    String::from_utf8(response.body.clone()).unwrap()
}

#[test]
fn hosts_of_others_are_not_ours() {
    for (address, ours, others) in [
        (
            ADDRESS,
            &["127.0.0.1:8017", "localhost:8017", "LOCALHOST:8017"][..],
            &["", "127.0.0.1", "127.0.0.1:80", "evil.example:8017", "10.0.0.1:8017"][..],
        ),
        (ADDRESS, &[], &["localhost.evil.example:8017"]),
        ("[::1]:8017", &["[::1]:8017"], &["127.0.0.1:8017"]),
        ("0.0.0.0:8017", &["10.0.0.1:8017"], &["evil.example:8017"]),
        ("10.0.0.1:8017", &[], &["localhost:8017"]),
        // Browsers leave out the port 80.
        ("127.0.0.1:80", &["127.0.0.1", "localhost"], &["evil.example"]),
        ("[::1]:80", &["[::1]"], &[]),
    ] {
        let address = address.parse().unwrap();
        assert!(ours.iter().all(|host| is_ours(host, address)), "{ours:?}");
        assert!(!others.iter().any(|host| is_ours(host, address)), "{others:?}");
    }
}

#[test]
fn pages_are_there_and_nothing_else_is() {
    let site = site(&[]);
    for (path, status, expected) in [
        ("/", 200, "No run yet"),
        ("/play", 200, "New game"),
        ("/style.css", 200, ".square"),
        ("/script.js", 200, "use strict"),
        ("/part/runs", 200, "No run yet"),
        ("/api/setup", 200, "liang-default"),
        // The levels of `tictune play`, by the same names.
        ("/api/setup", 200, "\"beginner\""),
        ("/api/setup", 200, "\"hard: 50ms per move\""),
        ("/run/0123456789ab", 404, "no such run"),
        ("/run/../../etc/passwd", 404, "no such run"),
        ("/compare?run=a&run=b", 404, "Choose two or more runs"),
        ("/nothing", 404, "no such page"),
    ] {
        let response = site.respond(&get(path), None);
        assert_eq!(response.status, status, "{path}");
        assert!(text(&response).contains(expected), "{path}: {}", text(&response));
    }
    let head = HttpRequest { method: "HEAD".into(), ..get("/play") };
    assert_eq!(site.respond(&head, None).status, 200);
    let put = HttpRequest { method: "PUT".into(), ..get("/") };
    assert_eq!(site.respond(&put, None).status, 405);
}

#[test]
fn what_other_pages_send_is_refused() {
    let site = site(&[]);
    let question = r#"{"game":"uttt","moves":["4,4"],"ask":"position"}"#;
    let sent = |name: &str, value: &str| {
        let mut request = post("/api/position", question);
        request.headers.retain(|(found, _)| found != name);
        request.headers.push((name.into(), value.into()));
        site.respond(&request, None).status
    };
    assert_eq!(sent("accept", "*/*"), 200);
    assert_eq!(sent("origin", &format!("http://{ADDRESS}")), 200);
    assert_eq!(sent("sec-fetch-site", "same-origin"), 200);
    assert_eq!(sent("origin", "http://evil.example"), 403);
    assert_eq!(sent("origin", &format!("https://{ADDRESS}")), 403);
    assert_eq!(sent("sec-fetch-site", "cross-site"), 403);
    assert_eq!(sent("host", ""), 421);
    assert_eq!(sent("content-type", "text/plain"), 415);
    assert_eq!(site.respond(&post("/api/position", ""), None).status, 400);
}

#[test]
fn questions_that_make_no_sense_are_answered_with_the_reason() {
    let site = site(&[]);
    for (question, expected) in [
        (r#"{"game":"go","moves":[],"ask":"position"}"#, "game"),
        (r#"{"game":"uttt","moves":["4,4","4,4"],"ask":"position"}"#, "move 2"),
        (r#"{"game":"uttt","moves":[],"ask":"everything"}"#, "`position`, `move`, `hint`"),
        (r#"{"game":"uttt","moves":[],"ask":"move","agent":"human"}"#, "choose two people"),
        (r#"{"game":"uttt","moves":[],"ask":"position","file":"x"}"#, "unknown field"),
        (r#"{"game":"uttt","rules":"x=y","moves":[],"ask":"position"}"#, "x"),
        (r#"{"game":"uttt","from":"x","moves":[],"ask":"position"}"#, "three fields"),
        (r#"{"game":"runner","moves":[],"ask":"position"}"#, "none of the game"),
    ] {
        let response = site.respond(&post("/api/position", question), None);
        assert_eq!(response.status, 400, "{question}");
        assert!(text(&response).contains(expected), "{question}: {}", text(&response));
    }
}

#[test]
fn what_files_say_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("<b>&");
    std::fs::create_dir(&run).unwrap();
    std::fs::write(run.join("manifest.json"), "<script>").unwrap();
    let page = text(&site(&[folder.path().into()]).respond(&get("/"), None));
    assert!(page.contains("&lt;b&gt;&amp;") && !page.contains("<b>"), "{page}");
    assert!(page.contains("cannot be read"), "{page}");
}
