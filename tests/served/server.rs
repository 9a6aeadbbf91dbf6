//! A server on this machine that speaks as eight others do, and misbehaves on demand.
//!
//! Its tokens are words with the blank before them, and two halves of every character that is not ASCII. The surprisal of
//! a token depends on all that stands before it and on nothing else. It goes on with `<length>` and the last twelve
//! characters of what it read.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value as Json, json};

/// What a server does with what it is asked.
#[expect(clippy::struct_excessive_bools, reason = "servers do or leave each of it on its own")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviour {
    pub(crate) echoes: bool,
    /// Whether log-probabilities are those of the text, of what is generated, or not there.
    pub(crate) logprobs: Logprobs,
    /// Fewest tokens that are generated.
    pub(crate) least_new_tokens: usize,
    pub(crate) has_prompt_logprobs: bool,
    /// Whether a token stands before each text.
    pub(crate) has_front_token: bool,
    pub(crate) heeds_stop: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logprobs {
    OfText,
    OfGenerated,
    Missing,
}

const NEITHER: Behaviour = Behaviour {
    echoes: false,
    logprobs: Logprobs::Missing,
    least_new_tokens: 0,
    has_prompt_logprobs: false,
    has_front_token: false,
    heeds_stop: true,
};

/// vLLM: everything.
pub(crate) const VLLM: Behaviour = Behaviour {
    echoes: true,
    logprobs: Logprobs::OfText,
    has_prompt_logprobs: true,
    has_front_token: true,
    ..NEITHER
};

/// The servers that are told apart, by name, and whether they can score a given text.
pub(crate) const SERVERS: [(&str, Behaviour, bool); 9] = [
    ("vLLM", VLLM, true),
    ("SGLang", Behaviour { echoes: true, logprobs: Logprobs::OfText, ..NEITHER }, true),
    ("vLLM without echo", Behaviour { has_prompt_logprobs: true, ..NEITHER }, true),
    ("text-generation-inference", Behaviour { logprobs: Logprobs::OfGenerated, ..NEITHER }, false),
    ("llama.cpp", Behaviour { logprobs: Logprobs::OfGenerated, ..NEITHER }, false),
    ("Ollama", NEITHER, false),
    ("LM Studio", Behaviour { heeds_stop: false, ..NEITHER }, false),
    ("transformers serve", NEITHER, false),
    (
        "mistral.rs",
        Behaviour { echoes: true, logprobs: Logprobs::OfGenerated, least_new_tokens: 1, ..NEITHER },
        false,
    ),
];

/// What goes wrong with a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// This status.
    Status(u16),
    /// 429, and when to come back.
    Busy,
    /// The connection ends before anything is said.
    Dropped,
    /// The connection ends in the middle of the body.
    HalfBody,
    /// The body is whole, and half an answer.
    HalfJson,
    /// Not all tokens have a log-probability.
    WrongCount,
    /// The answer did not end.
    NoFinish,
    /// An error with the status of success.
    ErrorInSuccess,
    /// The answer comes late.
    Slow,
    /// The answer comes twice.
    Twice,
    /// This answer.
    Answer(Json),
}

#[derive(Default)]
struct State {
    /// Bodies that came, in order, with the key they came with.
    seen: Vec<(String, Json, Option<String>)>,
    /// How often each body came.
    times: HashMap<String, usize>,
    /// Whole and right answers, by body.
    answered: HashMap<String, usize>,
    most_at_once: usize,
    now: usize,
}

/// A running server; it ends with the test process.
pub(crate) struct FakeServer {
    state: Arc<Mutex<State>>,
    pub(crate) address: String,
}

/// What goes wrong with a body that comes for the given time, from 0.
pub(crate) type Plan = Arc<dyn Fn(&Json, usize) -> Option<Fault> + Send + Sync>;

impl FakeServer {
    /// A server that does nothing wrong but by its nature.
    pub(crate) fn start(behaviour: Behaviour) -> Self {
        Self::with_faults(behaviour, Arc::new(|_: &Json, _: usize| None))
    }

