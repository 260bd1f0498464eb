//! The connections that are open, by who is at their other end. Slow ones make way: they keep nobody from an answer.

use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The connections that are open at once; a browser has six.
const MOST: usize = 64;

/// Those of one address.
const MOST_OF_PEER: usize = 32;

/// The connections that are open, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Connections(Mutex<Vec<Open>>);

#[derive(Debug)]
struct Open {
    number: u64,
    peer: IpAddr,
    stream: TcpStream,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Reading,
    /// For us.
    Answering,
    /// For the browser, which reads the answer.
    Writing,
}

impl Connections {
    fn all(&self) -> MutexGuard<'_, Vec<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection. Where there are too many, of its peer or of all, the oldest that has not sent its request ends, or
    /// else the oldest that has not read its answer. `None` if all wait for us.
    pub(super) fn admit(&self, stream: &TcpStream, peer: IpAddr) -> Option<Place<'_>> {
        let (peer, stream) = (peer.to_canonical(), stream.try_clone().ok()?);
        let mut all = self.all();
        let of_peer = all.iter().filter(|open| open.peer == peer).count();
        if of_peer >= MOST_OF_PEER {
            end_slowest(&mut all, |open| open.peer == peer)?;
        } else if all.len() >= MOST {
            end_slowest(&mut all, |_| true)?;
        }
        let number = all.last().map_or(0, |last| last.number + 1);
        all.push(Open { number, peer, stream, state: State::Reading });
        Some(Place { connections: self, number })
    }
}

/// Ends a connection that is waited for; `None` if there is none.
fn end_slowest(all: &mut Vec<Open>, among: impl Fn(&Open) -> bool) -> Option<()> {
    let oldest = |state| all.iter().position(|open| open.state == state && among(open));
    let ended = all.remove(oldest(State::Reading).or_else(|| oldest(State::Writing))?);
    // Whoever reads from it or writes to it is told that nobody is there.
    let _ = ended.stream.shutdown(Shutdown::Both);
    Some(())
}

/// A connection that was admitted, until it is dropped.
#[derive(Debug)]
pub(super) struct Place<'c> {
    connections: &'c Connections,
    number: u64,
}

impl Place<'_> {
    /// Notes what the connection waits for now.
    pub(super) fn is_now(&self, state: State) {
        let mut all = self.connections.all();
        if let Some(open) = all.iter_mut().find(|open| open.number == self.number) {
            open.state = state;
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.connections.all().retain(|open| open.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn slow_connections_make_way_for_those_of_their_peer_and_then_for_all() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connections = Connections::default();
        let mut browsers = Vec::new();
        let mut admit = |peer: u8| {
            browsers.push(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
            let (stream, _) = listener.accept().unwrap();
            connections.admit(&stream, IpAddr::from([10, 0, 0, peer]))
        };
        let answered = admit(1).unwrap();
        answered.is_now(State::Answering);
        let other = admit(2).unwrap();
        let slow: Vec<_> = (0..100).map(|_| admit(1).unwrap()).collect();
        let open = |place: &Place<'_>| connections.all().iter().any(|o| o.number == place.number);
        let of_peer = slow.iter().map(open).collect::<Vec<_>>();
        assert_eq!(of_peer.iter().filter(|open| **open).count(), MOST_OF_PEER - 1);
        assert!(of_peer.ends_with(&[true; MOST_OF_PEER - 1]), "the oldest have ended");
        assert!(open(&answered) && open(&other));
        let more: Vec<_> = (3..100).map(|peer| admit(peer).unwrap()).collect();
        assert_eq!(connections.all().len(), MOST);
        assert!(open(&answered) && !open(&other), "one address after the other does not help");
        // Where all wait for us, there is no place.
        slow.iter().chain(&more).for_each(|place| place.is_now(State::Answering));
        assert!(admit(200).is_none());
        // The third browser was the first of the slow ones.
        assert_eq!(browsers[2].read(&mut [0]).unwrap(), 0);
        drop((slow, more, answered));
        assert!(connections.all().is_empty());
    }
}
