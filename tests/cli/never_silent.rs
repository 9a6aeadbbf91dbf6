//! What a config or a data set says is honoured, or refused with a message; nothing is passed over.

use std::fs;

use super::scratch::{Scratch, stderr};

/// A config that works; tests replace parts of it.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
datasets = [dict(
    abbr='words',
    path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={'A': '{question} yes', 'B': '{question} no'}),
        retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64)]
";

const ROWS: &str = r#"{"question": "the cat", "answer": "A"}
{"question": "the dog", "answer": "B"}
"#;

/// A folder with the config, parts of which are replaced, and the rows.
fn scratch(replacements: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    let mut config = CONFIG.to_owned();
    for (from, to) in replacements {
        assert!(config.contains(from), "nothing to replace for {from:?}");
        config = config.replace(from, to);
    }
    scratch.write("config.py", &config);
    scratch.write("rows.jsonl", ROWS);
    scratch
}

/// The message of a command that must end with exit code 2.
fn refusal(scratch: &Scratch) -> String {
    let output = scratch.run(&["check", "config.py"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    message
}

/// The predictions file of a run.
fn predictions(scratch: &Scratch) -> String {
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    fs::read_to_string(scratch.only_run("out").join("predictions/tiny/words.json")).unwrap()
}

#[test]
fn keys_of_a_data_set_are_honoured_or_refused() {
    for (key, says) in [
        ("n=0", "n: int 0 is no number of answers"),
        ("k=[1, '4']", "k: str '4' is no number of answers"),
        ("type='opencompass.datasets.MMLUDatasets'", "'opencompass.datasets.MMLUDatasets' is not"),
        ("subset='main'", "unknown field 'subset'"),
        ("name='main'", "name: it chooses among several files"),
    ] {
        let message = refusal(&scratch(&[("abbr='words',", &format!("abbr='words', {key},"))]));
        assert!(message.contains("config.py:") && message.contains(says), "{message}");
    }
    let harmless = "abbr='words', n=1, k=1, type='opencompass.datasets.JsonlDataset',";
    let output = scratch(&[("abbr='words',", harmless)]).run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn names_that_would_be_one_file_are_refused() {
    let two = |one: &str, other: &str| {
        let both = format!(
            "\ndatasets = [dict(datasets[0], abbr='{one}'), dict(datasets[0], abbr='{other}')]\nmodels = "
        );
        refusal(&scratch(&[("\nmodels = ", &both)]))
    };
    for (one, other) in [("a/b", "a_b"), ("Words", "words")] {
        let message = two(one, other);
        assert!(message.contains("would be one file"), "{message}");
    }
    let message = two("a", "b\\n");
    assert!(message.contains("line break or a control character"), "{message}");
    let second =
        "abbr='TINY', path='models/tiny-llama-bos'), dict(type=HuggingFaceCausalLM, abbr='tiny'";
    let message = refusal(&scratch(&[("abbr='tiny'", second)]));
    assert!(message.contains("a model needs a name of its own"), "{message}");
}

#[test]
fn a_csv_is_read_by_its_separator_or_refused() {
    let csv = |name: &str, text: &str| {
        let scratch = scratch(&[("rows.jsonl", name)]);
        scratch.write(name, text);
        scratch
    };
    let message = refusal(&csv("rows.csv", "question,answer\nthe cat,A\nthe \"dog\",B\n\"cow,A\n"));
    assert!(message.contains("rows.csv, line 4: the quote that opens here"), "{message}");
    for (name, text) in [
        ("rows.csv", "question;answer\nthe cat, or;A\n"),
        ("rows.csv", "question\tanswer\nthe cat, or\tA\n"),
        ("rows.tsv", "question\tanswer\nthe cat, or\tA\n"),
    ] {
        assert!(predictions(&csv(name, text)).contains("\"the cat, or yes\""), "{text}");
    }
    let message = refusal(&csv("rows.csv", "question;x,answer\nthe cat;1,A\n"));
    assert!(message.contains("a header is separated by"), "{message}");
}

#[test]
fn a_gold_that_is_no_label_is_told_and_counts_as_wrong() {
    let scratch = scratch(&[]);
    let rows: String = (0..4).map(|_| ROWS).collect::<String>() + &ROWS.replace("\"A\"", "\"C\"");
    scratch.write("rows.jsonl", &rows);
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(
        message.contains("1 of 10 samples (data set words, model tiny, sample 8)"),
        "{message}"
    );
    assert!(message.contains("no prediction can equal the gold answer \"C\""), "{message}");
    let results = scratch.only_run("out").join("results/tiny/words.json");
    let results: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(results).unwrap()).unwrap();
    assert_eq!(results["details"]["8"]["correct"], false, "{results}");
    assert_eq!(results["statistics"]["samples"], 10);
}

#[test]
fn training_rows_that_are_never_shown_may_lack_columns() {
    let folder = |retriever: &str| {
        let scratch = scratch(&[("rows.jsonl", "rows"), ("'ZeroRetriever'", retriever)]);
        scratch.write("rows/train.jsonl", "{\"text\": \"another table\"}\n");
        scratch.write("rows/test.jsonl", ROWS);
        scratch
    };
    let output = folder("'ZeroRetriever'").run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let message = refusal(&folder("'FixKRetriever', fix_id_list=[0]"));
    assert!(message.contains("split `train`") && message.contains("question"), "{message}");
}

#[test]
fn fields_look_into_lists_and_records() {
    let template =
        "{question} {choices[0]}|{choices[1]}|{labels.name}|{labels[name]}|{labels.gone}";
    let scratch = scratch(&[("'{question} yes'", &format!("'{template}'"))]);
    let row = r#"{"question": "Q", "choices": ["x", "{answer}"], "labels": {"name": [1, null]}, "answer": "A"}"#;
    scratch.write("rows.jsonl", row);
    let written = predictions(&scratch);
    assert!(written.contains("\"Q x|{answer}|[1, None]|[1, None]|{labels.gone}\""), "{written}");
}

#[test]
fn the_answer_is_hidden_from_fields_that_look_into_it() {
    let generation = [
        (
            "{'A': '{question} yes', 'B': '{question} no'}",
            "'{question} <{answer}|{answer.text}|{answer[text][0]}>'",
        ),
        ("type='PPLInferencer'", "type='GenInferencer', max_out_len=1"),
    ];
    let scratch = scratch(&generation);
    scratch.write("rows.jsonl", r#"{"question": "Q", "answer": {"text": ["gold"]}}"#);
    let written = predictions(&scratch);
    assert!(written.contains("\"Q <||>\""), "{written}");
}

#[test]
fn an_evaluator_applies_its_own_post_processor() {
    let own = "dict(type='AccEvaluator', pred_postprocessor=dict(type='first-capital'))";
    let scratch = scratch(&[
        ("dict(type='AccEvaluator')", own),
        // Both candidates are the same text, so the first label is always predicted.
        (
            "{'A': '{question} yes', 'B': '{question} no'}",
            "{'is A': '{question}', 'is B': '{question}'}",
        ),
    ]);
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let results = scratch.only_run("out").join("results/tiny/words.json");
    let results: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(results).unwrap()).unwrap();
    assert_eq!(results["accuracy"], 50.0, "{results}");
    // As in OpenCompass, the details show predictions as they were before.
    let shown = results["details"]["0"]["predictions"].as_str().unwrap_or_default();
    assert!(shown.starts_with("is "), "{results}");
}

#[test]
fn a_summary_group_that_is_there_in_part_is_told() {
    let groups = "summarizer = dict(summary_groups=[dict(name='both', subsets=['words', 'numbers'])])\nmodels = [";
    let scratch = scratch(&[("models = [", groups)]);
    let output = scratch.run(&["run", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.contains("summary group \"both\" has no figure: of its 2 data sets, 1 is not in this run: numbers"),
        "{said}"
    );
}

#[test]
fn a_data_set_that_is_meant_and_not_there_is_named() {
    let scratch = scratch(&[]);
    for command in ["check", "run"] {
        let output = scratch.run(&[command, "config.py", "--dataset", "numbers"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains("no data set matches \"numbers\"; there are: words"),
            "{}",
            stderr(&output)
        );
        assert_eq!(scratch.run(&[command, "config.py", "--dataset", "wor"]).status.code(), Some(0));
    }
}

#[test]
fn vector_instructions_that_are_not_there_are_refused() {
    let scratch = Scratch::new();
    let output = scratch
        .command(&["list", "benchmarks"])
        .env("SURPRISAL_INSTRUCTIONS", "avx1024")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("SURPRISAL_INSTRUCTIONS: there are no instructions \"avx1024\""),
        "{said}"
    );
    assert!(said.contains("portable"), "{said}");
    let held = scratch
        .command(&["bench", "--kernels", "--workload", "gen"])
        .env("SURPRISAL_INSTRUCTIONS", "portable")
        .output()
        .unwrap();
    assert_eq!(held.status.code(), Some(2));
    assert!(stderr(&held).contains("--workload"), "{}", stderr(&held));
}
