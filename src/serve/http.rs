//! HTTP as far as the page needs it: one request a connection, read and answered within bounds, on a thread of its own.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most bytes of a request before its body.
const MOST_HEAD: usize = 16 << 10;

/// The most bytes of a body: a game in notation is a few hundred.
const MOST_BODY: usize = 64 << 10;

const MOST_HEADERS: usize = 64;

/// How long a whole request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a browser may take to read all of what it asked for.
const WRITING: Duration = Duration::from_secs(30);

/// The connections that are open at once; a browser has six. One more is closed at once: the others end by themselves.
const MOST: usize = 64;

/// The headers that requests are judged by.
const HEADERS: [&str; 5] = ["host", "origin", "sec-fetch-site", "content-type", "content-length"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    /// Keys and values, as they stand there.
    pub(super) query: Vec<(String, String)>,
    /// Those of [`HEADERS`] that it has.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn values<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r str> {
        let of_key = self.query.iter().filter(move |(found, _)| found == key);
        of_key.map(|(_, value)| value.as_str())
    }
}

pub(super) fn serve(
    listener: &TcpListener,
    respond: &(dyn Fn(&HttpRequest, &TcpStream) -> Response + Sync),
) {
    // Each thread has a clone.
    let open = Arc::new(());
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            let own = Arc::clone(&open);
            if Arc::strong_count(&open) > 1 + MOST {
                continue;
            }
            let answer = move || {
                let _own = own;
                // A browser that goes away is none of our business.
                let _ = answer(&stream, respond);
            };
            // Without a thread there is no answer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, answer);
        }
    });
}

fn answer(
    stream: &TcpStream,
    respond: &(dyn Fn(&HttpRequest, &TcpStream) -> Response + Sync),
) -> io::Result<()> {
    let request = read_request(&mut Timely { stream, end: Instant::now() + PATIENCE });
    let (response, with_body) = match &request {
        Ok(request) => {
            // The code of somebody's game may panic.
            let response = catch_unwind(AssertUnwindSafe(|| respond(request, stream)));
            let failed =
                |_| Response::plain(500, "the program failed; its terminal shows the error");
            (response.unwrap_or_else(failed), request.method != "HEAD")
        }
        Err(Unread::Refused(status)) => (Response::plain(*status, reason(*status)), true),
        Err(Unread::Gone) => return Ok(()),
    };
    response.write(&mut Timely { stream, end: Instant::now() + WRITING }, with_body)
}

/// A connection that is read or written until a time, however slow its other end is.
struct Timely<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl Timely<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        match self.end.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timely<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timely<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[derive(Debug)]
pub(super) enum Unread {
    /// It gets this status and nothing else.
    Refused(u16),
    /// Nobody is there any more.
    Gone,
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Refused(408),
            _ => Self::Gone,
        }
    }
}

pub(super) fn read_request(stream: &mut impl Read) -> Result<HttpRequest, Unread> {
    let mut bytes = Vec::new();
    loop {
        match parse(&bytes)? {
            Some((mut request, head, body)) if bytes.len() >= head + body => {
                request.body = bytes[head..head + body].to_vec();
                return Ok(request);
            }
            None if bytes.len() >= MOST_HEAD => return Err(Unread::Refused(431)),
            _ => {}
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk)? {
            0 => return Err(Unread::Gone),
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

/// The request without its body, and the lengths of head and body; `None` as long as the head is not whole.
fn parse(bytes: &[u8]) -> Result<Option<(HttpRequest, usize, usize)>, Unread> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Unread::Refused(431)),
        Err(_) => return Err(Unread::Refused(400)),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key.to_string(), value.to_string())
    };
    let mut request = HttpRequest {
        method: parsed.method.unwrap_or_default().into(),
        path: path.into(),
        query: pairs.map(pair).collect(),
        ..HttpRequest::default()
    };
    for header in parsed.headers.iter() {
        let name = header.name.to_ascii_lowercase();
        if name == "transfer-encoding" {
            return Err(Unread::Refused(501));
        }
        if HEADERS.contains(&name.as_str()) {
            // Two of a kind could be read in two ways.
            if request.header(&name).is_some() {
                return Err(Unread::Refused(400));
            }
            request.headers.push((name, String::from_utf8_lossy(header.value).trim().into()));
        }
    }
    let body = request.header("content-length").map_or(Ok(0), str::parse);
    match body.map_err(|_| Unread::Refused(400))? {
        body if body > MOST_BODY => Err(Unread::Refused(413)),
        body => Ok(Some((request, head, body))),
    }
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    /// A line more for its head, with its end.
    pub(super) header: &'static str,
}

