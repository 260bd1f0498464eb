//! Searches for those who wait for an answer: few at once, and each ends when its time is over, and when nobody waits for it any more.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::input::{InputError, Result};

const MOST_SEARCHES: usize = 2;

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

pub(super) const BUSY: &str = "two searches are still running: try again in a moment";

pub(super) const LATE: &str =
    "the search exceeds the time limit of a page: choose a smaller depth or a time limit";

/// Who waits at the other end of a connection; without one, in a test, somebody who always does.
pub(super) type Asker<'s> = Option<&'s TcpStream>;

/// The searches that go on: each has a clone.
#[derive(Debug, Default)]
pub(super) struct Searches(Arc<()>);

impl Searches {
    /// Works on an answer, unless enough others are worked on. The flag that the work is given is set when the time is over, or the asker
    /// has gone.
    pub(super) fn one_more<T>(
        &self,
        asker: Asker<'_>,
        time: Duration,
        work: impl FnOnce(&AtomicBool) -> Result<T>,
    ) -> Result<T> {
        // It is dropped also if the code of a game panics.
        let all = Arc::clone(&self.0);
        if Arc::strong_count(&all) > 1 + MOST_SEARCHES {
            return Err(InputError::new(BUSY));
        }
        let (stop, end) = (AtomicBool::new(false), Instant::now() + time);
        let (done, is_done) = channel::<()>();
        let stopping = &stop;
        let watch = move || {
            while is_done.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                if Instant::now() >= end || asker.is_some_and(has_gone) {
                    return stopping.store(true, Ordering::Relaxed);
                }
            }
        };
        let answer = std::thread::scope(|scope| {
            // Ends the watch, also after a panic.
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
}

/// Whether the other end has closed the connection. A browser sends nothing after its request.
fn has_gone(stream: &TcpStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let back = stream.set_nonblocking(false);
    match looked {
        Ok(bytes) => bytes == 0 || back.is_err(),
        Err(error) => error.kind() != io::ErrorKind::WouldBlock || back.is_err(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // That a search ends when its asker has gone, and that there are few of them, is shown in tests/programs/pages.rs.
    #[test]
    fn work_ends_with_its_time() {
        let search = |answer: Result<&'static str>| {
            Searches::default().one_more(None, Duration::from_millis(10), |stop| {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                answer
            })
        };
        assert_eq!(search(Err(InputError::new("stopped"))).unwrap_err().message, LATE);
        assert_eq!(search(Ok("the best so far")), Ok("the best so far"));
    }
}
