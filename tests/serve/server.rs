//! The built binary as a server on a free port, and a client that sees every byte.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    time::Duration,
};

use serde_json::Value as Json;

/// Nothing here takes longer.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running server; it ends with the test.
pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
    stderr: BufReader<ChildStderr>,
    /// What requests bring.
    pub(super) key: Option<String>,
}

/// A reply.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The events of a stream but the last, which is checked.
    pub(super) fn events(&self) -> Vec<Json> {
        assert_eq!(self.status, 200, "{self:?}");
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let mut lines: Vec<&str> = lines.collect();
        assert_eq!(lines.pop(), Some("[DONE]"), "{self:?}");
        lines.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A checkpoint of the repository.
pub(super) fn model(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

impl Server {
    /// Serves a checkpoint of the repository by the name `tiny`.
    pub(super) fn start(checkpoint: &str, more: &[&str]) -> Self {
        Self::start_with(checkpoint, more, &[])
    }

    pub(super) fn start_with(checkpoint: &str, more: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surprisal"));
        command.args([
            "serve",
            "--port",
            "0",
            "--name",
            "tiny",
            "--device",
            "cpu",
            "--threads",
            "1",
        ]);
        command.args(["--model".as_ref(), model(checkpoint).as_os_str()]).args(more);
        command.envs(variables.iter().copied()).stderr(Stdio::piped());
        #[expect(
            clippy::zombie_processes,
            reason = "the test waits for it when it ends the server"
        )]
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        loop {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended: {said}");
            said.push_str(&line);
            if let Some((_, rest)) = line.split_once("is served at http://") {
                let address = rest.split_once('/').unwrap().0.parse().unwrap();
                return Self { child, address, stderr, key: None };
            }
        }
    }

    /// Sends a request, of which the reply is read later.
    pub(super) fn send(&self, method: &str, path: &str, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let key = self.key.as_ref();
        let key = key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{key}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has read enough may hang up.
        _ = stream.write_all(body);
        stream
    }

    /// Sends a request and reads the whole reply.
    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> Reply {
        read(self.send(method, path, body))
    }

    pub(super) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, b"")
    }

    pub(super) fn post(&self, path: &str, body: &Json) -> Reply {
        self.ask("POST", path, body.to_string().as_bytes())
    }

    /// A completion that is answered.
    pub(super) fn complete(&self, body: &Json) -> Json {
        let reply = self.post("/v1/completions", body);
        assert_eq!(reply.status, 200, "{body}: {reply:?}");
        reply.json()
    }

    /// The value of a metric.
    pub(super) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name}: {text}")).parse().unwrap()
    }

    /// Waits until it says something.
    pub(super) fn until_it_says(&mut self, what: &str) {
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "it ended");
        }
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for its end; what it said meanwhile.
    pub(super) fn wait(&mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Reads a reply to its end.
pub(super) fn read(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        // A body that was not read to its end is hung up on, behind the reply.
        assert!(!bytes.is_empty(), "{error}");
    }
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Reply { status, head: head.to_owned(), body }
}

/// The pieces of a chunked body.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    whole
}
