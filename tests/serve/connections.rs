//! Clients that go away, a server that is full, and one that ends.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpStream,
    thread,
    time::Duration,
};

use serde_json::{Value as Json, json};

use super::server::{Server, read};

const POCKET: &str = "models/pocket";
const COMPLETIONS: &str = "/v1/completions";

/// A text that goes on for long.
fn endless() -> Json {
    json!({"prompt": "a", "max_tokens": 1000, "min_tokens": 1000, "stream": true, "seed": 1})
}

/// Reads until the first piece of a stream has come.
fn begun(stream: TcpStream) -> BufReader<TcpStream> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("data: ") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
    }
    stream
}

fn until(what: impl Fn() -> bool) {
    while !what() {
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_more_is_computed_for_a_client_that_is_gone() {
    let server = Server::start(POCKET, &[]);
    let body = endless().to_string();
    let streams: Vec<_> =
        (0..3).map(|_| begun(server.send("POST", COMPLETIONS, body.as_bytes()))).collect();
    assert!(server.metric("surprisal_open_sequences") > 0);
    drop(streams);
    // What a pass has computed is counted after its answers are sent.
    let idle = || server.metric("surprisal_running_sequences") == 0;
    until(|| server.metric("surprisal_open_sequences") == 0 && idle());
    let generated = server.metric("surprisal_generated_tokens_total");
    assert!(generated < 3000, "{generated}");
    let next = server.complete(&json!({"prompt": "1+1=?\n", "max_tokens": 3, "temperature": 0}));
    until(idle);
    assert_eq!(
        server.metric("surprisal_generated_tokens_total"),
        generated + next["usage"]["completion_tokens"].as_u64().unwrap()
    );
}

#[test]
fn a_full_server_says_so() {
    let server = Server::start(POCKET, &["--max-sequences", "2"]);
    let body = endless().to_string();
    let streams: Vec<_> =
        (0..2).map(|_| begun(server.send("POST", COMPLETIONS, body.as_bytes()))).collect();
    let small = json!({"prompt": "a", "max_tokens": 1});
    let reply = server.post(COMPLETIONS, &small);
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (429, &json!("queue_full")));
    assert!(reply.head.to_lowercase().contains("retry-after: 1"), "{reply:?}");
    drop(streams);
    until(|| server.metric("surprisal_open_sequences") == 0);
    server.complete(&small);
}

#[test]
fn a_request_that_takes_too_long_ends() {
    let server = Server::start(POCKET, &["--max-seconds", "1", "--max-sequences", "4"]);
    let body = json!({"prompt": "a", "max_tokens": 1000, "min_tokens": 1000, "n": 4});
    let reply = server.post(COMPLETIONS, &body);
    // A fast machine may be done.
    if reply.status != 200 {
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (504, &json!("timeout")));
    }
    until(|| server.metric("surprisal_open_sequences") == 0);
}

#[test]
fn a_server_that_is_asked_to_end_answers_what_it_has() {
    let mut server = Server::start(POCKET, &[]);
    let body = endless().to_string();
    let mut stream = begun(server.send("POST", COMPLETIONS, body.as_bytes()));
    let whole = json!({"prompt": "b", "max_tokens": 900, "min_tokens": 900}).to_string();
    let other = server.send("POST", COMPLETIONS, whole.as_bytes());
    until(|| server.metric("surprisal_open_sequences") == 2);
    // It waits for its next request, and need not be waited for.
    let idle = TcpStream::connect(server.address).unwrap();
    server.terminate();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"finish_reason\":\"length\"") && rest.contains("data: [DONE]"));
    let reply = read(other);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["usage"]["completion_tokens"], 900);
    let (status, said) = server.wait();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("ending: 2 sequences"), "{said}");
    assert!(TcpStream::connect(server.address).is_err());
    drop(idle);
}

#[test]
fn a_server_that_is_asked_twice_ends_at_once() {
    let mut server = Server::start(POCKET, &[]);
    let mut body = endless();
    body["n"] = 64.into();
    let stream = begun(server.send("POST", COMPLETIONS, body.to_string().as_bytes()));
    server.terminate();
    server.until_it_says("ending: 64 sequences");
    server.terminate();
    let (status, said) = server.wait();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("some requests have no answer"), "{said}");
    drop(stream);
}
