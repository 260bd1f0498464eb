//! HTTP as far as the page needs it: one request a connection, read within bounds, and its response.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of a request before its body.
const MOST_HEAD: usize = 16 << 10;

/// The most bytes of a body: a game in notation is a few hundred.
const MOST_BODY: usize = 64 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// How long a whole request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a browser may take to read all of what it asked for.
const WRITING: Duration = Duration::from_secs(30);

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    /// Keys and values, as they stand there.
    pub(super) query: Vec<(String, String)>,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    /// What the browser says of the page that asks: `same-origin`, `none` (a person) or others.
    pub(super) site: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a key of the query.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// All values of a key of the query.
    pub(super) fn values<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r str> {
        let of_key = self.query.iter().filter(move |(found, _)| found == key);
        of_key.map(|(_, value)| value.as_str())
    }
}

#[derive(Debug)]
pub(super) enum Unread {
    /// It is answered with this status and nothing else.
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

/// Reads a request from a connection.
pub(super) fn read_request(stream: &mut TcpStream) -> Result<Request, Unread> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    loop {
        if let Some((mut request, head, body)) = parse(&bytes)? {
            while bytes.len() < head + body {
                receive(stream, &mut bytes, end)?;
            }
            request.body = bytes[head..head + body].to_vec();
            return Ok(request);
        }
        if bytes.len() >= MOST_HEAD {
            return Err(Unread::Refused(431));
        }
        receive(stream, &mut bytes, end)?;
    }
}

fn receive(stream: &mut TcpStream, bytes: &mut Vec<u8>, end: Instant) -> Result<(), Unread> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Unread::Refused(408));
    }
    stream.set_read_timeout(Some(left))?;
    let mut chunk = [0; 4096];
    match stream.read(&mut chunk)? {
        0 => Err(Unread::Gone),
        read => {
            bytes.extend_from_slice(&chunk[..read]);
            Ok(())
        }
    }
}

/// The request without its body, and the lengths of head and body; `None` as long as the head is not whole.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Unread> {
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
    let mut request = Request {
        method: parsed.method.unwrap_or_default().into(),
        path: path.into(),
        query: pairs.map(pair).collect(),
        ..Request::default()
    };
    let mut body = 0;
    for header in parsed.headers.iter() {
        let value = String::from_utf8_lossy(header.value).trim().to_string();
        // Two of a kind could be read in two ways.
        let once = |place: &mut Option<String>| match place.replace(value.clone()) {
            None => Ok(()),
            Some(_) => Err(Unread::Refused(400)),
        };
        match header.name.to_ascii_lowercase().as_str() {
            "host" => once(&mut request.host)?,
            "origin" => once(&mut request.origin)?,
            "sec-fetch-site" => once(&mut request.site)?,
            "content-type" => once(&mut request.content_type)?,
            "transfer-encoding" => return Err(Unread::Refused(501)),
            "content-length" => {
                body = value.parse().map_err(|_| Unread::Refused(400))?;
                if body > MOST_BODY {
                    return Err(Unread::Refused(413));
                }
            }
            _ => {}
        }
    }
    Ok(Some((request, head, body)))
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    /// The name under which a browser saves it, where it is to be saved.
    pub(super) saved_as: Option<&'static str>,
}

impl Response {
    pub(super) fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, body: body.into(), saved_as: None }
    }

    pub(super) fn html(body: String) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub(super) fn json(status: u16, value: &impl serde::Serialize) -> Self {
        let body = serde_json::to_vec(value).unwrap_or_default();
        Self::new(status, "application/json", body)
    }

    pub(super) fn plain(status: u16, message: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{message}\n"))
    }

    /// Writes it. The browser is told to run and load nothing but what comes from here, and to show it in no frame of
    /// another page.
    pub(super) fn write(&self, stream: &mut impl Write, with_body: bool) -> io::Result<()> {
        let Self { status, content_type, body, saved_as } = self;
        let save = saved_as.map_or(String::new(), |name| {
            format!("Content-Disposition: attachment; filename=\"{name}\"\r\n")
        });
        let head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n{save}\
             Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
             img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n\r\n",
            reason(*status),
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        if with_body {
            stream.write_all(body)?;
        }
        stream.flush()
    }
}

/// A connection to which a response is written within a time, however slowly it is read.
pub(super) struct Timely<'s> {
    stream: &'s mut TcpStream,
    end: Instant,
}

impl<'s> Timely<'s> {
    pub(super) fn new(stream: &'s mut TcpStream) -> Self {
        Self { stream, end: Instant::now() + WRITING }
    }
}

impl Write for Timely<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_write_timeout(Some(left))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

pub(super) const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Option<(Request, usize, usize)>, Unread> {
        parse(text.as_bytes())
    }

    #[test]
    fn requests_are_read() {
        let text =
            "POST /a/b?x=1&y&x=%2e HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 5\r\n\r\nhello";
        let (request, head, body) = parsed(text).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a/b"));
        assert_eq!(request.values("x").collect::<Vec<_>>(), ["1", "%2e"]);
        assert_eq!((request.value("y"), request.value("z")), (Some(""), None));
        assert_eq!(
            (request.host.as_deref(), &text[head..head + body]),
            (Some("localhost:1"), "hello")
        );
        assert!(parsed("GET / HTTP/1.1\r\nHost: x\r\n").unwrap().is_none(), "not whole yet");
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
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let begun = Instant::now();
        let writing = std::thread::spawn(move || {
            let end = Instant::now() + Duration::from_millis(300);
            let long = Response::html("x".repeat(64 << 20));
            long.write(&mut Timely { stream: &mut stream, end }, true)
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
    fn requests_that_could_be_read_in_two_ways_are_refused() {
        for (headers, status) in [
            ("Host: a\r\nHost: b", 400),
            ("Content-Length: -1", 400),
            ("Content-Length: 99999999999999999999", 400),
            ("Content-Length: 70000", 413),
            ("Transfer-Encoding: chunked", 501),
            ("no header", 400),
        ] {
            let refused = parsed(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n"));
            assert!(matches!(refused, Err(Unread::Refused(found)) if found == status), "{headers}");
        }
        let many = "X: y\r\n".repeat(MOST_HEADERS + 1);
        let refused = parsed(&format!("GET / HTTP/1.1\r\n{many}\r\n"));
        assert!(matches!(refused, Err(Unread::Refused(431))));
    }
}
