//! The local page of `tictune serve`: runs as they go on, two of them side by side, and a board to play on.
//!
//! It writes nothing. `http` reads requests within bounds, `runs` finds the runs that the page was given, `agents` says which
//! agents a page may play with, `play` answers its board, `asker` ends what nobody waits for, and `connections` keeps them few. What a run looks like is in
//! [`report::page`](crate::report::page), which writes the reports too.

mod agents;
mod asker;
mod connections;
mod http;
mod play;
mod runs;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use minijinja::{Environment, context};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::evolve::{Plan, RunDir, RunError, agent_file};
use crate::input::InputError;
use crate::registry::Registry;
use crate::report::page::{self, RunData, Status, compare_view, run_view};
use crate::weights::Weights;
use agents::{Sources, vectors_of};
use asker::{Asker, LATE};
use connections::{Connections, Place, State};
use http::{Request, Response, Timely, Unread, read_request, reason};
use play::{BUSY, Searches};
use runs::{FoundRun, Runs};

/// The templates of the page, beside those of reports.
const TEMPLATES: [(&str, &str); 5] = [
    ("page.html", include_str!("templates/page.html")),
    ("runs.html", include_str!("templates/runs.html")),
    ("play.html", include_str!("templates/play.html")),
    ("links.html", include_str!("templates/links.html")),
    ("missing.html", include_str!("templates/missing.html")),
];

/// The style of the page beside that of reports.
const STYLE: &str = include_str!("templates/page.css");

/// All that runs in the browser.
const SCRIPT: &str = include_str!("templates/script.js");

/// The page: what it shows, and where.
pub(crate) struct Site<'r> {
    registry: &'r Registry,
    sources: Sources,
    searches: Searches,
    templates: Environment<'static>,
    address: SocketAddr,
    connections: Connections,
}

impl<'r> Site<'r> {
    /// The page of the runs in some folders, at an address, with some weight files to play with.
    pub(crate) fn new(
        registry: &'r Registry,
        folders: &[PathBuf],
        files: Vec<Weights>,
        address: SocketAddr,
    ) -> Self {
        let known = registry.known();
        Self {
            registry,
            sources: Sources { known: known.clone(), runs: Runs::new(folders, known), files },
            searches: Searches::default(),
            templates: page::templates(&TEMPLATES).expect("the templates of the crate are right"),
            address,
            connections: Connections::default(),
        }
    }

    /// How many runs there are now.
    pub(crate) fn runs(&self) -> usize {
        self.sources.runs.all().len()
    }

