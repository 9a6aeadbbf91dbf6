//! The built binary against servers on this machine.

use std::{fs, time::Duration};

use serde_json::Value as Json;

use super::server::{Behaviour, FakeServer, Logprobs, SERVERS, VLLM, continuation};
use crate::cli::scratch::{Scratch, stderr, stdout};

/// Questions of a run that is killed.
const ROWS_OF_KILL: usize = 80;

const ROWS: &str = r#"{"text": "once upon", "answer": "a"}
{"text": "in a land", "answer": "b"}
{"text": "there was 水", "answer": "a"}
"#;

/// A folder with a config of two data sets, one of which is scored, under a model behind a server.
fn scratch(model: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("data/rows.jsonl", ROWS);
    let config = format!(
        "from opencompass.models import OpenAI, OpenAISDK, VLLMCustomAPI, VLLMCustomAPIChat\n\
reader = dict(input_columns=['text'], output_column='answer')\n\
choices = dict(abbr='choices', path='data/rows.jsonl', reader_cfg=reader, infer_cfg=dict(\n\
    prompt_template=dict(type='PromptTemplate', template={{'a': '{{text}} the cat', 'b': '{{text}} the dog'}}),\n\
    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),\n\
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))\n\
says = dict(abbr='says', path='data/rows.jsonl', reader_cfg=reader, infer_cfg=dict(\n\
    prompt_template=dict(type='PromptTemplate', template=dict(round=[dict(role='HUMAN', prompt='{{text}}?')])),\n\
    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=20)),\n\
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))\n\
datasets = [choices, says]\n\
models = [{model}]\n"
    );
    scratch.write("config.py", &config);
    scratch
}

fn predictions(scratch: &Scratch, dataset: &str) -> Json {
    let folder = scratch.only_run("out").join("predictions");
    let model = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    serde_json::from_str(&fs::read_to_string(model.join(format!("{dataset}.json"))).unwrap())
        .unwrap()
}

#[test]
fn a_config_with_a_served_model_is_evaluated() {
    let server = FakeServer::start(VLLM);
    let (host, port) = host_and_port(&server);
    let scratch = scratch(&format!(
        "dict(type=VLLMCustomAPI, abbr='served', model='m', host_ip='{host}', host_port={port}, attr='service', \
         batch_size=4, max_out_len=20, retry=2, api_key='', generation_kwargs=dict(temperature=0, ignore_eos=False))"
    ));
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = predictions(&scratch, "says");
    assert_eq!(said["0"]["prediction"], continuation("once upon?"));
    assert_eq!(said["2"]["prediction"], continuation("there was 水?"));
    let chosen = predictions(&scratch, "choices");
    for row in ["0", "1", "2"] {
        let values =
            ["a", "b"].map(|own| chosen[row][format!("label: {own}")]["PPL"].as_f64().unwrap());
        let best = if values[0] <= values[1] { "a" } else { "b" };
        assert_eq!(chosen[row]["prediction"], best, "{chosen}");
    }
    // The table of tokens has what the server said, and no ids.
    let tokens = scratch.export_of("out", "tokens", "choices");
    assert!(tokens.iter().all(|token| token["id"].is_null() && token["text"].is_string()));
    assert!(tokens.iter().any(|token| token["text"] == " cat" && token["is_answer"] == true));
    let asked = server.bodies().iter().filter(|body| body["ignore_eos"] == false).count();
    assert!(asked >= 3, "settings are sent");
}

fn host_and_port(server: &FakeServer) -> (&str, &str) {
    let address = server.address.strip_prefix("http://").unwrap();
    address.strip_suffix("/v1").unwrap().split_once(':').unwrap()
}

fn open_ai(server: &FakeServer, more: &str) -> String {
    format!(
        "dict(type=OpenAI, abbr='served', path='m', openai_api_base='{}', temperature=0{more})",
        server.address
    )
}

