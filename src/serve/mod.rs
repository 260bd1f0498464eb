//! The local page of `tictune serve`: runs as they go on, several of them side by side, and a board to play on.
//!
//! It writes nothing. `http` reads requests within bounds, `runs` finds the runs that the page was given, `agents` says which
//! agents a page may play with, `play` answers its board, and `searches` keeps searches few and ends what nobody waits for. What a
//! run looks like is in [`report::page`](crate::report::page), which writes the reports too.

mod agents;
mod http;
mod play;
mod runs;
mod searches;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use minijinja::{Environment, context};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::evolve::{Plan, RunDir, agent_file};
use crate::input::Result;
use crate::registry::Registry;
use crate::report::page::{self, RunData, Status, View, compare_view, run_view};
use crate::weights::Weights;
use agents::vectors_of;
use http::{HttpRequest, Response};
use runs::FoundRun;
pub(crate) use runs::{DEEPEST, each_folder};
use searches::{Asker, BUSY, LATE, Searches};

const TEMPLATES: [(&str, &str); 5] = [
    ("page.html", include_str!("templates/page.html")),
    ("runs.html", include_str!("templates/runs.html")),
    ("play.html", include_str!("templates/play.html")),
    ("links.html", include_str!("templates/links.html")),
    ("missing.html", include_str!("templates/missing.html")),
];

const STYLE: &str =
    concat!(include_str!("../report/page/templates/style.css"), include_str!("templates/page.css"));

const SCRIPT: &str = concat!(
    include_str!("../report/page/templates/charts.js"),
    include_str!("templates/script.js")
);

pub(crate) struct Site<'r> {
    registry: &'r Registry,
    program: String,
    /// Folders of runs, or runs.
    folders: Vec<PathBuf>,
    files: Vec<Weights>,
    searches: Searches,
    templates: Environment<'static>,
    address: SocketAddr,
}

impl<'r> Site<'r> {
    /// The page of the runs in some folders, at an address, with some weight files to play with.
    pub(crate) fn new(
        registry: &'r Registry,
        program: String,
        folders: &[PathBuf],
        files: Vec<Weights>,
        address: SocketAddr,
    ) -> Self {
        let templates = page::templates(&TEMPLATES).expect("the templates of the crate are right");
        let (folders, searches) = (folders.to_vec(), Searches::default());
        Self { registry, program, folders, files, searches, templates, address }
    }

    pub(crate) fn answer_all(&self, listener: &TcpListener) {
        http::serve(listener, &|request, stream| self.respond(request, Some(stream)));
    }

    /// The response to a request. That to `HEAD` is written without its body.
    fn respond(&self, request: &HttpRequest, asker: Asker<'_>) -> Response {
        if let Some(refused) = self.refuse(request) {
            return refused;
        }
        let method = if request.method == "HEAD" { "GET" } else { &request.method };
        let answer = match (method, request.path.as_str()) {
            ("GET", "/style.css") => Ok(Response::new(200, "text/css; charset=utf-8", STYLE)),
            ("GET", "/script.js") => {
                Ok(Response::new(200, "text/javascript; charset=utf-8", SCRIPT))
            }
            ("GET", "/") => Ok(self.page("Runs", &self.runs_now(), "/part/runs", false)),
            ("GET", "/part/runs") => Ok(Response::html(self.runs_now())),
            ("GET", "/play") => {
                Ok(self.page("Play", &self.fragment("play.html", context! {}), "", true))
            }
            ("GET", "/api/setup") => json(self.setup(request.values("run").next())),
            ("GET", path) => match path.split('/').collect::<Vec<_>>()[..] {
                ["", "run", ref place @ ..] => self.run(&place.join("/"), request, true),
                ["", "part", "run", id] => self.run(id, request, false),
                ["", "report", id] => self.report(id),
                ["", "compare"] => self.compare(request, true),
                ["", "part", "compare"] => self.compare(request, false),
                _ => Err(self.problem(404, "There is no such page.")),
            },
            ("POST", "/api/position") => {
                body(request).and_then(|of| json(self.position(&of, asker)))
            }
            ("POST", "/api/game") => body(request).and_then(|of| json(self.sample(&of, asker))),
            ("POST", _) => Err(self.problem(404, "There is no such page.")),
            _ => Err(Response::plain(405, "only GET, HEAD and POST")),
        };
        answer.unwrap_or_else(|refused| refused)
    }