    pub(crate) fn answer_all(&self, listener: &TcpListener) {
        std::thread::scope(|scope| {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let Ok(peer) = stream.peer_addr() else { continue };
                let Some(place) = self.connections.admit(&stream, peer.ip()) else { continue };
                // A browser that goes away is none of our business, and without a thread there is no answer.
                let answer = move || drop(self.answer(&mut stream, &place));
                let _ = std::thread::Builder::new().spawn_scoped(scope, answer);
            }
        });
    }

    fn answer(&self, stream: &mut TcpStream, place: &Place<'_>) -> io::Result<()> {
        let request = read_request(stream);
        place.is_now(State::Answering);
        let (response, with_body) = match request {
            // The code of somebody's game may panic.
            Ok(request) => (
                catch_unwind(AssertUnwindSafe(|| self.respond(&request, Asker(Some(stream)))))
                    .unwrap_or_else(|_| {
                        Response::plain(500, "the program failed; its terminal says how")
                    }),
                request.method != "HEAD",
            ),
            Err(Unread::Refused(status)) => (Response::plain(status, reason(status)), true),
            Err(Unread::Gone) => return Ok(()),
        };
        place.is_now(State::Writing);
        response.write(&mut Timely::new(stream), with_body)
    }

    /// The response to a request. That to `HEAD` is written without its body.
    fn respond(&self, request: &Request, asker: Asker<'_>) -> Response {
        if let Some(refused) = self.refuse(request) {
            return refused;
        }
        let method = match request.method.as_str() {
            "HEAD" => "GET",
            method => method,
        };
        match (method, request.path.as_str()) {
            ("GET", "/style.css") => {
                Response::new(200, "text/css; charset=utf-8", format!("{}{STYLE}", page::STYLE))
            }
            ("GET", "/script.js") => Response::new(200, "text/javascript; charset=utf-8", SCRIPT),
            ("GET", "/") => self.page("Runs", &self.runs_now(), "/part/runs", false),
            ("GET", "/part/runs") => Response::html(self.runs_now()),
            ("GET", "/play") => {
                self.page("Play", &self.fragment("play.html", context! {}), "", true)
            }
            ("GET", "/api/setup") => {
                json(play::setup(request.value("run"), self.registry, &self.sources))
            }
            ("GET", path) => match path.split('/').collect::<Vec<_>>()[..] {
                ["", "run", ref place @ ..] => self.run(&place.join("/"), true),
                ["", "part", "run", id] => self.run(id, false),
                ["", "report", id] => self.report(id),
                ["", "compare"] => self.compare(request, true),
                ["", "part", "compare"] => self.compare(request, false),
                _ => self.missing("There is no such page."),
            },
            ("POST", "/api/position") => match body(request) {
                Ok(question) => {
                    let (registry, sources) = (self.registry, &self.sources);
                    json(play::position(&question, registry, sources, &self.searches, asker))
                }
                Err(refused) => refused,
            },
            ("POST", "/api/game") => match body(request) {
                Ok(question) => {
                    let (registry, sources) = (self.registry, &self.sources);
                    json(play::sample(&question, registry, sources, &self.searches, asker))
                }
                Err(refused) => refused,
            },
            ("POST", _) => self.missing("There is no such page."),
            _ => Response::plain(405, "only GET, HEAD and POST"),
        }
    }

    /// Refuses what does not come from this page: another page in the same browser may send requests here, and a name of
    /// its own may lead here.
    fn refuse(&self, request: &Request) -> Option<Response> {
        let host = request.host.as_deref().unwrap_or_default();
        if !is_ours(host, self.address) {
            let message =
                format!("this is http://{}, and not {}", self.address, crate::input::excerpt(host));
            return Some(Response::plain(421, &message));
        }
        let same = request.origin.as_ref().is_none_or(|origin| *origin == format!("http://{host}"));
        let foreign = request.site.as_deref().is_some_and(|site| {
            // A link elsewhere may lead to a page, but not to anything that is done.
            matches!(site, "cross-site" | "same-site") && request.path.starts_with("/api/")
        });
        (!same || foreign).then(|| Response::plain(403, "another page may not ask here"))
    }

    /// The part of a page that a template writes.
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

    fn missing(&self, message: &str) -> Response {
        let part = self.fragment("missing.html", context! { message });
        Response { status: 404, ..self.page("Not found", &part, "", false) }
    }

    /// What is wrong with a run, as a page: it may be from another version, or half copied.
    fn unreadable(&self, error: &RunError) -> Response {
        let part = self.fragment("missing.html", context! { message => error.to_string() });
        Response { status: 500, ..self.page("Not readable", &part, "", false) }
    }

    fn runs_now(&self) -> String {
        #[derive(Serialize)]
        struct Row {
            id: String,
            place: String,
            status: Option<Status>,
            error: String,
        }
        let row = |FoundRun { id, place, dir }: FoundRun| match Status::read(&dir) {
            Ok(status) => Row { id, place, status: Some(status), error: String::new() },
            Err(error) => Row { id, place, status: None, error: error.to_string() },
        };
        let mut rows: Vec<Row> = self.sources.runs.all().into_iter().map(row).collect();
        let is_running =
            |row: &Row| row.status.as_ref().is_some_and(|status| status.state == "running");
        rows.sort_by_key(|row| !is_running(row));
        self.fragment("runs.html", context! { rows })
    }

    fn run(&self, id: &str, whole: bool) -> Response {
        let Some(found) = self.sources.runs.find_or_named(id) else {
            return self.missing("There is no such run any more.");
        };
        match RunData::read(&found.dir) {
            Err(error) => self.unreadable(&error),
            Ok(run) => {
                let values = context! { run => run_view(&run), live => true };
                let part = self.fragment("run.html", values);
                let part = self.links(&found.id, &run, &found.dir) + &part;
                match whole {
                    true => {
                        let live = format!("/part/run/{}", found.id);
                        self.page(&run.plan().name, &part, &live, false)
                    }
                    false => Response::html(part),
                }
            }
        }
    }

    /// What can be done with a run.
    fn links(&self, id: &str, run: &RunData, dir: &RunDir) -> String {
        let carrier = &run.plan().agent;
        let vector = vectors_of(dir).first().copied();
        let is_program = carrier.command().is_some();
        // A runner plays no single game. Where a run is, is no matter of those who look from another machine.
        let plays_alone = carrier.program().is_some_and(|program| !program.plays_whole_games());
        let told = vector.filter(|_| plays_alone && is_local(self.address.ip()));
        let command = told.map(|name| play_command(&dir.file(&agent_file(name)), run.plan()));
        let board = vector.is_some() && !is_program;
        self.fragment("links.html", context! { id, board, command })
    }

    fn report(&self, id: &str) -> Response {
        let Some(found) = self.sources.runs.find(id) else {
            return self.missing("There is no such run any more.");
        };
        match page::run_report(&found.dir) {
            Err(error) => self.unreadable(&error),
            Ok(text) => Response { saved_as: Some("report.html"), ..Response::html(text) },
        }
    }

    fn compare(&self, request: &Request, whole: bool) -> Response {
        let ids: Vec<&str> = request.values("run").collect();
        let found: Vec<_> = ids.iter().filter_map(|id| self.sources.runs.find(id)).collect();
        let [a, b] = &found[..] else {
            return self.missing("Choose two runs to compare.");
        };
        match (RunData::read(&a.dir), RunData::read(&b.dir)) {
            (Err(error), _) | (_, Err(error)) => self.unreadable(&error),
            (Ok(first), Ok(second)) => {
                let both = compare_view([&first, &second]);
                let part = self.fragment("compare.html", context! { both, live => true });
                let live = format!("/part/compare?run={}&run={}", a.id, b.id);
                match whole {
                    true => self.page("Two runs", &part, &live, false),
                    false => Response::html(part),
                }
            }
        }
    }
}

