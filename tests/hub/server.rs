//! A hub on this machine: the parts of its interface that downloading uses, with faults on demand.
//!
//! As on the real one, a listing tells commit and paths; small files come from the hub itself, after a
//! redirect without a host; large ones are redirected to another host, which knows nothing of tokens.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use sha2::{Digest as _, Sha256};

/// Files by their paths.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Contents from this length on lie on the other host.
const LARGE_BYTES: usize = 1000;

/// What goes wrong with a request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// An answer of this status with these headers.
    Status(u16, &'static str),
    /// The connection ends after so many bytes of the content.
    Truncated(usize),
    /// Nothing comes after so many bytes of the content.
    Stalled(usize),
    /// The content has another first byte.
    Damaged,
    /// The content is longer than was said.
    Longer,
    /// A range is not heeded.
    Whole,
    /// A byte comes every tenth of a second.
    Dripping,
    /// Nothing is said of a checksum.
    Unsummed,
}

/// A fault that requests meet whose line contains a text, so many times.
struct Planned {
    part: &'static str,
    fault: Fault,
    times: usize,
}

/// A request that came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path.
    pub(crate) line: String,
    pub(crate) authorization: Option<String>,
    pub(crate) range: Option<String>,
    /// Whether it came to the host of large files.
    pub(crate) is_elsewhere: bool,
}

#[derive(Default)]
struct State {
    /// `models/org/name` to commits by revision.
    repositories: BTreeMap<String, BTreeMap<String, String>>,
    /// Repository and commit to files.
    commits: BTreeMap<(String, String), Files>,
    /// Repositories that ask for this token, and what they answer without.
    guarded: BTreeMap<String, (&'static str, u16, &'static str)>,
    /// Files at `/archives/NAME`.
    archives: Files,
    /// What the list of files says of a file beside its path.
    listed: BTreeMap<&'static str, serde_json::Value>,
    faults: Vec<Planned>,
    seen: Vec<Seen>,
}

/// The running hub; it ends with the test process.
pub(crate) struct FakeHub {
    state: Arc<Mutex<State>>,
    pub(crate) endpoint: String,
}

impl FakeHub {
    /// Starts a hub without repositories.
    pub(crate) fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let elsewhere = serve(Arc::clone(&state), None);
        let endpoint = serve(Arc::clone(&state), Some(elsewhere));
        Self { state, endpoint }
    }

    /// Adds a commit to a repository, `models/…` or `datasets/…`, and lets a branch mean it.
    pub(crate) fn commit(&self, repository: &str, branch: &str, commit: &str, files: &Files) {
        let mut state = self.state.lock().unwrap();
        let revisions = state.repositories.entry(repository.to_owned()).or_default();
        revisions.insert(branch.to_owned(), commit.to_owned());
        revisions.insert(commit.to_owned(), commit.to_owned());
        state.commits.insert((repository.to_owned(), commit.to_owned()), files.clone());
    }

    /// Answers requests for the repository with a status and a header unless they carry the token.
    pub(crate) fn guard(
        &self,
        repository: &str,
        token: &'static str,
        status: u16,
        header: &'static str,
    ) {
        let mut state = self.state.lock().unwrap();
        state.guarded.insert(repository.to_owned(), (token, status, header));
    }

    /// Puts a file below `/archives/`; its address.
    pub(crate) fn archive(&self, name: &str, content: &[u8]) -> String {
        self.state.lock().unwrap().archives.insert(name.to_owned(), content.to_owned());
        format!("{}/archives/{name}", self.endpoint)
    }

    /// Lets lists of files say something about a file.
    pub(crate) fn list(&self, file: &'static str, entry: serde_json::Value) {
        self.state.lock().unwrap().listed.insert(file, entry);
    }

    /// Lets the next requests fail whose line contains the text.
    pub(crate) fn fail(&self, part: &'static str, fault: Fault, times: usize) {
        self.state.lock().unwrap().faults.push(Planned { part, fault, times });
    }

    /// The requests until now.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().seen.clone()
    }
}

/// The checksum by which a large content is known.
pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

