//! The key that a driver and its workers share. Whoever does not have it can make no message that counts.
//!
//! The key itself is never sent: each message carries an HMAC-SHA256 over its subject and its bytes. The subject of a part
//! and of a result holds the session, which no other driver has; the bytes name the work by its hash, the part and
//! the attempt. A message of another run, or of another kind, therefore does not count.

use std::fmt;
use std::path::Path;

use async_nats::HeaderMap;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use tictune_core::input::{InputError, read_text};

/// The header that carries the code.
const HEADER: &str = "Tictune-MAC";

/// The least length of a key in bytes, and the greatest.
const LENGTHS: std::ops::RangeInclusive<usize> = 32..=4096;

/// A key that was read.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// Reads a key from a file. White space around it does not count. The second value is a warning where other users of the
    /// machine may read it.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds too little for a key. The message does not repeat what is in the file.
    pub fn read(path: &Path) -> Result<(Self, Option<String>), InputError> {
        let text = read_text(path)?;
        let key = text.trim();
        if !LENGTHS.contains(&key.len()) {
            return Err(InputError::in_file(
                path,
                format!(
                    "holds {} bytes; expected a key of {} to {}. `openssl rand -hex 32` makes one",
                    key.len(),
                    LENGTHS.start(),
                    LENGTHS.end()
                ),
            ));
        }
        let mac = Hmac::new_from_slice(key.as_bytes())
            .map_err(|error| InputError::in_file(path, error.to_string()))?;
        Ok((Self(mac), warning(path)))
    }

    fn over(&self, subject: &str, payload: &[u8]) -> Hmac<Sha256> {
        // No subject holds a zero.
        self.0.clone().chain_update(subject).chain_update([0]).chain_update(payload)
    }

    fn code(&self, subject: &str, payload: &[u8]) -> String {
        hexadecimal(&self.over(subject, payload).finalize().into_bytes())
    }

    /// Compares in a time that does not depend on where codes differ.
    fn made(&self, code: &str, subject: &str, payload: &[u8]) -> bool {
        let code = bytes_of(code);
        code.is_some_and(|code| self.over(subject, payload).verify_slice(&code).is_ok())
    }
}

/// The headers of a message; none without a key.
pub(super) fn sealed(key: Option<&Key>, subject: &str, payload: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert(HEADER, key.code(subject, payload));
    }
    headers
}

/// Checks that whoever sent a message has the same key, or none if there is none here. `subject` is where this program
/// expects the message, whatever the message says.
///
/// # Errors
/// Why the message does not count.
pub(super) fn check_seal(
    key: Option<&Key>,
    subject: &str,
    message: &async_nats::Message,
) -> Result<(), &'static str> {
    let headers = message.headers.as_ref();
    let code = headers.and_then(|headers| headers.get(HEADER)).map(|code| code.as_str());
    match (key, code) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err("it has a key, and this program has none: give both the same --key"),
        (Some(_), None) => Err("it has no key: give it the --key of this program"),
        (Some(key), Some(code)) if key.made(code, subject, &message.payload) => Ok(()),
        (Some(_), Some(_)) => Err("it has another key, or the message was changed on its way"),
    }
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(unix)]
fn warning(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    (mode & 0o077 != 0).then(|| {
        format!(
            "warning: {} is open to other users of this machine; run `chmod 600` on it",
            path.display()
        )
    })
}

#[cfg(not(unix))]
fn warning(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Key::read(file.path()).unwrap().0
    }

    #[test]
    fn the_code_is_that_of_other_programs() {
        // printf 'tictune.parts.1\0text' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
        let code = key(" 0123456789abcdef0123456789abcdef\n").code("tictune.parts.1", b"text");
        assert_eq!(code, OF_OPENSSL);
    }

    const OF_OPENSSL: &str = "29b0e9bbd709699ca553c68d4a8c29c649df38c8216901583bb01e7573017393";

    #[test]
    fn a_message_counts_under_its_key_its_subject_and_its_bytes_only() {
        let (own, other) = (key(&"a".repeat(32)), key(&"b".repeat(32)));
        let code = own.code("subject", b"text");
        assert!(own.made(&code, "subject", b"text"));
        assert!(!other.made(&code, "subject", b"text"));
        assert!(!own.made(&code, "subject2", b"text"));
        assert!(!own.made(&code, "subject", b"texts"));
        for wrong in ["", "0", &code[..62], &code.replace('a', "é"), &format!("{code}00"), "+f"] {
            assert!(!own.made(wrong, "subject", b"text"), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_short_for_a_key_is_refused_without_its_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "geheim77").unwrap();
        let error = Key::read(file.path()).unwrap_err().to_string();
        assert!(error.contains("openssl rand -hex 32") && !error.contains("geheim"), "{error}");
        assert_eq!(format!("{:?}", key(&"geheim77".repeat(8))), "Key");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_warned_of() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "x".repeat(64)).unwrap();
        for (mode, warns) in [(0o600, false), (0o640, true), (0o644, true)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(Key::read(file.path()).unwrap().1.is_some(), warns, "{mode:o}");
        }
    }
}
