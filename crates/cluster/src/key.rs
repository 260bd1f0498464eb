//! The key that a driver and its workers share. Those without it can make no message that counts.
//!
//! The key itself is never sent: each message has an HMAC-SHA256 over its subject and its bytes. The subject of a part
//! and of a result holds the session, which no other driver has; the bytes name the work by its hash, the part and
//! the attempt. A message of another run, or of another kind, therefore does not count.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use tictune_core::files::hexadecimal;
use tictune_core::input::{InputError, Result, read_text};

/// How many bytes a key may have.
const LENGTHS: std::ops::RangeInclusive<usize> = 32..=4096;

#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// Reads a key from a file. White space around it does not count. The second value is a warning where other users of the
    /// machine may read it.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds too little for a key. The message does not repeat what is in the file.
    pub fn read(path: &Path) -> Result<(Self, Option<String>)> {
        let text = read_text(path)?;
        let key = text.trim();
        let (length, least, most) = (key.len(), LENGTHS.start(), LENGTHS.end());
        if !LENGTHS.contains(&length) {
            let message = format!(
                "contains {length} bytes; expected a key of {least} to {most} bytes. `openssl rand -hex 32` makes one"
            );
            return Err(InputError::in_file(path, message));
        }
        let mac = Hmac::new_from_slice(key.as_bytes())
            .map_err(|error| InputError::in_file(path, error.to_string()))?;
        Ok((Self(mac), warning(path)))
    }

    fn over(&self, subject: &str, payload: &[u8]) -> Hmac<Sha256> {
        // No subject holds a zero.
        self.0.clone().chain_update(subject).chain_update([0]).chain_update(payload)
    }

    pub(super) fn code(&self, subject: &str, payload: &[u8]) -> String {
        hexadecimal(&self.over(subject, payload).finalize().into_bytes())
    }

    /// Compares in a time that does not depend on where codes differ.
    pub(super) fn made(&self, code: &str, subject: &str, payload: &[u8]) -> bool {
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let code: Option<Vec<u8>> = code.as_bytes().chunks(2).map(byte).collect();
        code.is_some_and(|code| self.over(subject, payload).verify_slice(&code).is_ok())
    }
}

pub(super) fn hash_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(unix)]
fn warning(path: &Path) -> Option<String> {
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(path).ok()?);
    (mode & 0o077 != 0).then(|| {
        format!(
            "warning: other users of this machine can access {}; run `chmod 600` on it",
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

    fn key(text: &str) -> Result<Key> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Key::read(file.path()).map(|(key, _)| key)
    }

    #[test]
    fn a_message_counts_under_its_key_its_subject_and_its_bytes_only() {
        // printf 'tictune.parts.1\0text' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
        const OF_OPENSSL: &str = "29b0e9bbd709699ca553c68d4a8c29c649df38c8216901583bb01e7573017393";
        let own = key(" 0123456789abcdef0123456789abcdef\n").unwrap();
        let code = own.code("tictune.parts.1", b"text");
        assert_eq!(code, OF_OPENSSL);
        assert!(own.made(&code, "tictune.parts.1", b"text"));
        assert!(!key(&"b".repeat(32)).unwrap().made(&code, "tictune.parts.1", b"text"));
        assert!(!own.made(&code, "tictune.parts.2", b"text"));
        assert!(!own.made(&code, "tictune.parts.1", b"texts"));
        for wrong in ["", "0", &code[..62], &code.replace('a', "é"), &format!("{code}00"), "+f"] {
            assert!(!own.made(wrong, "tictune.parts.1", b"text"), "{wrong}");
        }
        let error = key("geheim77").err().unwrap().to_string();
        assert!(error.contains("openssl rand -hex 32") && !error.contains("geheim"), "{error}");
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