/// Serves on a port of its own; the address.
fn serve(state: Arc<Mutex<State>>, elsewhere: Option<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (state, elsewhere) = (Arc::clone(&state), elsewhere.clone());
            thread::spawn(move || answer(stream, &state, elsewhere.as_deref()));
        }
    });
    address
}

/// Reads one request and answers it. Whoever goes away early is not missed.
fn answer(stream: TcpStream, state: &Mutex<State>, elsewhere: Option<&str>) {
    let Some((line, headers)) = read(&stream) else { return };
    let header = |name: &str| headers.get(name).cloned();
    let seen = Seen {
        line: line.clone(),
        authorization: header("authorization"),
        range: header("range"),
        is_elsewhere: elsewhere.is_none(),
    };
    let (fault, reply) = {
        let mut state = state.lock().unwrap();
        state.seen.push(seen);
        let planned = state
            .faults
            .iter_mut()
            .find(|planned| planned.times > 0 && line.contains(planned.part));
        let fault = planned.map(|planned| {
            planned.times -= 1;
            planned.fault.clone()
        });
        (fault, state.reply(&line, header("authorization").as_deref(), elsewhere))
    };
    let _ = write(stream, &line, header("range").as_deref(), reply, fault.as_ref());
}

fn read(stream: &TcpStream) -> Option<(String, BTreeMap<String, String>)> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let line = first.rsplit_once(' ')?.0.to_owned();
    let mut headers = BTreeMap::new();
    for header in lines {
        let header = header.ok()?;
        let Some((name, value)) = header.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    Some((line, headers))
}

/// An answer before ranges and faults.
struct Reply {
    status: u16,
    headers: String,
    content: Vec<u8>,
}

impl State {
    fn reply(&self, line: &str, authorization: Option<&str>, elsewhere: Option<&str>) -> Reply {
        let refused = |status, header: &str| Reply {
            status,
            headers: format!("{header}\r\n"),
            content: b"{\"error\": \"refused\"}".to_vec(),
        };
        let path = line.split_once(' ').map_or("", |(_, path)| path);
        let written = path.split('?').next().unwrap_or_default();
        let path = written.replace("%2F", "/").replace("%20", " ");
        let Some(elsewhere) = elsewhere else {
            let wanted = path.trim_start_matches('/');
            let contents = self.commits.values().flat_map(BTreeMap::values);
            let found = contents.into_iter().find(|content| sha256(content) == wanted);
            return found.map_or_else(
                || refused(404, "X-Odd: 1"),
                |content| Reply { status: 200, headers: String::new(), content: content.clone() },
            );
        };
        if let Some(name) = path.strip_prefix("/archives/") {
            let found = self.archives.get(name);
            return found.map_or_else(
                || refused(404, "X-Odd: 1"),
                |content| Reply { status: 200, headers: String::new(), content: content.clone() },
            );
        }
        let (repository, rest, is_listing) = split(&path);
        if let Some((token, status, header)) = self.guarded.get(&repository)
            && authorization != Some(&format!("Bearer {token}"))
        {
            return refused(*status, header);
        }
        let Some(revisions) = self.repositories.get(&repository) else {
            return refused(401, "X-Error-Code: RepoNotFound");
        };
        // A branch may have slashes.
        let at = |revision: &String| {
            rest == *revision || !is_listing && rest.starts_with(&format!("{revision}/"))
        };
        let Some((revision, commit)) = revisions.iter().find(|(revision, _)| at(revision)) else {
            return refused(404, "X-Error-Code: RevisionNotFound");
        };
        let files = &self.commits[&(repository, commit.clone())];
        if is_listing {
            let siblings: Vec<_> = files.keys().map(|path| self.sibling(path)).collect();
            let listing = serde_json::json!({"sha": commit, "id": "x", "private": false,
                "siblings": siblings, "tags": []});
            let headers = "Content-Type: application/json\r\n".to_owned();
            return Reply { status: 200, headers, content: listing.to_string().into_bytes() };
        }
        let file = rest[revision.len()..].trim_start_matches('/');
        let Some(content) = files.get(file) else {
            return refused(404, "X-Error-Code: EntryNotFound");
        };
        let sum = sha256(content);
        // The attributes of repositories name the endings of large files.
        let is_weights = [".safetensors", ".gguf"].iter().any(|ending| file.ends_with(ending));
        if content.len() >= LARGE_BYTES || is_weights {
            let headers = format!(
                "X-Repo-Commit: {commit}\r\nX-Linked-Etag: \"{sum}\"\r\nX-Linked-Size: {}\r\nETag: \"odd\"\r\nLocation: {elsewhere}/{sum}?signature=s\r\n",
                content.len()
            );
            return Reply { status: 302, headers, content: b"Found".to_vec() };
        }
        let mut headers = format!("X-Repo-Commit: {commit}\r\nETag: W/\"{}\"\r\n", &sum[..40]);
        if path.starts_with("/api/resolve-cache/") {
            return Reply { status: 200, headers, content: content.clone() };
        }
        let _ = write!(headers, "Location: /api/resolve-cache{written}?again=1\r\n");
        Reply { status: 307, headers, content: b"Temporary Redirect".to_vec() }
    }
}