    /// A server with faults.
    pub(crate) fn with_faults(behaviour: Behaviour, plan: Plan) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, plan) = (Arc::clone(&shared), Arc::clone(&plan));
                thread::spawn(move || serve(stream, behaviour, &state, &plan));
            }
        });
        Self { state, address }
    }

    /// The bodies that came to endpoints for which answers are, in order.
    pub(crate) fn bodies(&self) -> Vec<Json> {
        self.state.lock().unwrap().seen.iter().map(|(_, body, _)| body.clone()).collect()
    }

    /// The keys that came.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        self.state.lock().unwrap().seen.iter().map(|(_, _, key)| key.clone()).collect()
    }

    /// How often a body was answered rightly and wholly.
    pub(crate) fn answered(&self, body: &Json) -> usize {
        self.state.lock().unwrap().answered.get(&body.to_string()).copied().unwrap_or(0)
    }

    /// The most requests that were under way at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.state.lock().unwrap().most_at_once
    }
}

/// Reads one request and answers it.
fn serve(mut stream: TcpStream, behaviour: Behaviour, state: &Mutex<State>, plan: &Plan) {
    let Some((path, key, body)) = read(&stream) else { return };
    if path.ends_with("/models") {
        let _ = stream.write_all(&whole(200, "", &json!({"data": [{"id": "only"}]}).to_string()));
        return;
    }
    let text = body.to_string();
    let fault = {
        let mut state = state.lock().unwrap();
        let times = state.times.entry(text.clone()).or_default();
        let fault = plan(&body, *times);
        *times += 1;
        state.seen.push((path.clone(), body.clone(), key));
        state.now += 1;
        state.most_at_once = state.most_at_once.max(state.now);
        fault
    };
    if fault == Some(Fault::Slow) {
        thread::sleep(Duration::from_millis(60));
    }
    let mut answer = if path.ends_with("/chat/completions") {
        chat(&body, behaviour)
    } else {
        completion(&body, behaviour)
    };
    let bytes = match &fault {
        Some(Fault::Status(status)) => {
            whole(*status, "", &json!({"error": {"message": "it is odd"}}).to_string())
        }
        Some(Fault::Busy) => whole(429, "Retry-After: 0.01\r\n", "{}"),
        Some(Fault::Dropped) => Vec::new(),
        Some(Fault::HalfBody) => {
            let all = whole(200, "", &answer.to_string());
            all[..all.len() - 10].to_vec()
        }
        Some(Fault::HalfJson) => {
            let text = answer.to_string();
            whole(200, "", &text[..text.len() / 2])
        }
        Some(Fault::WrongCount) => {
            let place = &mut answer["choices"][0];
            for list in ["/logprobs/token_logprobs", "/prompt_logprobs"] {
                if let Some(Json::Array(list)) = place.pointer_mut(list) {
                    list.pop();
                }
            }
            whole(200, "", &answer.to_string())
        }
        Some(Fault::NoFinish) => {
            answer["choices"][0]["finish_reason"] = Json::Null;
            whole(200, "", &answer.to_string())
        }
        Some(Fault::ErrorInSuccess) => {
            whole(200, "", &json!({"error": {"message": "out of memory"}}).to_string())
        }
        Some(Fault::Twice) => whole(200, "", &answer.to_string()).repeat(2),
        Some(Fault::Answer(own)) => whole(200, "", &own.to_string()),
        Some(Fault::Slow) | None => whole(200, "", &answer.to_string()),
    };
    {
        let mut state = state.lock().unwrap();
        state.now -= 1;
        let is_right = matches!(fault, None | Some(Fault::Slow | Fault::Twice));
        *state.answered.entry(text).or_default() += usize::from(is_right);
    }
    let _ = stream.write_all(&bytes);
    let _ = stream.shutdown(Shutdown::Write);
}

fn whole(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// Path, key and body of a request.
fn read(stream: &TcpStream) -> Option<(String, Option<String>, Json)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut key) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => key = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, key, serde_json::from_slice(&body).unwrap_or(Json::Null)))
}