impl Response {
    pub(super) fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, body: body.into(), header: "" }
    }

    pub(super) fn html(body: String) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub(super) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, "application/json", value.to_string())
    }

    pub(super) fn plain(status: u16, message: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{message}\n"))
    }

    /// Writes it. The browser is told to run and load nothing but what comes from here, and to show it in no frame of
    /// another page. A status needs no phrase (RFC 9112, section 4).
    fn write(&self, stream: &mut impl Write, with_body: bool) -> io::Result<()> {
        let Self { status, content_type, body, header } = self;
        let head = format!(
            "HTTP/1.1 {status} \r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n{header}\
             Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
             img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        if with_body {
            stream.write_all(body)?;
        }
        stream.flush()
    }
}

/// The reason phrase of a status with which requests are refused.
const fn reason(status: u16) -> &'static str {
    match status {
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Bad Request",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let text =
            "POST /a/b?x=1&y&x=%2e HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 5\r\n\r\nhello";
        let request = read_request(&mut text.as_bytes()).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a/b"));
        assert_eq!(request.values("x").collect::<Vec<_>>(), ["1", "%2e"]);
        assert_eq!((request.values("y").next(), request.values("z").next()), (Some(""), None));
        assert_eq!((request.header("host"), &*request.body), (Some("localhost:1"), &b"hello"[..]));
        let half = read_request(&mut &text.as_bytes()[..text.len() - 1]);
        assert!(matches!(half, Err(Unread::Gone)), "the body is not whole");
    }

    #[test]
    // Too long bodies and chunks are refused in tests/programs/pages.rs.
    fn requests_that_could_be_read_in_two_ways_are_refused() {
        let many = "X: y\r\n".repeat(MOST_HEADERS + 1);
        for (headers, status) in [
            ("Host: a\r\nHost: b", 400),
            ("Content-Length: 1\r\nContent-Length: 2", 400),
            ("Content-Length: -1", 400),
            ("Content-Length: 99999999999999999999", 400),
            ("no header", 400),
            (&*many, 431),
        ] {
            let refused =
                read_request(&mut format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes());
            assert!(matches!(refused, Err(Unread::Refused(found)) if found == status), "{headers}");
        }
    }

    #[test]
    fn a_response_is_written_with_or_without_its_body() {
        let written = |with_body| {
            let mut bytes = Vec::new();
            Response::plain(200, "hello").write(&mut bytes, with_body).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(true), written(false) + "hello\n");
        assert!(written(false).contains("Content-Length: 6\r\n"));
    }

    #[test]
    fn a_response_that_is_read_slowly_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let begun = Instant::now();
        let writing = std::thread::spawn(move || {
            let end = Instant::now() + Duration::from_millis(300);
            let long = Response::html("x".repeat(64 << 20));
            long.write(&mut Timely { stream: &stream, end }, true)
        });
        // Every bit that is read would begin a time of its own.
        while !writing.is_finished() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
            let _ = reader.read(&mut [0; 1 << 16]).unwrap();
        }
        let kind = writing.join().unwrap().unwrap_err().kind();
        assert!(matches!(kind, io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock), "{kind}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn connections_are_few_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || serve(&listener, &|_, _| Response::plain(200, "hello")));
        let silent: Vec<_> = (0..MOST).map(|_| TcpStream::connect(address).unwrap()).collect();
        let mut one_more = TcpStream::connect(address).unwrap();
        assert_eq!(one_more.read(&mut [0]).unwrap_or(0), 0, "it is closed");
        drop((silent, one_more));
    }
}
