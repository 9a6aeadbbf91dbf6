//! Chats, models, and texts as tokens.

use serde_json::{Value as Json, json};

use super::server::Server;

const DIALOGUES: &str = "models/pocket_dialogue";

#[test]
fn a_chat_is_a_completion_of_what_the_template_writes() {
    let server = Server::start(DIALOGUES, &[]);
    let messages = json!([
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": "Who is "}, {"type": "text", "text": "she?"}]},
    ]);
    let written = "<|bos|><|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nWho is she?<|im_end|>\n\
                   <|im_start|>assistant\n";
    let tokens = server.post("/tokenize", &json!({"messages": messages})).json()["tokens"].clone();
    let same = json!({"prompt": written, "add_special_tokens": false});
    assert_eq!(server.post("/tokenize", &same).json()["tokens"], tokens);
    assert_eq!(server.post("/detokenize", &json!({"tokens": tokens})).json()["prompt"], written);

    let decoding =
        json!({"max_tokens": 24, "temperature": 0.7, "seed": 11, "n": 2, "stop": ["zz"]});
    let with = |mut body: Json| {
        body.as_object_mut().unwrap().extend(decoding.as_object().unwrap().clone());
        body
    };
    let completion = server.complete(&with(json!({"prompt": tokens, "logprobs": 2})));
    let mut chat =
        with(json!({"messages": messages, "logprobs": true, "top_logprobs": 2, "model": "tiny"}));
    let reply = server.post("/v1/chat/completions", &chat);
    assert_eq!(reply.status, 200, "{reply:?}");
    let whole = reply.json();
    assert_eq!(whole["usage"], completion["usage"]);
    for index in 0..2 {
        let (said, written) = (&whole["choices"][index], &completion["choices"][index]);
        assert_eq!(said["message"]["content"], written["text"]);
        assert_eq!(said["finish_reason"], written["finish_reason"]);
        let logprobs = said["logprobs"]["content"].as_array().unwrap();
        let nats: Vec<&Json> = logprobs.iter().map(|entry| &entry["logprob"]).collect();
        let expected: Vec<&Json> =
            written["logprobs"]["token_logprobs"].as_array().unwrap().iter().collect();
        assert_eq!(nats, expected);
        assert!(logprobs.iter().all(|entry| entry["top_logprobs"].as_array().unwrap().len() == 2));
    }

    chat["stream"] = true.into();
    let events = server.post("/v1/chat/completions", &chat).events();
    for (index, said) in whole["choices"].as_array().unwrap().iter().enumerate() {
        let own =
            events.iter().map(|event| &event["choices"][0]).filter(|one| one["index"] == index);
        let own: Vec<&Json> = own.collect();
        assert_eq!(own[0]["delta"], json!({"role": "assistant", "content": ""}));
        let text: String = own.iter().filter_map(|one| one["delta"]["content"].as_str()).collect();
        assert_eq!(text, said["message"]["content"].as_str().unwrap());
        assert_eq!(own.last().unwrap()["finish_reason"], said["finish_reason"]);
        let logprobs = own.iter().filter_map(|one| one["logprobs"]["content"].as_array());
        let logprobs: Vec<Json> = logprobs.flatten().cloned().collect();
        assert_eq!(json!(logprobs), said["logprobs"]["content"]);
    }
}

#[test]
fn models_and_health_are_told() {
    let server = Server::start(DIALOGUES, &[]);
    let models = server.get("/v1/models").json();
    assert_eq!(models["data"][0]["id"], "tiny");
    assert_eq!(server.get("/v1/models/tiny").json(), models["data"][0]);
    let unknown = server.get("/v1/models/org/other");
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["code"]),
        (404, &json!("model_not_found"))
    );
    assert_eq!(server.get("/health").json(), json!({"status": "ok"}));
    assert!(server.get("/metrics").head.contains("text/plain; version=0.0.4"));
    assert_eq!(server.metric("surprisal_open_sequences"), 0);
}

#[test]
fn a_model_without_a_template_reads_no_conversations() {
    let server = Server::start("tests/fixtures/models/llama", &[]);
    let body = json!({"messages": [{"role": "user", "content": "Hi"}]});
    let reply = server.post("/v1/chat/completions", &body);
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("the model has no chat template"), "{reply:?}");
    let template = "{% for m in messages %}{{ m.content }}{% endfor %}";
    let server = Server::start("tests/fixtures/models/llama", &["--chat-template", template]);
    let reply = server.post("/v1/chat/completions", &body);
    assert_eq!(reply.status, 200, "{reply:?}");
}