/// A text's tokens.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for letter in text.chars() {
        match tokens.last_mut() {
            _ if !letter.is_ascii() => {
                tokens.extend(["\u{fffd}".to_owned(), "\u{fffd}".to_owned()]);
            }
            Some(last) if letter != ' ' && !last.ends_with('\u{fffd}') => last.push(letter),
            _ => tokens.push(letter.to_string()),
        }
    }
    tokens
}

/// −ln p of each token but the first, in nats.
pub(crate) fn surprisals(tokens: &[String]) -> Vec<f64> {
    let mut hash: u64 = 7;
    let mut nats = Vec::new();
    for token in tokens {
        for byte in token.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        nats.push(f64::from((hash >> 40) as u32 % 1000) / 200.0);
    }
    nats.drain(..1.min(nats.len()));
    nats
}

/// How the server goes on behind a text.
pub(crate) fn continuation(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let tail: String = letters[letters.len().saturating_sub(12)..].iter().collect();
    format!("<{}>{tail}", letters.len())
}

fn stopped(text: String, body: &Json, behaviour: Behaviour) -> String {
    let stops = body["stop"].as_array().cloned().unwrap_or_default();
    let ends = stops.iter().filter_map(|stop| text.find(stop.as_str()?));
    match ends.min().filter(|_| behaviour.heeds_stop) {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn chat(body: &Json, behaviour: Behaviour) -> Json {
    let read: String = body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|own| own["content"].as_str().unwrap_or_default())
        .collect();
    let said = stopped(continuation(&read), body, behaviour);
    json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": tokens(&read).len(), "completion_tokens": 3},
    })
}

fn completion(body: &Json, behaviour: Behaviour) -> Json {
    let prompt = body["prompt"].as_str().unwrap_or_default();
    let mut read = tokens(prompt);
    if behaviour.has_front_token {
        read.insert(0, "<s>".to_owned());
    }
    let count = read.len();
    let nats = surprisals(&read);
    let wanted = body["max_tokens"].as_u64().unwrap_or(16) as usize;
    let new_tokens = wanted.max(behaviour.least_new_tokens);
    let said = if new_tokens == 0 { String::new() } else { continuation(prompt) };
    let said = if new_tokens == 1 { " x".to_owned() } else { stopped(said, body, behaviour) };
    let said = if new_tokens == 0 { String::new() } else { said };
    let is_echoed = behaviour.echoes && body["echo"] == true;
    let text = if is_echoed { format!("{prompt}{said}") } else { said.clone() };
    let wants_logprobs = !body["logprobs"].is_null();
    let logprobs = match behaviour.logprobs {
        Logprobs::OfText if wants_logprobs && is_echoed => {
            let mut all = read.clone();
            let mut values: Vec<Json> =
                std::iter::once(Json::Null).chain(nats.iter().map(|own| json!(-own))).collect();
            if new_tokens > 0 {
                all.push(said.clone());
                values.push(json!(-0.5));
            }
            let top: Vec<Json> = values
                .iter()
                .map(|own| if own.is_null() { Json::Null } else { json!({"a": own}) })
                .collect();
            json!({"tokens": all, "token_logprobs": values, "top_logprobs": top})
        }
        Logprobs::OfText | Logprobs::OfGenerated if wants_logprobs && new_tokens > 0 => {
            json!({"tokens": [said], "token_logprobs": [-0.5], "top_logprobs": [{"x": -0.5}]})
        }
        _ => Json::Null,
    };
    let mut choice =
        json!({"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"});
    if behaviour.has_prompt_logprobs && !body["prompt_logprobs"].is_null() {
        let places = read.iter().skip(1).zip(&nats).enumerate().map(|(id, (token, own))| {
            json!({id.to_string(): {"logprob": -own, "rank": 2, "decoded_token": token}})
        });
        choice["prompt_logprobs"] = std::iter::once(Json::Null).chain(places).collect();
    }
    json!({
        "choices": [choice],
        "usage": {"prompt_tokens": count, "completion_tokens": new_tokens.min(3)},
    })
}
