//! The address of a server, and what a program says to be let in.

use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use tictune_core::input::{InputError, Result, read_text};

#[derive(Clone, Default)]
pub struct Secrets {
    pub user: Option<(String, String)>,
    pub token: Option<String>,
    /// A file of credentials, as `nsc` writes it, or of the seed of an nkey.
    pub credentials: Option<PathBuf>,
    /// Certificates of the authorities that may have signed the server's, instead of the system's.
    pub authority: Option<PathBuf>,
    /// A certificate and its key, by which the server knows this program.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

#[derive(Clone)]
pub struct Server {
    /// The address without secrets: the client library may log it.
    pub(super) address: ServerAddr,
    pub(super) options: ConnectOptions,
}

impl Server {
    /// Reads an address, such as `nats://host:4222` or `tls://user@host`, and the files of the secrets.
    ///
    /// # Errors
    /// Text that is no address; the message does not repeat it, since it may hold a password. Files that cannot be read or
    /// do not hold what they should.
    pub fn new(address: &str, mut secrets: Secrets) -> Result<Self> {
        const WRONG: &str =
            "expected the address of a NATS server, as in nats://HOST:4222 or tls://HOST:4222";
        let wrong = || InputError::new(WRONG);
        let scheme = address.split_once("://").map(|(scheme, _)| scheme);
        let parsed = address.parse().ok().filter(|_| matches!(scheme, Some("nats" | "tls")));
        let address: ServerAddr = parsed.ok_or_else(wrong)?;
        if address.host().is_empty() {
            return Err(wrong());
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        match (address.username(), address.password()) {
            _ if secrets.user.is_some() || secrets.token.is_some() => {}
            (Some(user), Some(password)) => {
                secrets.user = Some((decoded(user), decoded(password)));
            }
            // As other programs of NATS take it.
            (Some(token), None) => secrets.token = Some(decoded(token)),
            (None, _) => {}
        }
        let mut bare = address.into_inner();
        // These fail for addresses without a host.
        let _ = (bare.set_username(""), bare.set_password(None));
        let address = ServerAddr::from_url(bare).map_err(|_| wrong())?;
        Ok(Self { options: options(&address, secrets)?, address })
    }

    pub fn name(&self) -> String {
        format!("{}:{}", self.address.host(), self.address.port())
    }
}

fn options(address: &ServerAddr, secrets: Secrets) -> Result<ConnectOptions> {
    let Secrets { user, token, credentials, authority, certificate } = secrets;
    // Who names certificates wants none of this to go over the network in the clear, whatever the server says.
    let tls = address.tls_required() || authority.is_some() || certificate.is_some();
    let mut options = ConnectOptions::new().require_tls(tls);
    if let Some((user, password)) = user {
        options = options.user_and_password(user, password);
    }
    if let Some(token) = token {
        options = options.token(token);
    }
    if let Some(path) = credentials {
        let text = read_text(&path)?;
        options = match text.trim() {
            seed if seed.starts_with("SU") => options.nkey(seed.to_owned()),
            // The library's own message might repeat what is in the file.
            _ => options.credentials(&text).map_err(|_| {
                InputError::in_file(&path, "expected credentials, as `nsc generate creds` writes them, or the seed of an nkey")
            })?,
        };
    }
    if let Some(path) = authority {
        check_pem(&path, "CERTIFICATE-----")?;
        options = options.add_root_certificates(path);
    }
    if let Some((certificate, key)) = certificate {
        check_pem(&certificate, "CERTIFICATE-----")?;
        check_pem(&key, "PRIVATE KEY-----")?;
        options = options.add_client_certificate(certificate, key);
    }
    Ok(options)
}

/// Checks that a file holds something in PEM. The client library takes a file without certificates for one with none.
fn check_pem(path: &Path, what: &str) -> Result<()> {
    let text = read_text(path)?;
    match text.lines().any(|line| line.starts_with("-----BEGIN ") && line.ends_with(what)) {
        true => Ok(()),
        false => {
            let what = what.trim_end_matches('-');
            let message = format!("expected a file in PEM, with a line \"-----BEGIN {what}-----\"");
            Err(InputError::in_file(path, message))
        }
    }
}

/// Why a server does not let this program in, if it is of no use to try again.
pub(super) fn refusal(error: &ConnectError) -> Option<String> {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            Some(format!(
                "{}; check the user name and password, the token, or the credentials file",
                error.kind()
            ))
        }
        ConnectErrorKind::Io => {
            let io = error.source()?.downcast_ref::<std::io::Error>()?;
            // A handshake that fails, and a server that is none of NATS.
            let wrong = matches!(io.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput);
            wrong.then(|| of_tls(&cause))
        }
        ConnectErrorKind::Tls => Some(of_tls(&cause)),
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => None,
        ConnectErrorKind::ServerParse | ConnectErrorKind::MaxReconnects => Some(error.to_string()),
    }
}

fn of_tls(cause: &str) -> String {
    let cause: String = cause.chars().take(200).collect();
    format!(
        "no TLS connection: {}; --nats-authority names the authority that signed the server's certificate, \
         --nats-certificate and --nats-key this program's own certificate, if the server requires one",
        cause.escape_debug()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_no_secrets_are_refused_without_their_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "geheim77\n").unwrap();
        let file = || Some(path.clone());
        let both = || Some((path.clone(), path.clone()));
        for (secrets, expected) in [
            (Secrets { credentials: file(), ..Secrets::default() }, "expected credentials"),
            (Secrets { authority: file(), ..Secrets::default() }, "-----BEGIN CERTIFICATE-----"),
            (Secrets { certificate: both(), ..Secrets::default() }, "-----BEGIN CERTIFICATE-----"),
        ] {
            let error = Server::new("nats://host", secrets).err().unwrap().to_string();
            assert!(error.contains(expected) && !error.contains("geheim"), "{error}");
            assert!(error.starts_with(&path.display().to_string()), "{error}");
        }
    }
}
