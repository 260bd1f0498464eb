//! A NATS server of a test, workers, and drivers.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::tictune;
use crate::needs::needs;

/// How long anything here may take.
const LIMIT: Duration = Duration::from_secs(120);

/// A server with its files in a folder of its own. It ends with this value.
pub struct Server {
    pub folder: tempfile::TempDir,
    port: u16,
    more: Vec<String>,
    variables: Vec<(String, String)>,
    child: Option<Child>,
}

impl Server {
    /// Starts a server; `None` if there is none on this machine.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    pub fn start_with(more: &[&str]) -> Option<Self> {
        let mut server = Self::prepare()?;
        server.go_with(more);
        Some(server)
    }

    /// Starts a server whose config holds this.
    pub fn start_with_config(config: &str) -> Option<Self> {
        let mut server = Self::prepare()?;
        let path = server.path("server.conf");
        std::fs::write(&path, config).unwrap();
        server.go_with(&["-c", path.to_str().unwrap()]);
        Some(server)
    }

    /// Starts a server with a config that takes its passwords from the environment.
    pub fn start_with_passwords(config: &Path, passwords: &[(&str, &str)]) -> Option<Self> {
        let mut server = Self::prepare()?;
        server.variables =
            passwords.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        server.go_with(&["-c", config.to_str().unwrap()]);
        Some(server)
    }

    fn prepare() -> Option<Self> {
        if !needs("nats-server") {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        Some(Self { folder, port, more: Vec::new(), variables: Vec::new(), child: None })
    }

    /// Starts with other arguments.
    pub fn go_with(&mut self, more: &[&str]) {
        self.more = more.iter().map(|arg| (*arg).to_owned()).collect();
        self.go();
    }

    pub fn go(&mut self) {
        let child = Command::new("nats-server")
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(self.folder.path().join("streams"))
            .args(&self.more)
            .envs(self.variables.iter().cloned())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        wait_until("the server", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a worker of one thread and waits until it is ready.
    pub fn worker(&self) -> Process {
        self.worker_with(&[])
    }

    pub fn worker_with(&self, more: &[&str]) -> Process {
        let url = self.url();
        let worker = Process::start(&[&["worker", &url, "--threads", "1"], more].concat());
        worker.wait_for("is ready");
        worker
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A tictune whose standard error is read as it comes. It is killed with this value.
pub struct Process {
    pub child: Child,
    said: Arc<Mutex<String>>,
}

impl Process {
    pub fn start(args: &[&str]) -> Self {
        Self::of(tictune(args))
    }

    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (stderr, hears) = (child.stderr.take().unwrap(), Arc::clone(&said));
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                *hears.lock().unwrap() += &(line + "\n");
            }
        });
        Self { child, said }
    }

    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    pub fn wait_for(&self, text: &str) {
        wait_until(text, || self.said().contains(text));
    }

    /// Whether it has ended. Its status is kept for [`end`](Self::end).
    pub fn has_ended(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end: the exit status, standard output, standard error.
    pub fn end(mut self) -> (i32, String, String) {
        let mut stdout = self.child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        let mut status = None;
        wait_until("the end of the process", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        std::thread::sleep(Duration::from_millis(100));
        (status.unwrap().code().unwrap_or(-1), reader.join().unwrap(), self.said())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}: not seen in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of rows of a file of a run so far.
pub fn rows(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count().saturating_sub(1))
}
