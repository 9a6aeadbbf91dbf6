//! What is not understood is refused by name, and nothing a client sends breaks the server.

use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value as Json, json};

use super::server::Server;

const POCKET: &str = "models/pocket";
const COMPLETIONS: &str = "/v1/completions";
const CHATS: &str = "/v1/chat/completions";

#[test]
fn bad_bodies_are_refused_with_the_field() {
    let server = Server::start(POCKET, &["--max-sequences", "4"]);
    let chat = |field: &str, value: Json| {
        let mut body = json!({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2});
        body[field] = value;
        (CHATS, body, 400, field.to_owned())
    };
    let completion = |field: &str, value: Json| {
        let mut body = json!({"prompt": "a", "max_tokens": 2});
        body[field] = value;
        (COMPLETIONS, body, 400, field.to_owned())
    };
    let other_model = json!({"prompt": "a", "model": "other"});
    let cases = [
        (COMPLETIONS, json!({}), 400, "prompt".to_owned()),
        (CHATS, json!({}), 400, "messages".to_owned()),
        (COMPLETIONS, other_model, 404, "model".to_owned()),
        completion("prompt", json!([])),
        completion("prompt", json!([[]])),
        completion("prompt", json!([1, "a"])),
        completion("prompt", json!([1_000_000])),
        completion("prompt", json!([-1])),
        completion("prompt", json!(["a", "b", "c", "d", "e"])),
        completion("prompt", json!({"text": "a"})),
        completion("prompt", json!("a ".repeat(5000))),
        completion("max_tokens", json!(-1)),
        completion("max_tokens", json!("many")),
        completion("temperature", json!(3)),
        completion("top_p", json!(1.5)),
        completion("n", json!(0)),
        completion("n", json!(5)),
        completion("n", json!(1e300)),
        completion("best_of", json!(3)),
        completion("logprobs", json!(true)),
        completion("logprobs", json!(21)),
        completion("stop", json!([""])),
        completion("stop", json!([1])),
        completion("seed", json!(0.5)),
        completion("echo", json!("yes")),
        completion("stream_options", json!({"include_usage": true})),
        completion("suffix", json!("b")),
        completion("logit_bias", json!({"5": 1})),
        completion("presence_penalty", json!(0.1)),
        completion("repetition_penalty", json!(1.1)),
        completion("guided_json", json!({})),
        chat("messages", json!([])),
        chat("messages", json!(["Hi"])),
        chat("messages", json!([{"content": "Hi"}])),
        chat("messages", json!([{"role": "user", "content": [{"type": "image_url"}]}])),
        chat("tools", json!([{"type": "function"}])),
        chat("response_format", json!({"type": "json_object"})),
        chat("top_logprobs", json!(2)),
        chat("max_tokens", json!(0)),
        chat("echo", json!(true)),
    ];
    for (path, body, status, field) in cases {
        let reply = server.post(path, &body);
        let error = &reply.json()["error"];
        assert_eq!((reply.status, &error["param"]), (status, &json!(field)), "{body}: {reply:?}");
    }
    let neutral = json!({"prompt": "a", "max_tokens": 1, "presence_penalty": 0, "logit_bias": {}, "user": "me",
        "repetition_penalty": 1.0, "suffix": null, "unknown": null, "best_of": 1});
    server.complete(&neutral);
    let long = server.post(COMPLETIONS, &json!({"prompt": "a", "max_tokens": 100_000}));
    assert_eq!(long.json()["error"]["code"], "context_length_exceeded");
}

#[test]
fn addresses_keys_and_sizes_are_checked() {
    let mut server = Server::start_with(
        POCKET,
        &["--max-body-bytes", "1000", "--api-key-env", "SERVED_KEY"],
        &[("SERVED_KEY", "secret")],
    );
    let body = json!({"prompt": "a", "max_tokens": 1});
    for wrong in [None, Some("secreT"), Some("secret1"), Some("")] {
        server.key = wrong.map(str::to_owned);
        let reply = server.post(COMPLETIONS, &body);
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (401, &json!("invalid_api_key"))
        );
        assert_eq!(server.get("/health").status, 200);
        assert_eq!(server.get("/metrics").status, 401);
    }
    server.key = Some("secret".to_owned());
    server.complete(&body);
    let reply = server.post(COMPLETIONS, &json!({"prompt": "a".repeat(2000)}));
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (413, &json!("request_too_large")));
    for (method, path, status) in
        [("GET", "/v1/nothing", 404), ("GET", COMPLETIONS, 405), ("POST", "/health", 405)]
    {
        let reply = server.ask(method, path, b"");
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(reply.json()["error"]["message"].as_str().unwrap().contains(path));
    }
    for bytes in [&b""[..], b"{", b"[]", b"\xff\xfe", b"{\"prompt\": \"\\ud800\"}", b"null"] {
        assert_eq!(server.ask("POST", COMPLETIONS, bytes).status, 400);
    }
    let deep = "[".repeat(900);
    assert_eq!(server.ask("POST", COMPLETIONS, deep.as_bytes()).status, 400);
}

#[test]
fn an_address_of_others_needs_a_key() {
    let arguments = ["serve", "--host", "0.0.0.0", "--port", "0", "--model", POCKET];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_surprisal"));
    let output = command.args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("can be reached from other machines"), "{said}");
}

/// Bodies that are nearly right.
fn bodies() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        prop_oneof![-3i64..30, any::<i64>()].prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        Just(json!("a<|im_end|>\n根")),
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("role|content|type|text|[a-z]{1,3}", inner, 0..4)
                .prop_map(|map| json!(map)),
        ]
    });
    let name = prop::sample::select(vec![
        "prompt",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "n",
        "best_of",
        "echo",
        "logprobs",
        "top_logprobs",
        "stop",
        "seed",
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "min_tokens",
        "stream",
        "stream_options",
        "logit_bias",
        "tools",
        "chat_template_kwargs",
        "add_special_tokens",
        "continue_final_message",
        "response_format",
        "tokens",
        "model",
        "whatever",
    ]);
    let changes = prop::collection::vec((name, value), 0..4);
    let base = prop::sample::select(vec![
        json!({"prompt": "1+1=", "max_tokens": 3}),
        json!({"prompt": ["a", [5, 6, 7]], "max_tokens": 2, "echo": true, "logprobs": 2}),
        json!({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3}),
    ]);
    (base, changes).prop_map(|(mut body, changes)| {
        for (name, value) in changes {
            body[name] = value;
        }
        body
    })
}

#[test]
fn whatever_is_sent_is_answered_or_refused() {
    let server = Server::start(POCKET, &["--max-seconds", "60"]);
    let mut runner = TestRunner::new(Config::default());
    let paths = [COMPLETIONS, CHATS, "/tokenize", "/detokenize"];
    for round in 0..400 {
        let mut body = bodies().new_tree(&mut runner).unwrap().current().to_string().into_bytes();
        if round % 5 == 0 {
            body.truncate(round % (body.len() + 1));
        }
        let reply = server.ask("POST", paths[round % 4], &body);
        let text = String::from_utf8_lossy(&body);
        assert!([200, 400, 404].contains(&reply.status), "{text}: {reply:?}");
        if reply.status != 200 {
            assert!(reply.json()["error"]["message"].is_string());
        }
    }
    server.complete(&json!({"prompt": "a", "max_tokens": 1}));
}
