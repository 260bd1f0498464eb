//! Who is let in: passwords, tokens, credentials, TLS. None of them shows anywhere.

use std::process::{Command, Output};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

use crate::common::{Folder, assert_fails, assert_has, assert_same, contents, stderr, stdout};
use crate::needs::skip;
use crate::runs::SMALL;
use crate::server::{Process, Server};

/// What a program is started with to be let in to a server.
#[derive(Clone)]
struct Access<'s> {
    server: &'s Server,
    url: String,
    /// Variables of its environment that begin with `TICTUNE_NATS_`.
    variables: Vec<(&'static str, String)>,
    options: String,
}

impl<'s> Access<'s> {
    fn to(server: &'s Server) -> Self {
        Self { server, url: server.url(), variables: Vec::new(), options: String::new() }
    }

    /// With a part of the address replaced.
    fn at(mut self, old: &str, new: &str) -> Self {
        self.url = self.url.replace(old, new);
        self
    }

    fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn user(self, password: &str) -> Self {
        self.variable("USER", "me").variable("PASSWORD", password)
    }

    /// With options; files are in the server's folder.
    fn options(mut self, options: &str) -> Self {
        self.options += options;
        self
    }

    /// A command, with the address in place of `URL`.
    fn command(&self, line: &str) -> Command {
        let line = format!("{} {}", line.replace("URL", &self.url), self.options);
        let mut command = self.server.folder.command(&line);
        let name = |(name, value): &(&str, String)| (format!("TICTUNE_NATS_{name}"), value.clone());
        command.envs(self.variables.iter().map(name));
        command
    }

    /// Runs a short match.
    fn play(&self) -> Output {
        self.command("match random reflex --games 4 --executor URL").output().unwrap()
    }

    /// Lets a worker play a run, and looks for secrets in all that it leaves and says.
    fn is_let_in(&self, secrets: &[&str]) {
        let worker = Process::of(self.command("worker URL --threads 1"));
        worker.wait_for("is ready");
        let folder = &self.server.folder;
        folder.file("c.toml", SMALL);
        for out in ["local", "out"] {
            let _ = std::fs::remove_dir_all(folder.path(out));
        }
        folder.said("evolve c.toml --out local");
        let evolve = self.command("evolve c.toml --out out --executor URL").output().unwrap();
        assert!(evolve.status.success(), "{}", stderr(&evolve));
        assert_same(&folder.path("local"), &folder.path("out"));
        let list = self.command("workers URL").output().unwrap();
        assert_has(&stdout(&list), &["1 worker"]);
        let log = folder.read("out/log.txt");
        assert_has(&log, &["INFO"]);
        let said = [&evolve, &list].map(|output| stdout(output) + &stderr(output)).concat();
        let files: String = contents(&folder.path("out")).into_values().collect();
        hides(&[worker.said(), said, log, files].concat(), secrets);
    }

    /// Asserts that a match is refused at once.
    fn is_refused(&self, expected: &str, secrets: &[&str]) {
        let output = self.play();
        assert_fails(&output, 2, expected);
        hides(&(stdout(&output) + &stderr(&output)), secrets);
    }
}

