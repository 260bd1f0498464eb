//! Whoever waits for an answer: a search ends when its time is over, and when nobody waits for it any more.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::play::BUSY;
use crate::input::InputError;

/// How often the connection and the clock are looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What is said where the time was over before there was an answer.
pub(super) const LATE: &str = "the search takes longer than a page may let it: ask for a smaller depth, or for a limit of time";

/// Whoever waits at the other end of a connection; without one, in a test, somebody who always does.
#[derive(Clone, Copy)]
pub(super) struct Asker<'s>(pub(super) Option<&'s TcpStream>);

impl Asker<'_> {
    /// Works on an answer. The flag that the work is given is set when the time is over, or the asker has gone.
    pub(super) fn wait<T>(
        self,
        time: Duration,
        work: impl FnOnce(&AtomicBool) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        let (stop, end) = (AtomicBool::new(false), Instant::now() + time);
        let (done, is_done) = channel::<()>();
        let stopping = &stop;
        let watch = move || {
            while is_done.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                if Instant::now() >= end || self.has_gone() {
                    return stopping.store(true, Ordering::Relaxed);
                }
            }
        };
        let answer = std::thread::scope(|scope| {
            // Ends the watch, also if the code of a game panics.
            let _done = done;
            match std::thread::Builder::new().spawn_scoped(scope, watch) {
                Ok(_) => work(&stop),
                Err(_) => Err(InputError::new(BUSY)),
            }
        });
        match stop.into_inner() {
            true => answer.map_err(|_| InputError::new(LATE)),
            false => answer,
        }
    }

    /// Whether the other end has closed the connection. A browser sends nothing after its request.
    fn has_gone(self) -> bool {
        let Some(stream) = self.0 else { return false };
        let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
        let back = stream.set_nonblocking(false);
        match looked {
            Ok(bytes) => bytes == 0 || back.is_err(),
            Err(error) => error.kind() != io::ErrorKind::WouldBlock || back.is_err(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Works until it is told to stop.
    fn forever(stop: &AtomicBool) -> Result<(), InputError> {
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(InputError::new("the work was stopped"))
    }

    #[test]
    fn work_ends_with_its_time() {
        let late = Asker(None).wait(Duration::from_millis(10), forever).unwrap_err();
        assert_eq!(late.message, LATE);
        let best = Asker(None).wait(Duration::from_millis(10), |stop| {
            let _ = forever(stop);
            Ok("the best so far")
        });
        assert_eq!(best, Ok("the best so far"));
    }

    #[test]
    fn work_ends_when_the_asker_has_gone() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let browser = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let asker = Asker(Some(&stream));
        assert!(!asker.has_gone());
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(browser);
        });
        let begun = Instant::now();
        assert!(asker.wait(Duration::from_secs(600), forever).is_err());
        assert!(begun.elapsed() < Duration::from_secs(60) && asker.has_gone());
    }
}