/// The command that plays against the agent in a file, by the rules of a run.
fn play_command(agent: &Path, plan: &Plan) -> String {
    let agent = format!("@{}", agent.display());
    // Only a zero byte cannot be quoted, and no path has one.
    let agent = shlex::try_quote(&agent).unwrap_or_default();
    let rules = if plan.rules.is_empty() { "" } else { &format!(" --rules {}", plan.rules) };
    format!("tictune play --agent {agent} --game {}{rules}", plan.game)
}

/// Whether a `Host` names this server: by an address, or as localhost. Names of others, which could be made to lead here,
/// are not ours.
fn is_ours(host: &str, address: SocketAddr) -> bool {
    // Browsers leave out the port 80.
    let with_port = format!("{host}:80");
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
    let host = if has_port { host } else { &with_port };
    let port = |text: &str| text.parse() == Ok(address.port());
    if let Ok(named) = host.parse::<SocketAddr>() {
        let any = address.ip().is_unspecified();
        return named.port() == address.port() && (any || named.ip() == address.ip());
    }
    let is_localhost = host
        .rsplit_once(':')
        .is_some_and(|(name, text)| name.eq_ignore_ascii_case("localhost") && port(text));
    is_localhost && (address.ip().is_loopback() || address.ip().is_unspecified())
}

/// The body of a question. Only a page of ours can send JSON here without being asked about it first by the browser.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Response> {
    let is_json = request.content_type.as_deref().is_some_and(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
    });
    if !is_json {
        return Err(Response::plain(415, "expected application/json"));
    }
    serde_json::from_slice(&request.body)
        .map_err(|error| Response::json(400, &Problem { error: error.to_string() }))
}

#[derive(Serialize)]
struct Problem {
    error: String,
}

fn json<T: Serialize>(answer: Result<T, InputError>) -> Response {
    match answer {
        Ok(answer) => Response::json(200, &answer),
        Err(error) if [BUSY, LATE].contains(&error.message.as_str()) => {
            Response::json(503, &Problem { error: error.message.clone() })
        }
        Err(error) => Response::json(400, &Problem { error: error.to_string() }),
    }
}

/// Whether an address is of this machine only.
pub(crate) const fn is_local(address: IpAddr) -> bool {
    address.is_loopback()
}

#[cfg(test)]
mod tests;
