//! Who is let in: passwords, tokens, credentials, TLS. None of them shows anywhere.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

use crate::common::{assert_fails, assert_same, run, stderr, tictune};
use crate::needs::skip;
use crate::runs::SMALL;
use crate::server::{Process, Server};

/// What a program is started with to be let in.
#[derive(Clone, Default)]
struct Access {
    url: String,
    variables: Vec<(&'static str, String)>,
    args: Vec<String>,
}

impl Access {
    fn to(url: String) -> Self {
        Self { url, ..Self::default() }
    }

    fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn file(mut self, option: &str, path: &Path) -> Self {
        self.args.extend([option.to_owned(), path.display().to_string()]);
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = tictune(args);
        command.args(&self.args).envs(self.variables.iter().cloned());
        command
    }

    /// Runs a short match.
    fn play(&self) -> Output {
        let args = ["match", "random", "reflex", "--games", "4", "--executor", &self.url];
        self.command(&args).output().unwrap()
    }
}

/// Lets a worker play a run, and looks for secrets in all that it leaves and says.
fn lets_in(server: &Server, access: &Access, secrets: &[&str]) {
    let worker = Process::of(access.command(&["worker", &access.url, "--threads", "1"]));
    worker.wait_for("is ready");
    let config = server.path("let-in.toml");
    std::fs::write(&config, SMALL).unwrap();
    let [local, out] = ["local", "out"].map(|name| server.path(name));
    for folder in [&local, &out] {
        let _ = std::fs::remove_dir_all(folder);
    }
    let config = config.to_str().unwrap();
    assert!(run(&["evolve", config, "--out", local.to_str().unwrap()]).status.success());
    let args = ["evolve", config, "--out", out.to_str().unwrap(), "--executor", &access.url];
    let output = access.command(&args).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_same(&local, &out);
    let list = access.command(&["workers", &access.url]).output().unwrap();
    assert!(String::from_utf8_lossy(&list.stdout).contains("1 worker"), "{}", stderr(&list));
    let mut all = worker.said().into_bytes();
    for output in [output, list] {
        all.extend([output.stdout, output.stderr].concat());
    }
    let log = std::fs::read_to_string(out.join("log.txt")).unwrap_or_default();
    assert!(log.contains("INFO"), "{log}");
    for path in files(&out) {
        all.extend(std::fs::read(path).unwrap());
    }
    hides(&all, secrets);
}

fn hides(text: &[u8], secrets: &[&str]) {
    let text = String::from_utf8_lossy(text);
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

/// The files of a folder, and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Asserts that a match is refused at once.
fn refuses(access: &Access, expected: &str, secrets: &[&str]) {
    let output = access.play();
    assert_fails(&output, 2, expected);
    hides(&output.stderr, secrets);
    hides(&output.stdout, secrets);
}

#[test]
fn a_user_and_a_password() {
    let Some(server) = Server::start_with(&["--user", "me", "--pass", "geheim/77"]) else { return };
    let plain = Access::to(server.url());
    let with = |password| {
        let named = plain.clone().variable("TICTUNE_NATS_USER", "me");
        named.variable("TICTUNE_NATS_PASSWORD", password)
    };
    lets_in(&server, &with("geheim/77"), &["geheim"]);
    // In an address, it is written as addresses are.
    let in_url = |user: &str| Access::to(server.url().replace("://", &format!("://{user}@")));
    lets_in(&server, &in_url("me:geheim%2F77"), &["geheim"]);
    refuses(&plain, "authorization violation; it wants another user name", &[]);
    refuses(&with("geheim78"), "authorization violation", &["geheim"]);
    refuses(&in_url("me:geheim78"), "authorization violation", &["geheim"]);
    let output = with("geheim78").command(&["worker", &server.url()]).output().unwrap();
    assert_fails(&output, 2, "authorization violation");
    hides(&output.stderr, &["geheim"]);
    let nameless = plain.variable("TICTUNE_NATS_PASSWORD", "geheim/77");
    refuses(&nameless, "TICTUNE_NATS_USER is not", &["geheim"]);
    for bad in ["http://x", "nats://", "me:geheim77@host"] {
        let output = run(&["match", "random", "random", "--executor", bad]);
        assert_fails(&output, 2, "expected the address of a NATS server");
        hides(&output.stderr, &["geheim"]);
    }
}

#[test]
fn a_token() {
    let Some(server) = Server::start_with(&["--auth", "geheim77"]) else { return };
    let plain = Access::to(server.url());
    lets_in(&server, &plain.clone().variable("TICTUNE_NATS_TOKEN", "geheim77"), &["geheim"]);
    lets_in(&server, &Access::to(server.url().replace("://", "://geheim77@")), &["geheim"]);
    refuses(&plain, "authorization violation", &[]);
    let wrong = plain.variable("TICTUNE_NATS_TOKEN", "geheim78");
    refuses(&wrong, "authorization violation", &["geheim"]);
}

#[test]
fn a_password_that_changes_under_a_worker() {
    let user = |password| ["--user", "me", "--pass", password];
    let Some(mut server) = Server::start_with(&user("geheim77")) else { return };
    let access = Access::to(server.url()).variable("TICTUNE_NATS_USER", "me");
    let access = access.variable("TICTUNE_NATS_PASSWORD", "geheim77");
    let worker = Process::of(access.command(&["worker", &server.url(), "--threads", "1"]));
    worker.wait_for("is ready");
    server.kill();
    server.go_with(&user("geheim78"));
    worker.wait_for("does not let this program in any more: authorization violation");
    server.kill();
    server.go_with(&user("geheim77"));
    worker.wait_for("is back");
    assert!(access.play().status.success());
    hides(worker.said().as_bytes(), &["geheim"]);
}

#[test]
fn an_nkey() {
    let keys = KeyPair::new_user();
    let users = format!("authorization {{ users: [ {{ nkey: {} }} ] }}", keys.public_key());
    let Some(server) = Server::start_with_config(&users) else { return };
    let [own, other] = ["own.nk", "other.nk"].map(|name| server.path(name));
    let seeds = [&keys, &KeyPair::new_user()].map(|keys| keys.seed().unwrap());
    std::fs::write(&own, &seeds[0]).unwrap();
    std::fs::write(&other, format!("{}\n", seeds[1])).unwrap();
    let plain = Access::to(server.url());
    lets_in(&server, &plain.clone().file("--nats-credentials", &own), &[&seeds[0]]);
    let stranger = plain.clone().file("--nats-credentials", &other);
    refuses(&stranger, "authorization violation", &[&seeds[1]]);
    std::fs::write(&other, format!("{}x", &seeds[0])).unwrap();
    refuses(&plain.file("--nats-credentials", &other), "failed signing nonce", &[&seeds[0]]);
}

/// A JSON Web Token as `nsc` makes them, of somebody with these claims.
fn token(issuer: &KeyPair, subject: &KeyPair, claims: &Value) -> String {
    let encode = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
    let header = encode(json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let body = encode(json!({
        "jti": subject.public_key(), "iat": 1_700_000_000, "name": "test",
        "iss": issuer.public_key(), "sub": subject.public_key(), "nats": claims,
    }));
    let signed = format!("{header}.{body}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

#[test]
fn a_file_of_credentials() {
    let (operator, account, user) =
        (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let system = KeyPair::new_account();
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
        "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let no_streams = json!({ "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
        "wildcards": true, "conn": -1, "leaf": -1 });
    let of_account = |account: &KeyPair, limits: &Value| {
        let claims = json!({ "type": "account", "version": 2, "limits": limits });
        format!("{}: {}", account.public_key(), token(&operator, account, &claims))
    };
    let of_operator = json!({ "type": "operator", "version": 2,
        "system_account": system.public_key() });
    let config = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n{}\n{}\n}}\n",
        token(&operator, &operator, &of_operator),
        system.public_key(),
        of_account(&account, &limits),
        of_account(&system, &no_streams),
    );
    let Some(server) = Server::start_with_config(&config) else { return };
    let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": {}, "sub": {} });
    let credentials = |issuer: &KeyPair, name: &str| {
        let (token, seed) = (token(issuer, &user, &claims), user.seed().unwrap());
        let path = server.path(name);
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        std::fs::write(&path, text).unwrap();
        (Access::to(server.url()).file("--nats-credentials", &path), token, seed)
    };
    let (access, token, seed) = credentials(&account, "own.creds");
    lets_in(&server, &access, &[&token, &seed]);
    let (access, token, seed) = credentials(&KeyPair::new_account(), "other.creds");
    refuses(&access, "authorization violation", &[&token, &seed]);
    refuses(&Access::to(server.url()), "authorization violation", &[]);
    let gone = Access::to(server.url()).file("--nats-credentials", &server.path("gone.creds"));
    refuses(&gone, "gone.creds: cannot be read", &[]);
}

/// Certificates in a folder: of two authorities (`NAME.pem`), and one by the first for `127.0.0.1` (`server.pem`, its key
/// `server.key`). `None` without the program `openssl`.
fn certificates() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let openssl = |args: &[&str]| {
        let mut command = Command::new("openssl");
        let output = command.current_dir(&folder).args(args).output();
        output.map(|output| assert!(output.status.success(), "{}", stderr(&output)))
    };
    let key = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    for name in ["authority", "other"] {
        let (own_key, own, subject) =
            (format!("{name}.key"), format!("{name}.pem"), format!("/CN={name}"));
        let more = ["-x509", "-days", "2", "-keyout", &own_key, "-out", &own, "-subj", &subject];
        if openssl(&[&key[..], &more].concat()).is_err() {
            skip("openssl");
            return None;
        }
    }
    std::fs::write(folder.path().join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let request = ["-keyout", "server.key", "-out", "request.pem", "-subj", "/CN=server"];
    openssl(&[&key[..], &request].concat()).unwrap();
    let sign = "x509 -req -in request.pem -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \
                -extfile names -out server.pem";
    openssl(&sign.split_whitespace().collect::<Vec<_>>()).unwrap();
    Some(folder)
}

#[test]
fn tls_and_certificates() {
    let Some(folder) = certificates() else { return };
    let file = |name: &str| folder.path().join(name);
    let [cert, key, authority] =
        ["server.pem", "server.key", "authority.pem"].map(|name| file(name).display().to_string());
    let with_tls = ["--user", "me", "--pass", "geheim77", "--tlscert", &cert, "--tlskey", &key];
    let Some(server) = Server::start_with(&with_tls) else { return };
    let with_password = |url: String| {
        let named = Access::to(url).variable("TICTUNE_NATS_USER", "me");
        named.variable("TICTUNE_NATS_PASSWORD", "geheim77")
    };
    let plain = with_password(server.url());
    let tls = with_password(server.url().replace("nats://", "tls://"));
    lets_in(&server, &plain.clone().file("--nats-authority", &file("authority.pem")), &["geheim"]);
    lets_in(&server, &tls.clone().file("--nats-authority", &file("authority.pem")), &["geheim"]);
    for access in [&plain, &tls, &plain.clone().file("--nats-authority", &file("other.pem"))] {
        refuses(access, "no connection by TLS: invalid peer certificate", &["geheim"]);
    }
    refuses(&plain.clone().file("--nats-authority", &file("gone.pem")), "gone.pem: cannot be", &[]);
    let no_certificate = plain.clone().file("--nats-authority", &file("server.key"));
    refuses(
        &no_certificate,
        "server.key: expected a file in PEM, with a line \"-----BEGIN CERT",
        &[],
    );
    // The certificate is for the address, not for this name of it.
    let name = tls.url.replace("127.0.0.1", "localhost");
    let by_name = with_password(name).file("--nats-authority", &file("authority.pem"));
    refuses(&by_name, "not valid for name", &["geheim"]);
    drop(server);

    // A server that wants to know its clients.
    let verify = ["--tlscert", &cert, "--tlskey", &key, "--tlsverify", "--tlscacert", &authority];
    let Some(server) = Server::start_with(&verify) else { return };
    let stranger = Access::to(server.url()).file("--nats-authority", &file("authority.pem"));
    refuses(&stranger, "no connection by TLS: received fatal alert", &[]);
    let known = stranger.file("--nats-certificate", &file("server.pem"));
    let known = known.file("--nats-key", &file("server.key"));
    let secret = std::fs::read_to_string(&key).unwrap();
    lets_in(&server, &known, &[secret.lines().nth(1).unwrap()]);
    drop(server);

    // A password goes to no server that does not speak TLS, where TLS is wanted.
    let Some(server) = Server::start() else { return };
    let wanted = with_password(server.url()).file("--nats-authority", &file("authority.pem"));
    refuses(&wanted, "no connection by TLS", &["geheim"]);
}

#[test]
fn programs_do_not_learn_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = folder.path().join("bot.sh");
    let text = format!("env > {}\nwhile read -r line; do echo 0 0; done\n", seen.display());
    std::fs::write(&script, text).unwrap();
    let agent = format!("external:cmd=\"sh {}\",protocol=codingame", script.display());
    let secret = |name| Access::default().variable(name, "geheim77");
    for name in ["TICTUNE_NATS_USER", "TICTUNE_NATS_PASSWORD", "TICTUNE_NATS_TOKEN"] {
        let args = ["match", &agent, "random", "--openings", "none", "--games", "2"];
        secret(name).command(&args).output().unwrap();
        let environment = std::fs::read(&seen).unwrap();
        assert!(String::from_utf8_lossy(&environment).contains("PATH="));
        hides(&environment, &["geheim"]);
    }
}
