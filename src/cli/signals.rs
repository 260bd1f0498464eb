//! The signals that end a command.

/// Calls a function at every Ctrl-C, termination signal and hang-up of the terminal. Hang-ups that this process was told to
/// ignore, by `nohup`, are ignored.
#[cfg(unix)]
pub(super) fn on_signal(handle: fn()) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    let signals = [SIGINT, SIGTERM].into_iter().chain(hang_up);
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            handle();
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn on_signal(handle: fn()) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(handle)
}

/// Whether this process ignores a signal, where the system says so (it is Linux that does).
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored_in(&status).is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}

/// The set of ignored signals in `/proc/self/status`, the first signal in its lowest bit.
#[cfg(unix)]
fn ignored_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\ttictune\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored_in(status), Some(0x1001));
        assert_eq!(ignored_in("Name:\tx\n"), None);
        assert!(!is_ignored(signal_hook::consts::SIGTERM));
    }
}
