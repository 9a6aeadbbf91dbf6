//! Files of rows that are not what they seem: what is told of them, and in whose words.

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, stderr, stdout};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket");

/// A folder with one file.
fn scratch(name: &str, text: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write(name, text);
    scratch
}

/// The only warning of a file.
fn warning(scratch: &Scratch, arguments: &[&str]) -> Json {
    let output = scratch.run(&[&["check", "--model", MODEL, "--json"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let checked: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let found: Vec<&Json> = checked[0]["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|warning| warning["severity"] == "warning")
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.run(&[&["check", "--model", MODEL], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    stderr(&output)
}

#[test]
fn a_key_that_stands_twice_is_told_with_file_line_and_key() {
    let first = r#"{"question": "the cat", "A": "sat", "B": "is", "answer": "A"}"#;
    let second =
        r#"{"question": "a", "A": "sat", "B": "is", "answer": "B", "question": "the dog"}"#;
    let lines = format!("{first}\n\n{second}\n");
    let list = format!("[{first},\n{second}]");
    for (name, text, place) in
        [("quiz.jsonl", lines, "quiz.jsonl, line 3"), ("quiz.json", list, "quiz.json, item 2")]
    {
        let scratch = scratch(name, &text);
        let told = warning(&scratch, &[name, "--infer-method", "ppl"]);
        let expected = json!({"kind": "repeated_key", "field": "question", "count": 1, "of": 2, "first_sample": 1});
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(told[field], *value, "{told}");
        }
        assert!(told["message"].as_str().unwrap().starts_with(place), "{told}");
        let run =
            scratch.run(&["run", name, "--infer-method", "ppl", "--model", MODEL, "-w", "out"]);
        assert!(stderr(&run).contains("repeated_key question: 1 of 2"), "{}", stderr(&run));
        let prompts: Vec<Json> = scratch.export("out", "candidates");
        assert!(prompts[2].to_string().contains("the dog"), "{}", prompts[2]);
    }
}

#[test]
fn lines_may_end_as_on_an_old_mac() {
    let rows = "{\"question\": \"the cat\", \"answer\": \"sat\"}\r{\"question\": \"b\", \"answer\": \"is\"}\r";
    let scratch = scratch("quiz.jsonl", rows);
    let output = scratch.run(&["check", "quiz.jsonl", "--model", MODEL, "--json"]);
    let checked: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(checked[0]["samples"], 2, "{checked}");
}

#[test]
fn a_file_is_named_once_and_nothing_is_said_of_a_config() {
    for (name, text, more, expected) in [
        ("data/zero.csv", "", "", "data/zero.csv: the data set is empty"),
        ("data/head.csv", "question,answer\n", "", "data/head.csv: the data set is empty"),
        (
            "data/bad.jsonl",
            "{\"question\": \n",
            "",
            "data/bad.jsonl, line 1: this line is not JSON",
        ),
        ("data/quiz.jsonl", "{\"text\": \"a\"}\n", "", "data/quiz.jsonl: there is no column"),
        (
            "data/quiz.jsonl",
            "{\"question\": 1}\n{\"question\": \"x\"}\n",
            "",
            "data/quiz.jsonl, line 2: column",
        ),
        (
            "data/quiz.jsonl",
            "{\"question\": \"a\"}\n",
            "{\"data_type\": 3}",
            "data/quiz.jsonl.meta.json: data_type: expected",
        ),
        ("data/quiz.jsonl", "{\"question\": \"a\"}\n", "{", "data/quiz.jsonl.meta.json: EOF"),
        (
            "data/quiz.jsonl",
            "{\"question\": \"a\", \"answer\": \"b\"}\n",
            "{\"evaluator\": \"Nope\"}",
            "data/quiz.jsonl: unknown evaluator 'Nope'",
        ),
    ] {
        let scratch = scratch(name, text);
        if !more.is_empty() {
            scratch.write(&format!("{name}.meta.json"), more);
        }
        let said = refused(&scratch, &[name]);
        assert!(said.contains(&format!("error: {expected}")), "{said}");
        assert_eq!(said.matches(name).count(), 1, "{said}");
        assert!(!said.contains("<memory>"), "{said}");
    }
    let scratch = scratch("quiz.jsonl", "{\"question\": \"a\", \"answer\": \"b\"}\n");
    let output = scratch.run(&["run", "quiz.jsonl"]);
    let said = stderr(&output);
    assert!(
        said.contains("quiz.jsonl: there is no model to run; name one, as in --model"),
        "{said}"
    );
    let said = refused(&scratch, &["quiz.jsonl", "--shots", "1", "--examples", "gone.jsonl"]);
    assert!(said.contains("quiz.jsonl: data_files: ") && said.contains("gone.jsonl"), "{said}");
    assert!(said.contains("(looked in the current folder)"), "{said}");
    // A file of that name in a folder above is another one, and nothing of this one.
    scratch.write("below/quiz.jsonl", "{\"question\": \"a\", \"answer\": \"b\"}\n");
    let mut below = scratch.command(&["check", "quiz.jsonl", "--model", MODEL]);
    let said = stderr(&below.current_dir(scratch.path().join("below")).output().unwrap());
    assert!(!said.contains("config is another"), "{said}");
}

#[test]
fn a_class_that_finds_no_row_names_its_file() {
    let config = "datasets = [dict(abbr='own', type='lambadaDataset', path='data/test.jsonl', reader_cfg=dict(input_columns=['text'], \
                  output_column='text', train_split='test'), infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{text}'), \
                  retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4)))]\n\
                  models = [dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos')]\n";
    let scratch = scratch("data/test.jsonl", "");
    scratch.write("config.py", config);
    let output = scratch.run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("data/test.jsonl"), "{}", stderr(&output));
}

#[test]
fn a_gold_that_is_the_text_of_an_option_is_told_with_what_to_write() {
    let rows = "{\"question\": \"the sky is\", \"A\": \"red\", \"B\": \"blue\", \"answer\": \"blue\"}\n\
                {\"question\": \"blood is\", \"A\": \"red\", \"B\": \"blue\", \"answer\": \"A\"}\n";
    let lettered = scratch("quiz.jsonl", rows);
    for (arguments, count) in [
        (&["--infer-method", "gen"][..], 1),
        (&["--infer-method", "ppl"], 1),
        (&["--data-type", "circular-mcq"], 2),
        (&["--data-type", "circular-mcq", "--infer-method", "ppl"], 2),
    ] {
        let told = warning(&lettered, &[&["quiz.jsonl"], arguments].concat());
        assert_eq!((&told["kind"], &told["count"]), (&json!("unreachable_gold"), &json!(count)));
        let message = told["message"].as_str().unwrap();
        assert!(message.contains("it is the text of option B: the gold has to be"), "{message}");
    }
    let rows = "{\"question\": \"the sky is\", \"options\": [\"red\", \"blue\"], \"answer\": \"A\"}\n\
                {\"question\": \"blood is\", \"options\": [\"red\", \"blue\"], \"answer\": \"red\"}\n";
    let told = warning(&scratch("list.jsonl", rows), &["list.jsonl", "--choices", "options"]);
    assert!(told["message"].as_str().unwrap().contains("it is the text of option A"), "{told}");
}

#[test]
fn an_option_that_the_first_row_lacks_is_shown() {
    let rows = "{\"question\": \"the cat\", \"A\": \"sat\", \"B\": \"fell\", \"answer\": \"A\"}\n\
                {\"question\": \"a dog\", \"A\": \"sat\", \"B\": \"fell\", \"C\": \"ran\", \"answer\": \"C\"}\n";
    let late = scratch("quiz.jsonl", rows);
    let arguments = ["quiz.jsonl", "--infer-method", "ppl"];
    let told = warning(&late, &arguments);
    assert_eq!((&told["kind"], &told["field"]), (&json!("null_cell"), &json!("C")), "{told}");
    let output = late.run(&[&["run", "--model", MODEL, "-w", "out"], &arguments[..]].concat());
    let said = stderr(&output);
    assert!(said.contains("taken as questions with options A, B, C"), "{said}");
    assert!(
        said.contains("the first row lacks C, and rows that lack a column have null"),
        "{said}"
    );
    let prompts = late.export("out", "candidates");
    assert!(prompts.iter().any(|prompt| prompt.to_string().contains("C. ran")), "{prompts:?}");
    let said = refused(&late, &["quiz.jsonl", "--data-type", "circular-mcq"]);
    assert!(
        said.contains("quiz.jsonl: the first row lacks the option C (options can be"),
        "{said}"
    );
    let printed =
        late.run(&[&["run", "--print-config", "--model", MODEL], &arguments[..]].concat());
    late.write("printed.py", &stdout(&printed));
    let output = late.run(&["run", "printed.py", "-w", "out", "--json"]);
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["work"]["computed_tokens"], 0, "{}", stderr(&output));
}