impl State {
    fn sibling(&self, path: &str) -> serde_json::Value {
        let mut entry = self.listed.get(path).cloned().unwrap_or_else(|| serde_json::json!({}));
        entry["rfilename"] = path.into();
        entry
    }
}

/// Repository, what follows it, and whether its listing is asked for.
fn split(path: &str) -> (String, String, bool) {
    if let Some(path) = path.strip_prefix("/api/").filter(|path| !path.starts_with("resolve-cache"))
    {
        let (repository, revision) = path.split_once("/revision/").unwrap_or((path, "main"));
        return (repository.to_owned(), revision.to_owned(), true);
    }
    let path = path.trim_start_matches("/api/resolve-cache").trim_start_matches('/');
    let (repository, rest) = path.split_once("/resolve/").unwrap_or((path, ""));
    let is_dataset = repository.starts_with("datasets/");
    let repository =
        if is_dataset { repository.to_owned() } else { format!("models/{repository}") };
    (repository, rest.to_owned(), false)
}

fn write(
    mut stream: TcpStream,
    line: &str,
    range: Option<&str>,
    reply: Reply,
    fault: Option<&Fault>,
) -> std::io::Result<()> {
    let Reply { mut status, mut headers, mut content } = reply;
    let total = content.len();
    if let Some(Fault::Status(wanted, extra)) = fault {
        (status, headers, content) = (*wanted, format!("{extra}\r\n"), b"no".to_vec());
    }
    if let (Some(Fault::Damaged), Some(first)) = (fault, content.first_mut()) {
        *first ^= 1;
    }
    if matches!(fault, Some(Fault::Unsummed)) {
        let lines = headers.lines().filter(|line| !line.starts_with("X-Linked-Etag"));
        headers = lines.flat_map(|line| [line, "\r\n"]).collect();
    }
    if matches!(fault, Some(Fault::Longer)) {
        content.extend_from_slice(b"more");
    }
    let start = range
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix("-")?.parse::<usize>().ok());
    if let Some(start) = start.filter(|_| status == 200 && !matches!(fault, Some(Fault::Whole))) {
        if start < total {
            status = 206;
            let _ = write!(headers, "Content-Range: bytes {start}-{}/{total}\r\n", total - 1);
            content.drain(..start);
        } else {
            (status, content) = (416, Vec::new());
            let _ = write!(headers, "Content-Range: bytes */{total}\r\n");
        }
    }
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if line.starts_with("HEAD ") {
        return Ok(());
    }
    match fault {
        Some(Fault::Truncated(bytes)) => stream.write_all(&content[..*bytes]),
        Some(Fault::Dripping) => content.iter().try_for_each(|byte| {
            thread::sleep(Duration::from_millis(100));
            stream.write_all(&[*byte])
        }),
        Some(Fault::Stalled(bytes)) => {
            stream.write_all(&content[..*bytes])?;
            thread::sleep(Duration::from_mins(1));
            Ok(())
        }
        _ => stream.write_all(&content),
    }
}