    /// Refuses what does not come from this page: another page in the same browser may send requests here, and a name of
    /// its own may lead here.
    fn refuse(&self, request: &HttpRequest) -> Option<Response> {
        let host = request.header("host").unwrap_or_default();
        if !is_ours(host, self.address) {
            let message =
                format!("this is http://{}, and not {}", self.address, crate::input::excerpt(host));
            return Some(Response::plain(421, &message));
        }
        let origin = request.header("origin");
        let same = origin.is_none_or(|origin| origin == format!("http://{host}"));
        // What the browser says of the page that asks: `same-origin`, `none` (a person) or others.
        let foreign = request.header("sec-fetch-site").is_some_and(|site| {
            // A link elsewhere may lead to a page, but not to anything that is done.
            matches!(site, "cross-site" | "same-site") && request.path.starts_with("/api/")
        });
        (!same || foreign).then(|| Response::plain(403, "requests from other pages are refused"))
    }

    fn fragment(&self, template: &str, values: impl Serialize) -> String {
        let template = self.templates.get_template(template);
        let text = template.and_then(|template| template.render(values));
        text.expect("the templates of the crate fit their values")
    }

    /// A whole page. `live` is where its part is asked for again, if it changes.
    fn page(&self, title: &str, part: &str, live: &str, play: bool) -> Response {
        let part = minijinja::Value::from_safe_string(part.into());
        Response::html(self.fragment("page.html", context! { title, part, live, play }))
    }

    /// A part of a page that changes, as the whole page or alone.
    fn part(&self, whole: bool, title: &str, part: String, live: &str) -> Response {
        if whole { self.page(title, &part, live, false) } else { Response::html(part) }
    }

    /// Something that is not there, or that cannot be read: it may be from another version, or half copied.
    fn problem(&self, status: u16, message: &str) -> Response {
        let title = if status == 404 { "Not found" } else { "Not readable" };
        let part = self.fragment("missing.html", context! { message });
        Response { status, ..self.page(title, &part, "", false) }
    }

    fn runs_now(&self) -> String {
        let row = |FoundRun { id, place, dir }: FoundRun| {
            let status = Status::read(&dir);
            let error = status.as_ref().err().map(ToString::to_string);
            json!({ "id": id, "place": place, "status": status.ok(), "error": error })
        };
        let mut rows: Vec<Value> = self.runs().into_iter().map(row).collect();
        rows.sort_by_key(|row| row["status"]["state"] != "running");
        self.fragment("runs.html", context! { rows })
    }

    /// The run of an address, or of a name that a person typed. Names with characters that addresses encode are not found.
    fn found(&self, id: &str) -> Result<FoundRun, Response> {
        let named = || self.runs().into_iter().find(|run| run.place == id);
        let found = self.find(id).or_else(named);
        found.ok_or_else(|| self.problem(404, "There is no such run any more."))
    }

    /// A run, with its charts as a request wants them.
    fn read(&self, dir: &RunDir, request: &HttpRequest) -> Result<RunData, Response> {
        let view = View::of(|key| request.values(key).next());
        let run = RunData::read(dir).map_err(|error| self.problem(500, &error.to_string()))?;
        Ok(RunData { view, ..run })
    }

    fn run(&self, id: &str, request: &HttpRequest, whole: bool) -> Result<Response, Response> {
        let FoundRun { id, place, dir } = self.found(id)?;
        let run = self.read(&dir, request)?;
        let view = context! { run => run_view(&run), place, view => run.view, runs => [""; 0], live => true };
        let part = self.fragment("run.html", view);
        let part = self.links(&id, &run, &dir) + &part;
        Ok(self.part(whole, &place, part, &format!("/part/run/{id}")))
    }