#[test]
fn a_server_that_cannot_score_is_refused_before_anything_is_asked() {
    for (name, behaviour, _) in SERVERS.iter().filter(|(_, _, can_score)| !can_score) {
        let server = FakeServer::start(*behaviour);
        let scratch = scratch(&format!(
            "dict(type='served_text', abbr='served', path='m', openai_api_base='{}', temperature=0)",
            server.address
        ));
        let output = scratch.run(&["run", "config.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let talk = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(talk.contains("which data set choices needs"), "{name}: {talk}");
        assert!(!scratch.path().join("out").join("latest").exists());
        let asked = server.bodies().iter().filter(|own| own.to_string().contains("once")).count();
        assert_eq!(asked, 0, "{name}");
    }
}

#[test]
fn a_server_is_asked_anew_by_every_run_unless_that_is_not_wanted() {
    let server = FakeServer::start(Behaviour { logprobs: Logprobs::Missing, ..VLLM });
    let scratch = scratch(&open_ai(&server, ""));
    let asked = || server.bodies().iter().filter(|own| own.to_string().contains("upon?")).count();
    let run = |more: &[&str]| {
        let arguments = ["run", "config.py", "-w", "out", "--dataset", "says"];
        let output = scratch.run(&[&arguments, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let first = run(&[]);
    assert_eq!(asked(), 1);
    assert_eq!(run(&["--reuse-served"]), first);
    assert_eq!(asked(), 1);
    run(&[]);
    assert_eq!(asked(), 2);
    run(&["--limit", "2"]);
    assert_eq!(asked(), 3);
    run(&["--limit", "1", "--reuse-served"]);
    assert_eq!(asked(), 3);
}

#[test]
fn a_budget_ends_the_asking_and_the_same_command_goes_on() {
    let server = FakeServer::start(VLLM);
    let scratch = scratch(&open_ai(
        &server,
        ", max_workers=1, budget=dict(money=0.000001, price_read=1.0, price_written=2.0)",
    ));
    let arguments = ["run", "config.py", "-w", "out", "--dataset", "says"];
    for (asked, code) in [(1, 1), (2, 1), (3, 0)] {
        let output = scratch.run(&arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains("by the prices of the config"), "{said}");
        assert!(code == 0 || said.contains("the budget of 0.000001 is spent"), "{said}");
        let sent = |text: &str| {
            server.bodies().iter().filter(|own| own.to_string().contains(text)).count()
        };
        let all: usize = ["once upon?", "in a land?", "there was 水?"].map(sent).iter().sum();
        assert_eq!(all, asked, "{said}");
    }
    for wrong in [
        "money=1",
        "tokens=0",
        "price_read=-1.0, price_written=0.0, tokens=5",
        "money=1, price_read=0.1",
        "euros=5",
    ] {
        let scratch = self::scratch(&open_ai(&server, &format!(", budget=dict({wrong})")));
        let output = scratch.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", stderr(&output));
        assert!(stderr(&output).contains("budget"), "{wrong}: {}", stderr(&output));
    }
}

#[test]
fn a_run_with_failed_samples_goes_on_with_its_own_answers() {
    let plan: super::server::Plan = std::sync::Arc::new(|body: &Json, times: usize| {
        let fails = body.to_string().contains("in a land") && times == 0;
        fails.then_some(super::server::Fault::Status(400))
    });
    let server = FakeServer::with_faults(VLLM, plan);
    let scratch = scratch(&open_ai(&server, ""));
    let arguments = ["run", "config.py", "-w", "out", "--dataset", "says"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let asked =
        |text: &str| server.bodies().iter().filter(|own| own.to_string().contains(text)).count();
    assert_eq!((asked("once upon?"), asked("in a land?")), (1, 2));
}

#[test]
fn a_key_comes_from_the_environment_and_is_in_no_file() {
    let server = FakeServer::start(VLLM);
    let scratch = scratch(&open_ai(&server, ", key='ENV:MY_KEY'"));
    let output = scratch
        .command(&["run", "config.py", "-w", "out", "--dataset", "says"])
        .env("MY_KEY", "sk-own-secret")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(server.keys().iter().all(|key| key.as_deref() == Some("Bearer sk-own-secret")));
    assert_is_nowhere(&scratch, "own-secret");
    // A key in a config is refused and repeated nowhere, nor is it where a config is printed.
    let scratch = self::scratch(&open_ai(&server, ", key='sk-own-secret'"));
    for arguments in [&["run", "config.py", "-w", "out"][..], &["config", "config.py"]] {
        let output = scratch.run(arguments);
        let all = stdout(&output) + &stderr(&output);
        assert!(!all.contains("own-secret"), "{all}");
        assert!(arguments[0] == "config" || all.contains("key='ENV'"), "{all}");
    }
    fs::remove_file(scratch.path().join("config.py")).unwrap();
    assert_is_nowhere(&scratch, "own-secret");
}

fn assert_is_nowhere(scratch: &Scratch, secret: &str) {
    let mut folders = vec![scratch.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                let found = bytes.windows(secret.len()).any(|own| own == secret.as_bytes());
                assert!(!found, "{} holds the key", path.display());
            }
        }
    }
}

#[test]
fn what_needs_ids_is_refused_by_name() {
    let server = FakeServer::start(VLLM);
    let scratch = scratch(&open_ai(&server, ""));
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    scratch.write("config.py", &config.replace("PPLInferencer", "CLPInferencer"));
    let output = scratch.run(&["run", "config.py", "-w", "out", "--dataset", "choices"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("behind a server"), "{}", stderr(&output));
    assert!(server.bodies().is_empty());
}

#[test]
fn a_run_that_is_killed_goes_on_with_the_answers_that_it_has() {
    let plan: super::server::Plan = std::sync::Arc::new(|_: &Json, _: usize| {
        std::thread::sleep(Duration::from_millis(20));
        None
    });
    let server = FakeServer::with_faults(VLLM, plan);
    let scratch = scratch(&open_ai(&server, ", max_workers=1"));
    let rows: Vec<String> = (0..ROWS_OF_KILL)
        .map(|row| format!("{{\"text\": \"row {row}\", \"answer\": \"a\"}}\n"))
        .collect();
    scratch.write("data/rows.jsonl", &rows.concat());
    let arguments = ["run", "config.py", "-w", "out", "--dataset", "says"];
    let asked = || server.bodies().iter().filter(|own| own.to_string().contains("row ")).count();
    let mut child =
        scratch.command(&arguments).stderr(std::process::Stdio::null()).spawn().unwrap();
    while asked() < ROWS_OF_KILL * 3 / 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = asked();
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = predictions(&scratch, "says");
    for row in 0..ROWS_OF_KILL {
        let wanted = continuation(&format!("row {row}?"));
        assert_eq!(said[row.to_string()]["prediction"], wanted, "row {row}");
    }
    assert!(asked() - before < ROWS_OF_KILL, "{before} were asked, then {}", asked() - before);
}