fn hides(text: &str, secrets: &[&str]) {
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn a_user_and_a_password() {
    let Some(server) = Server::start_with("--user me --pass geheim/77", "") else { return };
    let plain = Access::to(&server);
    plain.clone().user("geheim/77").is_let_in(&["geheim"]);
    // In an address, it is written as addresses are.
    let in_url = |user: &str| plain.clone().at("://", &format!("://{user}@"));
    in_url("me:geheim%2F77").is_let_in(&["geheim"]);
    plain.is_refused("authorization violation; check the user name", &[]);
    let wrong = plain.clone().user("geheim78");
    wrong.is_refused("authorization violation", &["geheim"]);
    in_url("me:geheim78").is_refused("authorization violation", &["geheim"]);
    let worker = wrong.command("worker URL").output().unwrap();
    assert_fails(&worker, 2, "authorization violation");
    hides(&stderr(&worker), &["geheim"]);
    let nameless = plain.clone().variable("PASSWORD", "geheim/77");
    nameless.is_refused("TICTUNE_NATS_USER is not", &["geheim"]);
    for bad in ["http://x", "nats://", "me:geheim77@host"] {
        let bad = Access { url: bad.into(), ..plain.clone() };
        bad.is_refused("expected the address of a NATS server", &["geheim"]);
    }
}

#[test]
fn a_token() {
    let Some(server) = Server::start_with("--auth geheim77", "") else { return };
    let plain = Access::to(&server);
    plain.clone().variable("TOKEN", "geheim77").is_let_in(&["geheim"]);
    plain.clone().at("://", "://geheim77@").is_let_in(&["geheim"]);
    plain.is_refused("authorization violation", &[]);
    plain.variable("TOKEN", "geheim78").is_refused("authorization violation", &["geheim"]);
}

#[test]
fn a_password_that_changes_under_a_worker() {
    let Some(mut server) = Server::start_with("--user me --pass geheim77", "") else { return };
    let worker =
        Process::of(Access::to(&server).user("geheim77").command("worker URL --threads 1"));
    worker.wait_for("is ready");
    for (password, said) in [
        ("geheim78", "no longer accepts this program: authorization violation"),
        ("geheim77", "is back"),
    ] {
        server.kill();
        server.more = format!("--user me --pass {password}");
        server.go();
        worker.wait_for(said);
    }
    assert!(Access::to(&server).user("geheim77").play().status.success());
    hides(&worker.said(), &["geheim"]);
}

#[test]
fn an_nkey() {
    let keys = KeyPair::new_user();
    let users = format!("authorization {{ users: [ {{ nkey: {} }} ] }}", keys.public_key());
    let Some(server) = Server::start_with_config(&users) else { return };
    let [own, other] = [&keys, &KeyPair::new_user()].map(|keys| keys.seed().unwrap());
    for (seed, refused) in [
        (own.clone(), None),
        (format!("{other}\n"), Some("authorization violation")),
        (format!("{own}x"), Some("failed signing nonce")),
    ] {
        server.folder.file("nkey", &seed);
        let access = Access::to(&server).options("--nats-credentials nkey");
        match refused {
            None => access.is_let_in(&[&own]),
            Some(expected) => access.is_refused(expected, &[seed.trim()]),
        }
    }
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
    let mut limits = json!({ "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1 });
    let no_streams = limits.clone();
    for stream in ["mem_storage", "disk_storage", "streams", "consumer"] {
        limits[stream] = (-1).into();
    }
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
    for (issuer, refused) in [(&account, false), (&KeyPair::new_account(), true)] {
        let (token, seed) = (token(issuer, &user, &claims), user.seed().unwrap());
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        server.folder.file("creds", &text);
        let access = Access::to(&server).options("--nats-credentials creds");
        match refused {
            false => access.is_let_in(&[&token, &seed]),
            true => access.is_refused("authorization violation", &[&token, &seed]),
        }
    }
    Access::to(&server).is_refused("authorization violation", &[]);
    let gone = Access::to(&server).options("--nats-credentials gone");
    gone.is_refused("gone: cannot be read", &[]);
}

/// With an authority that signs certificates.
fn by<'s>(access: &Access<'s>, authority: &str) -> Access<'s> {
    access.clone().options(&format!(" --nats-authority {authority}"))
}

/// Certificates in a folder: of two authorities (`NAME.pem`), and one by the first for `127.0.0.1` (`server.pem`, its key
/// `server.key`). `None` without the program `openssl`.
fn certificates() -> Option<Folder> {
    let folder = Folder::with("names", "subjectAltName=IP:127.0.0.1\n");
    let openssl = |line: &str| {
        let mut command = Command::new("openssl");
        let output = command.current_dir(folder.path("")).args(line.split(' ')).output();
        output.map(|output| assert!(output.status.success(), "{}", stderr(&output)))
    };
    let key = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for name in ["authority", "other"] {
        let files = format!("-keyout {name}.key -out {name}.pem -subj /CN={name}");
        if openssl(&format!("{key} -x509 -days 2 {files}")).is_err() {
            skip("openssl");
            return None;
        }
    }
    openssl(&format!("{key} -keyout server.key -out request.pem -subj /CN=server")).unwrap();
    let sign =
        "x509 -req -in request.pem -CA authority.pem -CAkey authority.key -CAcreateserial -days 2";
    openssl(&format!("{sign} -extfile names -out server.pem")).unwrap();
    Some(folder)
}

#[test]
fn a_server_whose_disk_is_full_says_so() {
    let Some(server) = Server::start_with_config("jetstream { max_file_store: 1000000 }") else {
        return;
    };
    let line = format!("worker {} --threads 1", server.url());
    Process::of(server.folder.command(&line)).wait_for("no room for two streams of 1 GiB");
}

#[test]
fn tls_and_certificates() {
    let Some(folder) = certificates() else { return };
    let file = |name: &str| folder.text(name);
    let with_tls = format!("--tlscert {} --tlskey {}", file("server.pem"), file("server.key"));
    let with_password = format!("--user me --pass geheim77 {with_tls}");
    let Some(server) = Server::start_with(&with_password, "") else { return };
    let plain = Access::to(&server).user("geheim77");
    let tls = plain.clone().at("nats://", "tls://");
    by(&plain, &file("authority.pem")).is_let_in(&["geheim"]);
    by(&tls, &file("authority.pem")).is_let_in(&["geheim"]);
    for access in [&plain, &tls, &by(&plain, &file("other.pem"))] {
        access.is_refused("no TLS connection: invalid peer certificate", &["geheim"]);
    }
    by(&plain, &file("gone.pem")).is_refused("gone.pem: cannot be", &[]);
    let expected = "server.key: expected a file in PEM, with a line \"-----BEGIN CERT";
    by(&plain, &file("server.key")).is_refused(expected, &[]);
    // The certificate is for the address, not for this name of it.
    let by_name = by(&tls, &file("authority.pem")).at("127.0.0.1", "localhost");
    by_name.is_refused("not valid for name", &["geheim"]);

    // A server that wants to know its clients.
    let verify = format!("{with_tls} --tlsverify --tlscacert {}", file("authority.pem"));
    let Some(server) = Server::start_with(&verify, "") else { return };
    let stranger = by(&Access::to(&server), &file("authority.pem"));
    stranger.is_refused("no TLS connection: received fatal alert", &[]);
    let own =
        format!(" --nats-certificate {} --nats-key {}", file("server.pem"), file("server.key"));
    let secret = folder.read("server.key");
    stranger.options(&own).is_let_in(&[secret.lines().nth(1).unwrap()]);

    // A password goes to no server that does not speak TLS, where TLS is wanted.
    let Some(server) = Server::start() else { return };
    let wanted = by(&Access::to(&server).user("geheim77"), &file("authority.pem"));
    wanted.is_refused("no TLS connection", &["geheim"]);
}

#[test]
fn programs_do_not_learn_the_password() {
    let folder = Folder::new();
    let script = "env > $DIR/seen\nwhile read -r line; do echo 0 0; done\n";
    let agent = crate::common::quoted(&folder.agent("bot.sh", script, "protocol=codingame"));
    for name in ["USER", "PASSWORD", "TOKEN"] {
        let mut command =
            folder.command(&format!("match {agent} random --openings none --games 2"));
        command.env(format!("TICTUNE_NATS_{name}"), "geheim77").output().unwrap();
        let environment = folder.read("seen");
        assert_has(&environment, &["PATH="]);
        hides(&environment, &["geheim"]);
    }
}