    fn links(&self, id: &str, run: &RunData, dir: &RunDir) -> String {
        let evolved = &run.plan().agent;
        let vector = vectors_of(dir).first().copied();
        let is_program = evolved.command().is_some();
        // A runner plays no single game. Where a run is, is no matter of those who look from another machine.
        let plays_alone = evolved.program().is_some_and(|program| !program.plays_whole_games());
        let told = vector.filter(|_| plays_alone && self.address.ip().is_loopback());
        let command = told.map(|name| self.play_command(&dir.file(&agent_file(name)), run.plan()));
        let board = vector.is_some() && !is_program;
        self.fragment("links.html", context! { id, board, command })
    }

    /// The command that plays against the agent in a file, by the rules of a run.
    fn play_command(&self, agent: &Path, plan: &Plan) -> String {
        let agent = format!("@{}", agent.display());
        // Only a zero byte cannot be quoted, and no path has one.
        let agent = shlex::try_quote(&agent).unwrap_or_default();
        let rules = if plan.rules.is_empty() { "" } else { &format!(" --rules {}", plan.rules) };
        format!("{} play --agent {agent} --game {}{rules}", self.program, plan.game)
    }

    fn report(&self, id: &str) -> Result<Response, Response> {
        let report = page::run_report(&self.found(id)?.dir);
        let text = report.map_err(|error| self.problem(500, &error.to_string()))?;
        let header = "Content-Disposition: attachment; filename=\"report.html\"\r\n";
        Ok(Response { header, ..Response::html(text) })
    }

    fn compare(&self, request: &HttpRequest, whole: bool) -> Result<Response, Response> {
        let known = self.runs();
        let found = request.values("run").filter_map(|id| known.iter().find(|run| run.id == id));
        let found: Vec<_> = found.collect();
        if found.len() < 2 {
            return Err(self.problem(404, "Choose two or more runs to compare."));
        }
        let read = found.iter().map(|run| self.read(&run.dir, request));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let all = compare_view(&read);
        let runs: Vec<_> = found.iter().map(|run| &run.id).collect();
        let view = context! { all, view => read[0].view, runs, live => true };
        let part = self.fragment("compare.html", view);
        Ok(self.part(whole, "Runs compared", part, "/part/compare"))
    }
}

/// Whether a `Host` names this server: by an address, or as localhost. Names of others, which could be made to lead here, are not ours.
fn is_ours(host: &str, address: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        // Browsers leave out the port 80.
        _ => (host, Some(80)),
    };
    let any = address.ip().is_unspecified();
    let is_named = match name.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(named) => any || named == address.ip(),
        Err(_) => name.eq_ignore_ascii_case("localhost") && (any || address.ip().is_loopback()),
    };
    is_named && port == Some(address.port())
}

/// The body of a question. Only a page of ours can send JSON here without being asked about it first by the browser.
fn body<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Response> {
    let kind = request.header("content-type").and_then(|kind| kind.split(';').next());
    if kind.is_none_or(|kind| kind.trim() != "application/json") {
        return Err(Response::plain(415, "expected application/json"));
    }
    serde_json::from_slice(&request.body).map_err(|error| problem(400, &error.to_string()))
}

fn json(answer: Result<Value>) -> Result<Response, Response> {
    match answer {
        Ok(answer) => Ok(Response::json(200, &answer)),
        Err(error) if [BUSY, LATE].contains(&error.message.as_str()) => {
            Err(problem(503, &error.message))
        }
        Err(error) => Err(problem(400, &error.to_string())),
    }
}

fn problem(status: u16, error: &str) -> Response {
    Response::json(status, &json!({ "error": error }))
}

#[cfg(test)]
mod tests;
