//! `surprisal chat-template`: one conversation, a file of them, and templates that do not work.

use serde_json::Value;

use super::scratch::{Scratch, stderr, stdout};

const TEMPLATE: &str = "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}";

#[test]
fn a_conversation_is_shown_with_and_without_details() {
    let scratch = Scratch::new();
    scratch.write("own.jinja", TEMPLATE);
    scratch.write("one.json", r#"{"messages": [{"role": "user", "content": "Hi"}]}"#);
    let plain = scratch.run(&[
        "chat-template",
        "own.jinja",
        "--messages",
        "one.json",
        "--add-generation-prompt",
    ]);
    assert_eq!(stdout(&plain), "user:Hi;assistant:\n");
    let details = scratch.run(&["chat-template", "models/tiny-llama-bos", "--json"]);
    let details: Value = serde_json::from_str(&stdout(&details)).unwrap();
    assert_eq!(
        details["ids"].as_array().map(Vec::len),
        details["tokens"].as_u64().map(|n| n as usize)
    );
    let own = scratch.run(&[
        "chat-template",
        "models/tiny-llama-bos",
        "--template",
        "{{ x }}",
        "--set",
        "x=[1]",
    ]);
    assert_eq!(stdout(&own), "[1]\n");
}

#[test]
fn a_bad_line_costs_no_other() {
    let scratch = Scratch::new();
    scratch.write("own.jinja", TEMPLATE);
    scratch.write(
        "in.jsonl",
        "{\"id\": 1, \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n{\"id\": 2\n[{\"role\": \"user\", \"content\": \"b\"}]\n",
    );
    let output = scratch.run(&[
        "chat-template",
        "own.jinja",
        "--messages",
        "in.jsonl",
        "--output",
        "out.jsonl",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("in.jsonl:2: this is not JSON"), "{}", stderr(&output));
    let written = std::fs::read_to_string(scratch.path().join("out.jsonl")).unwrap();
    let rows: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert!(written.starts_with("{\"id\":1,\"messages\":"), "{written}");
    assert_eq!(rows[0]["formatted_chat"], "user:a;");
    assert!(rows[1]["formatted_chat"].is_null() && rows[1]["error"].is_string());
    assert_eq!(rows[2]["formatted_chat"], "user:b;");
}

#[test]
fn what_does_not_work_is_one_message() {
    let scratch = Scratch::new();
    scratch.write("wrong.jinja", "a\n{% if %}");
    scratch.write(
        "endless.jinja",
        "\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    );
    for (arguments, says) in [
        (["chat-template", "wrong.jinja"].as_slice(), "line 2"),
        (&["chat-template", "endless.jinja"], "line 2"),
        (&["chat-template", "nowhere/gone"], "nowhere/gone"),
        (&["chat-template", "models"], "models: this is no checkpoint folder"),
        (&["chat-template", "wrong.jinja", "--template", "gone.jinja"], "gone.jinja"),
        (&["chat-template", "wrong.jinja", "--messages", "gone.json"], "gone.json"),
    ] {
        let output = scratch.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
}
