//! A server on this machine that answers piece by piece, as a script says.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value as Json, json};

/// How the server tells how many tokens there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// At the end.
    AtEnd,
    /// With each piece.
    AsItGoes,
    /// Never.
    Untold,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// Pieces of so many words each, the first after a wait, the others after a pause.
    Pieces { wait: Duration, tokens: Vec<usize>, pause: Duration, usage: Usage },
    /// The answer in one piece, although it was asked for in several.
    Whole,
    /// This status with these words.
    Status(u16, &'static str),
    /// These bytes, and nothing more.
    Bytes(Vec<u8>),
}

impl Reply {
    /// Pieces with no waiting.
    pub(super) fn pieces(tokens: &[usize], usage: Usage) -> Self {
        Self::Pieces { wait: Duration::ZERO, tokens: tokens.to_vec(), pause: Duration::ZERO, usage }
    }

    /// A stream of these lines.
    pub(super) fn stream(lines: &str) -> Self {
        Self::Bytes(format!("{HEAD}{lines}").into_bytes())
    }
}

const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// What becomes of the n-th request, from 0.
type Script = Arc<dyn Fn(usize) -> Reply + Send + Sync>;

/// A running server; it ends with the test process.
pub(super) struct ScriptedServer {
    pub(super) address: String,
    bodies: Arc<Mutex<Vec<Json>>>,
}

impl ScriptedServer {
    /// A server that answers any number of requests at once.
    pub(super) fn start(script: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (script, seen): (Script, _) = (Arc::new(script), Arc::clone(&bodies));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                thread::spawn(move || serve(stream, &script, &seen));
            }
        });
        Self { address, bodies }
    }

    /// The bodies that came, in order.
    pub(super) fn bodies(&self) -> Vec<Json> {
        self.bodies.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &Script, seen: &Mutex<Vec<Json>>) {
    let Some((path, body)) = read(&stream) else { return };
    if path.ends_with("/models") {
        let _ = stream.write_all(&whole(200, &json!({"data": [{"id": "only"}]}).to_string()));
        return;
    }
    let is_chat = path.ends_with("/chat/completions");
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(body);
        seen.len() - 1
    };
    // Who hangs up early, because its time is over, is no fault of the server.
    let _ = match script(number) {
        Reply::Status(status, what) => {
            stream.write_all(&whole(status, &json!({"error": {"message": what}}).to_string()))
        }
        Reply::Bytes(bytes) => stream.write_all(&bytes),
        Reply::Whole => {
            let choice = json!({"index": 0, "message": {"role": "assistant", "content": "a b"},
                "text": "a b", "finish_reason": "stop"});
            let usage = json!({"prompt_tokens": 5, "completion_tokens": 2});
            let answer = json!({"choices": [choice], "usage": usage});
            stream.write_all(&whole(200, &answer.to_string()))
        }
        Reply::Pieces { wait, tokens, pause, usage } => {
            send(&mut stream, is_chat, wait, &tokens, pause, usage)
        }
    };
    let _ = stream.shutdown(Shutdown::Write);
}

fn send(
    stream: &mut TcpStream,
    is_chat: bool,
    wait: Duration,
    tokens: &[usize],
    pause: Duration,
    usage: Usage,
) -> std::io::Result<()> {
    let told = |count: usize| json!({"prompt_tokens": 5, "completion_tokens": count});
    stream.write_all(HEAD.as_bytes())?;
    if is_chat {
        let role =
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]});
        write!(stream, "data: {role}\n\n")?;
    }
    thread::sleep(wait);
    let mut count = 0;
    for (place, piece) in tokens.iter().enumerate() {
        if place > 0 {
            thread::sleep(pause);
        }
        count += piece;
        let text = " a".repeat(*piece);
        let finish = (place + 1 == tokens.len()).then_some("length");
        let mut event = if is_chat {
            json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})
        } else {
            json!({"choices": [{"index": 0, "text": text, "finish_reason": finish}]})
        };
        if usage == Usage::AsItGoes {
            event["usage"] = told(count);
        }
        write!(stream, "data: {event}\n\n")?;
    }
    if usage != Usage::Untold {
        write!(stream, "data: {}\n\n", json!({"choices": [], "usage": told(count)}))?;
    }
    stream.write_all(b"data: [DONE]\n\n")
}

fn whole(status: u16, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// Path and body of a request.
fn read(stream: &TcpStream) -> Option<(String, Json)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, serde_json::from_slice(&body).unwrap_or(Json::Null)))
}
