//! Tasks of lm-evaluation-harness where a config would stand, and requests of other programs.

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, stderr, stdout};

/// The model that ships.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket");

const SUMS: &str = r#"task: sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl, train: shown.jsonl}}
output_type: multiple_choice
training_split: train
test_split: test
doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_target: "{{choices.index(answer)}}"
doc_to_choice: "{{choices}}"
metric_list: [{metric: acc}, {metric: acc_norm}]
"#;

const LAST: &str = r#"task: last
dataset_path: json
dataset_kwargs: {data_files: sums.jsonl}
output_type: loglikelihood
test_split: train
doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_target: !function made.answer
metric_list: [{metric: acc}, {metric: perplexity, aggregation: perplexity}]
"#;

const WRITTEN: &str = r#"task: written
dataset_path: json
dataset_kwargs: {data_files: sums.jsonl}
output_type: generate_until
process_docs: !function made.small
test_split: train
doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\n"], max_gen_toks: 4}
metric_list: [{metric: exact_match}]
"#;

const READ: &str = r#"task: read
dataset_path: json
dataset_kwargs: {data_files: sums.jsonl}
output_type: loglikelihood_rolling
test_split: train
doc_to_text: ""
doc_to_target: "{{question}} {{answer}}"
metric_list: [{metric: word_perplexity}, {metric: bits_per_byte}]
"#;

const MADE: &str = r#"def answer(doc):
    return " " + doc["answer"]


def small(dataset):
    return dataset.filter(lambda doc: int(doc["answer"]) < 7)
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let row = |(one, other): (i32, i32)| {
        let sum = one + other;
        let choices = [sum - 1, sum, sum + 1].map(|choice| choice.to_string());
        json!({"question": format!("What is {one}+{other}?"), "choices": choices, "answer": sum.to_string()})
    };
    let lines = |pairs: &[(i32, i32)]| -> String {
        pairs.iter().map(|pair| row(*pair).to_string() + "\n").collect()
    };
    scratch.write("sums.jsonl", &lines(&[(1, 2), (2, 2), (3, 2), (4, 4), (3, 5)]));
    scratch.write("shown.jsonl", &lines(&[(1, 1), (5, 2), (2, 6)]));
    for (name, text) in [
        ("tasks/sums.yaml", SUMS),
        ("tasks/last.yaml", LAST),
        ("tasks/written.yaml", WRITTEN),
        ("tasks/read.yaml", READ),
        ("tasks/made.py", MADE),
        (
            "tasks/both.yaml",
            "group: both\ntask: [sums, last]\naggregate_metric_list: [{metric: acc}]\n",
        ),
    ] {
        scratch.write(name, text);
    }
    scratch
}

fn run(scratch: &Scratch, arguments: &[&str]) -> (Option<i32>, String, String) {
    let line = ["run", "--model", MODEL, "-w", "out", "--tasks-path", "tasks"];
    let output = scratch.run(&[&line, arguments].concat());
    (output.status.code(), stdout(&output), stderr(&output))
}

/// A file below the folder of runs whose name begins so.
fn found(scratch: &Scratch, beginning: &str) -> String {
    let mut folders = vec![scratch.path().join("out")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().starts_with(beginning) {
                return std::fs::read_to_string(entry.path()).unwrap();
            }
        }
    }
    panic!("there is no {beginning}")
}

