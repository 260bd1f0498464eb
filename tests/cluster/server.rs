//! A NATS server of a test, workers, and drivers.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Folder, runs, wait_until};
use crate::needs::needs;

/// A server with its files in a folder of its own. It ends with this value.
pub struct Server {
    pub folder: Folder,
    pub port: u16,
    /// Further arguments.
    pub more: String,
    child: Option<Child>,
}

impl Server {
    /// Starts a server; `None` if there is none on this machine.
    pub fn start() -> Option<Self> {
        Self::start_with("", "")
    }

    /// Starts a server with further arguments, and with a file `server.conf` in its folder.
    pub fn start_with(more: &str, config: &str) -> Option<Self> {
        if !needs("nats-server") {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = Folder::with("server.conf", config);
        let mut server = Self { folder, port, more: more.into(), child: None };
        server.go();
        Some(server)
    }

    /// Starts a server whose config holds this.
    pub fn start_with_config(config: &str) -> Option<Self> {
        Self::start_with("-c server.conf", config)
    }

    pub fn go(&mut self) {
        let port = self.port;
        let line = format!("-js -a 127.0.0.1 -p {port} -sd streams {}", self.more);
        let mut command = Command::new("nats-server");
        command.args(shlex::split(&line).unwrap()).current_dir(self.folder.path(""));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().unwrap());
        wait_until("the server", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts again without anything that it knew.
    pub fn go_empty(&mut self) {
        self.kill();
        std::fs::remove_dir_all(self.folder.path("streams")).unwrap();
        self.go();
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The line of a command whose games are played here.
    pub fn line(&self, line: &str) -> String {
        format!("{line} --executor {}", self.url())
    }

    /// A command whose games are played here.
    pub fn drive(&self, line: &str) -> Command {
        self.folder.command(&self.line(line))
    }

    /// Starts a worker of one thread and waits until it is ready.
    pub fn worker(&self) -> Process {
        self.worker_with("")
    }

    pub fn worker_with(&self, more: &str) -> Process {
        let line = format!("worker {} --threads 1 {more}", self.url());
        let worker = Process::of(self.folder.command(&line));
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
        !runs(&self.child.id().to_string())
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
        wait_until("the end of the process", || self.has_ended());
        let status = self.child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        (status.code().unwrap_or(-1), reader.join().unwrap(), self.said())
    }

    /// Waits for its end, which must be good; gives what it said.
    pub fn succeeds(self) -> String {
        let (status, _, said) = self.end();
        assert_eq!(status, 0, "{said}");
        said
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
