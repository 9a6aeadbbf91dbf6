//! A file of rows where a config would stand.

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, stderr, stdout};

/// The model that ships: its context holds an answer of 512 tokens, the default.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/pocket");

/// Questions with options in columns, as OpenCompass recognises them.
const LETTERED: &str = r#"{"question": "the old cat sat on", "A": "the mat", "B": "the moon", "C": "a fish", "answer": "A"}
{"question": "once upon", "A": "a time", "B": "the", "C": "two", "answer": "B"}
{"question": "she sells", "A": "shells", "B": "time", "C": "nothing", "answer": "A"}
"#;

/// The config that a command line stands for.
fn printed(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.run(&[&["run", "--print-config", "--model", MODEL], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = scratch.run(&[&["run", "--model", MODEL, "-w", "out"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    stderr(&output)
}

/// The figures of a run, and what it says.
fn figures(scratch: &Scratch, arguments: &[&str]) -> (Vec<Json>, String) {
    let line = [&["run", "--model", MODEL, "-w", "out", "--json"], arguments].concat();
    let output = scratch.run(&line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let of = |row: &Json| json!([row["dataset"], row["metric"], row["samples"], row["value"]]);
    (outcome["results"].as_array().unwrap().iter().map(of).collect(), stderr(&output))
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("quiz.jsonl", LETTERED);
    scratch
}

#[test]
fn a_file_is_asked_about_without_a_config_and_the_printed_config_asks_the_same() {
    let scratch = scratch();
    for method in ["ppl", "gen"] {
        let arguments = ["quiz.jsonl", "--infer-method", method];
        let (of_file, _) = figures(&scratch, &arguments);
        assert_eq!((of_file.len(), &of_file[0][0], &of_file[0][2]), (1, &json!("quiz"), &json!(3)));
        scratch.write("printed.py", &printed(&scratch, &arguments));
        let output = scratch.run(&["run", "printed.py", "-w", "out", "--json"]);
        let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(outcome["results"][0]["value"], of_file[0][3]);
        assert_eq!(outcome["work"]["computed_tokens"], 0, "{outcome}");
    }
    let config = printed(&scratch, &["quiz.jsonl"]);
    for part in [
        "opencompass.datasets.custom.CustomDataset",
        "OptionSimAccEvaluator",
        "Question: {question}\\nA. {A}\\nB. {B}\\nC. {C}",
        "Answer: {answer}",
    ] {
        assert!(config.contains(part), "{config}");
    }
}

#[test]
fn what_was_taken_for_granted_is_told_and_typed_words_have_the_last_say() {
    let scratch = scratch();
    scratch.write("facts.csv", "text,label\nthe old cat,no\nonce upon,yes\n");
    let told = stderr(&scratch.run(&["check", "quiz.jsonl", "--model", MODEL]));
    let told =
        format!("{told}{}", stdout(&scratch.run(&["check", "quiz.jsonl", "--model", MODEL])));
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("taken as questions with options A, B, C, answered in words (gen)"),
        "{told}"
    );
    let typed = ["--gold", "label", "--choices", "no,yes", "--template", r"{text}\nTrue? {label}"];
    let arguments = [&["facts.csv"], &typed[..]].concat();
    let config = printed(&scratch, &arguments);
    assert!(config.contains(r"{text}\nTrue? yes") && config.contains("PPLInferencer"), "{config}");
    figures(&scratch, &arguments);
    // What a file beside it says stands below what is typed.
    scratch.write(
        "facts.csv.meta.json",
        r#"{"output_column": "label", "human_prompt": "Is {text}?", "abbr": "facts_of_old"}"#,
    );
    let config = printed(&scratch, &["facts.csv"]);
    assert!(config.contains("Is {text}?") && config.contains("facts_of_old"), "{config}");
}

#[test]
fn examples_come_from_a_file_of_their_own() {
    let scratch = scratch();
    scratch.write("shown.jsonl", LETTERED);
    let arguments =
        ["quiz.jsonl", "--infer-method", "ppl", "--shots", "2", "--examples", "shown.jsonl"];
    figures(&scratch, &arguments);
    let samples = scratch.export("out", "candidates");
    let text =
        samples[0]["text"].as_str().or_else(|| samples[0]["prompt"].as_str()).unwrap_or_default();
    assert_eq!(text.matches("Question:").count(), 3, "{}", samples[0]);
    assert!(refused(&scratch, &["quiz.jsonl", "--shots", "2"]).contains("--examples"));
}

#[test]
fn options_in_a_list_are_compared_whatever_the_gold_calls_them() {
    let scratch = scratch();
    let row = |gold: Json| json!({"question": "the cat", "choices": ["sat", "fell", "is"], "answer": gold});
    for gold in [json!(1), json!("B"), json!("fell")] {
        scratch.write("listed.jsonl", &format!("{}\n{}\n", row(gold.clone()), row(gold)));
        let (figures, told) = figures(&scratch, &["listed.jsonl", "--choices", "choices"]);
        assert_eq!(figures[0][2], 2);
        assert!(!told.contains("outside"), "{told}");
    }
}

#[test]
fn what_cannot_be_taken_is_one_message_that_says_what_to_do() {
    let scratch = scratch();
    scratch.write("free.jsonl", "{\"text\": \"the cat\", \"target\": \"sat\"}\n");
    scratch.write("plain.py", "datasets = []\n");
    for (arguments, expected) in [
        (
            &["free.jsonl"][..],
            "there is no column \"question\", only text, target; write the prompt, as in --template",
        ),
        (&["free.jsonl", "--gold", "gold"], "there is no column \"gold\", only text, target"),
        (
            &["quiz.jsonl", "--infer-method", "ppl", "--choices", "yes,no"],
            "the choice \"yes\" is no column",
        ),
        (
            &["quiz.jsonl", "--choices", "yes,no", "--template", "{question}"],
            "the template has no {answer}",
        ),
        (&["quiz.jsonl", "--data-type", "qa", "--infer-method", "ppl"], "free questions have none"),
        (&["absent.jsonl"], "absent.jsonl"),
        (&["plain.py", "--gold", "x"], "there is none among plain.py"),
    ] {
        let error = refused(&scratch, arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn the_answer_has_one_name_in_templates_whatever_its_column_is_called() {
    let scratch = Scratch::new();
    scratch.write("facts.csv", "text,label\nthe cat sat,yes\nonce upon,no\n");
    let asked = |template| {
        let line = ["facts.csv", "--gold", "label", "--choices", "no,yes", "--template", template];
        printed(&scratch, &line)
    };
    assert_eq!(asked("{text} {answer}"), asked("{text} {label}"));
    let continued =
        printed(&scratch, &["facts.csv", "--gold", "label", "--template", "{text} {answer}"]);
    assert!(continued.contains("{text} {label}"), "{continued}");
    let error = refused(&scratch, &["facts.csv", "--template", "{text} {answer}"]);
    assert!(error.contains("no column is the gold; name it, as in --gold label"), "{error}");
    let error = refused(&scratch, &["facts.csv", "--infer-method", "ppl"]);
    assert!(error.contains(r#"the columns are "text", "label""#), "{error}");
}

#[test]
fn options_that_a_row_lacks_or_has_twice_are_told() {
    let scratch = Scratch::new();
    let rows = [
        json!({"question": "a", "A": "x", "B": "y", "C": "z", "answer": "A"}),
        json!({"question": "b", "A": "x", "B": "x", "C": "z", "answer": "B"}),
        json!({"question": "c", "A": "x", "B": "y", "answer": "A"}),
    ];
    scratch.write("odd.jsonl", &rows.map(|row| row.to_string()).join("\n"));
    let line = ["odd.jsonl", "--infer-method", "ppl", "--template", "{question} {answer}"];
    let (_, said) = figures(&scratch, &line);
    for part in [
        "1 of 3 rows lack an option, and it can be chosen all the same",
        "in 1 of 3 rows two options have the same text",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn golds_of_lists_are_words_only_where_all_of_them_are() {
    let scratch = Scratch::new();
    let odd = json!({"question": "a", "choices": ["B", "A", "C"], "answer": "A"});
    let plain = json!({"question": "b", "choices": ["x", "y", "z"], "answer": "C"});
    scratch.write("words.jsonl", &odd.to_string());
    scratch.write("letters.jsonl", &format!("{odd}\n{plain}\n"));
    let (_, said) = figures(&scratch, &["words.jsonl", "--choices", "choices"]);
    assert!(!said.contains("golds are letters"), "{said}");
    let (_, said) = figures(&scratch, &["letters.jsonl", "--choices", "choices"]);
    let expected = "golds are letters of options (A is the first), although in 1 of 2 rows an option is that letter itself";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_column_that_could_be_seen_is_said_to_be_words() {
    let scratch = Scratch::new();
    let row = json!({"image": "pictures/cat.png", "question": "?", "A": "a cat", "B": "a dog", "answer": "A"});
    scratch.write("seen.jsonl", &row.to_string());
    let (_, told) = figures(&scratch, &["seen.jsonl"]);
    assert!(told.contains("image looks like an image"), "{told}");
    let (_, told) = figures(&self::scratch(), &["quiz.jsonl"]);
    assert!(!told.contains("looks like an image"), "{told}");
}