#[test]
fn tasks_of_every_kind_are_asked_scored_and_written_as_lm_eval_writes_them() {
    let scratch = scratch();
    let typed = ["--tasks", "both,written,read", "--shots", "2", "--json", "--format", "lm-eval"];
    let (code, out, talk) = run(&scratch, &typed);
    assert_eq!(code, Some(0), "{talk}");
    let outcome: Json = serde_json::from_str(&out).unwrap();
    let rows = outcome["results"].as_array().unwrap();
    let named: Vec<Json> =
        rows.iter().map(|row| json!([row["dataset"], row["metric"], row["samples"]])).collect();
    let expected = [
        json!(["sums", "acc", 5]),
        json!(["sums", "acc_norm", 5]),
        json!(["last", "acc", 5]),
        json!(["last", "perplexity", 5]),
        // A function leaves two rows out.
        json!(["written", "exact_match", 3]),
        json!(["read", "word_perplexity", 5]),
        json!(["read", "bits_per_byte", 5]),
    ];
    assert_eq!(named.len(), expected.len(), "{named:?}");
    assert!(expected.iter().all(|row| named.contains(row)), "{named:?}");
    assert_eq!(outcome["families"][0]["family"], "both");

    let results: Json = serde_json::from_str(&found(&scratch, "results_")).unwrap();
    let acc = |task: &str| results["results"][task]["acc,none"].as_f64().unwrap();
    let of_row = |task: &str| {
        let own = |row: &&Json| row["dataset"] == task && row["metric"] == "acc";
        rows.iter().find(own).unwrap()["value"].as_f64().unwrap() / 100.0
    };
    for task in ["sums", "last"] {
        assert!((acc(task) - of_row(task)).abs() < 1e-12, "{task}: {results}");
    }
    assert!((acc("both") - f64::midpoint(acc("sums"), acc("last"))).abs() < 1e-12);
    assert_eq!(results["n-shot"]["sums"], 2);
    let samples = found(&scratch, "samples_sums_");
    let first: Json = serde_json::from_str(samples.lines().next().unwrap()).unwrap();
    assert_eq!(first["arguments"]["gen_args_1"]["arg_1"], " 3");
    assert_eq!(first["target"], "1");
    assert_eq!(first["resps"].as_array().unwrap().len(), 3);

    // The same again asks nothing, and it is scored again without the data.
    let (code, _, talk) = run(&scratch, &typed);
    assert!(code == Some(0) && talk.contains("0 tokens computed"), "{talk}");
    std::fs::remove_file(scratch.path().join("sums.jsonl")).unwrap();
    let output = scratch.run(&["evaluate", "latest", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let again: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(again["results"], outcome["results"]);
    // But not by other functions.
    scratch.write("tasks/made.py", &MADE.replace("< 7", "< 9"));
    let output = scratch.run(&["evaluate", "latest", "-w", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("made.py: it is not what it was"), "{}", stderr(&output));
}

#[test]
fn files_of_lm_eval_tell_how_many_documents_a_limit_left_out() {
    let scratch = scratch();
    let typed = ["--tasks", "sums", "--limit", "3", "--format", "lm-eval"];
    let (code, _, talk) = run(&scratch, &typed);
    assert_eq!(code, Some(0), "{talk}");
    let results: Json = serde_json::from_str(&found(&scratch, "results_")).unwrap();
    assert_eq!(results["n-samples"]["sums"], json!({"original": 5, "effective": 3}));
}

#[test]
fn a_changed_file_that_functions_import_is_a_change() {
    let scratch = scratch();
    scratch.write(
        "tasks/made.py",
        &format!("from beside import K\n\n{}", MADE.replace("\" \" +", "K +")),
    );
    scratch.write("tasks/beside.py", "K = ' '\n");
    let (code, _, talk) = run(&scratch, &["--tasks", "last"]);
    assert_eq!(code, Some(0), "{talk}");
    scratch.write("tasks/beside.py", "K = ' 1'\n");
    let (code, _, talk) = run(&scratch, &["--tasks", "last"]);
    assert!(code == Some(0) && !talk.contains("the same run is finished"), "{talk}");
    scratch.write("tasks/beside.py", "K = ' '\n");
    let output = scratch.run(&["evaluate", "latest", "-w", "out"]);
    assert!(stderr(&output).contains("beside.py: it is not what it was"), "{}", stderr(&output));
}

#[test]
fn targets_that_are_no_option_and_words_that_are_no_column_are_told() {
    let scratch = scratch();
    let odd = SUMS.replace("{{choices.index(answer)}}", "{{answer}}").replace("sums\n", "odd\n");
    scratch.write("tasks/odd.yaml", &odd);
    let (code, _, talk) = run(&scratch, &["--tasks", "odd"]);
    assert_eq!(code, Some(0), "{talk}");
    assert!(talk.contains("unreachable_gold") && talk.contains("none of the 3 options"), "{talk}");
    let word =
        SUMS.replace("Question: {{question}}\\nAnswer:", "quesiton").replace("sums\n", "word\n");
    scratch.write("tasks/word.yaml", &word);
    let (code, _, talk) = run(&scratch, &["--tasks", "word"]);
    assert_eq!(code, Some(0), "{talk}");
    assert!(talk.contains("did you mean 'question'?"), "{talk}");
    // What is wrong only because the model is says nothing of golds.
    let output = scratch.run(&["evaluate", "latest", "-w", "out"]);
    assert!(!stderr(&output).contains("unreachable_gold"), "{}", stderr(&output));
    scratch.write("tasks/tab.yaml", "task: tab\n\tdataset_path: json\n");
    let (code, _, talk) = run(&scratch, &["--tasks", "tab"]);
    assert!(code == Some(2) && talk.contains("tab.yaml: this is not YAML"), "{talk}");
}

#[test]
fn tasks_are_checked_and_viewed_as_configs_are() {
    let scratch = scratch();
    let line = ["--tasks", "sums", "--tasks-path", "tasks", "--shots", "1", "--model", MODEL];
    let output = scratch.run(&[&["check", "--json"], &line[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let checked: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(checked[0]["samples"], 5, "{checked}");
    let output = scratch.run(&[&["view", "--json"], &line[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let viewed: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let text = viewed[0]["prompts"][1]["text"].as_str().unwrap();
    assert!(text.ends_with("Question: What is 1+2?\nAnswer: 3"), "{text:?}");
    assert_eq!(text.matches("Question:").count(), 2, "{text:?}");
    assert_eq!(viewed[0]["gold"], "1");
}

#[test]
fn tasks_are_compared_with_runs_of_theirs() {
    let scratch = scratch();
    let (code, _, talk) = run(&scratch, &["--tasks", "sums", "--shots", "1"]);
    assert_eq!(code, Some(0), "{talk}");
    let line = ["compare", "latest", "--tasks", "sums", "--tasks-path", "tasks", "--shots", "2"];
    let typed = [&line[..], &["--model", MODEL, "-w", "out", "--by", "run", "--json"]].concat();
    let output = scratch.run(&typed);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let members = found["comparisons"][0]["members"].as_array().unwrap();
    assert_eq!(members.len(), 2, "{found}");
    assert!(members.iter().all(|member| member["samples"] == 5), "{found}");
    let output = scratch.run(&["compare", "latest", "-w", "out", "--shots", "2"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is() {
    let scratch = scratch();
    let refused = |arguments: &[&str], expected: &str| {
        let (code, out, talk) = run(&scratch, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {out}");
        assert!(talk.contains(expected), "{arguments:?}: {talk}");
    };
    refused(&["--tasks", "smus"], "did you mean 'sums'?");
    refused(&["--tasks", "zz*"], "no task, group or tag 'zz*'");
    refused(&["--tasks", "sums", "--shots", "9"], "9 examples are to be shown");
    refused(&["--tasks", "sums", "--print-config"], "tasks are none");
    scratch.write(
        "tasks/made.py",
        "import socket\n\ndef answer(doc):\n    return socket.gethostname()\n",
    );
    refused(&["--tasks", "last"], "made.py");
    scratch
        .write("tasks/odd.yaml", &SUMS.replace("sums\n", "odd\n").replace("acc_norm", "sharpness"));
    refused(&["--tasks", "odd"], "sharpness");
    scratch.write(
        "tasks/beams.yaml",
        &WRITTEN
            .replace("written", "beams")
            .replace("max_gen_toks: 4", "num_beams: 4")
            .replace("process_docs: !function made.small\n", ""),
    );
    refused(&["--tasks", "beams"], "beams are not searched");
    let output = scratch.run(&["run", "--model", MODEL, "--format", "lm-eval", "x.py"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_chat_template_writes_the_prompts_where_that_is_asked_for() {
    let scratch = scratch();
    let line = ["view", "--tasks", "sums", "--tasks-path", "tasks", "--model", MODEL, "--json"];
    let typed = ["--apply-chat-template", "--system-instruction", "Be short.", "--shots", "1"];
    let text = |more: &[&str]| {
        let output = scratch.run(&[&line[..], &typed, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let viewed: Json = serde_json::from_str(&stdout(&output)).unwrap();
        viewed[0]["prompts"][0]["text"].as_str().unwrap().to_owned()
    };
    let (one, several) = (text(&["--fewshot-as-multiturn", "false"]), text(&[]));
    assert_eq!(several, text(&["--fewshot-as-multiturn"]));
    assert!(one.contains("Be short.") && one.contains("<|im_start|>assistant"), "{one}");
    let users = |text: &str| text.matches("<|im_start|>user").count();
    assert_eq!((users(&one), users(&several)), (1, 2), "{several}");
}

#[test]
fn requests_of_other_programs_are_answered_together() {
    let scratch = Scratch::new();
    let question = "Question: What is 2+2?\nAnswer:";
    let lines = [
        json!({"id": "a", "context": question, "continuation": " 4"}),
        json!({"id": "b", "context": question, "continuation": " 5"}),
        json!({"id": "c", "text": question}),
        json!({"id": "d", "context": question, "until": ["\n\n"], "max_gen_toks": 3}),
    ];
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    scratch.write("requests.jsonl", &text);
    let line = ["answer", "requests.jsonl", "--model", MODEL, "-w", "out"];
    let output = scratch.run(&line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let answers: Vec<Json> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Json> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    let likely = |place: usize| answers[place]["log_likelihood"].as_f64().unwrap();
    assert!((0..3).all(|place| likely(place) < 0.0), "{answers:?}");
    assert!((likely(0) - likely(1)).abs() > 1e-3, "{answers:?}");
    assert!(answers[3]["text"].is_string() && answers[3]["finish"] == "length", "{answers:?}");
    // A file says the same, and nothing is computed again.
    let output = scratch.run(&[&line[..], &["-o", "answers.jsonl"]].concat());
    assert!(stderr(&output).contains("0 tokens computed"), "{}", stderr(&output));
    assert_eq!(
        std::fs::read_to_string(scratch.path().join("answers.jsonl")).unwrap().lines().count(),
        4
    );

    for (odd, expected) in [
        (json!({"context": "a"}).to_string() + "\n" + &json!({"text": 3}).to_string(), "line 2"),
        (json!({"context": "a", "continuation": ""}).to_string(), "no token of its own"),
        (json!({"text": "a", "continuation": "b"}).to_string(), "a request has"),
        (json!({"context": "a", "beams": 3}).to_string(), "beams is not known"),
    ] {
        scratch.write("odd.jsonl", &odd);
        let output = scratch.run(&["answer", "odd.jsonl", "--model", MODEL, "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}
