//! Configs that name OpenCompass's classes of data sets, run on files in the real layout.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr};

const CONFIG: &str = r"from opencompass.datasets import WinograndeDatasetV2
from opencompass.models import HuggingFaceCausalLM
datasets = [dict(
    abbr='blanks', type=WinograndeDatasetV2, path='opencompass/winogrande',
    reader_cfg=dict(input_columns=['opt1', 'opt2'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={'A': '{opt1}', 'B': '{opt2}'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64)]
";

const ROWS: &str = r#"{"sentence": "the _ ran", "option1": "cat", "option2": "dog", "answer": "2"}
{"sentence": "a _ sat", "option1": "dog", "option2": "cat", "answer": "1"}
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    scratch
}

#[test]
fn a_class_finds_its_files_below_the_folder_of_all_data() {
    let scratch = scratch();
    scratch.write("shared/data/winogrande/dev.jsonl", ROWS);
    let line = "COMPASS_DATA_CACHE=shared surprisal run config.py -w out";
    let output = scratch.shell(line).output().expect("the binary runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let line = "surprisal export latest -w out --table samples";
    let output = scratch.shell(line).output().expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<Json> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let golds: Vec<&str> = rows.iter().filter_map(|row| row["gold"].as_str()).collect();
    assert_eq!(golds, ["B", "A"], "{text}");
    assert!(text.contains("the dog ran") && text.contains("a dog sat"), "{text}");
}

#[test]
fn a_file_that_is_nowhere_is_told_with_what_to_do() {
    let scratch = scratch();
    let output = scratch.run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    for part in ["data/winogrande", "COMPASS_DATA_CACHE", "the current folder"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_row_that_the_class_cannot_use_is_told_with_its_line() {
    let scratch = scratch();
    scratch.write("data/winogrande/dev.jsonl", &ROWS.replace("a _ sat", "a cat sat"));
    let output = scratch.run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("dev.jsonl, line 2: `sentence` has no blank"), "{message}");
}

#[test]
fn an_unknown_class_is_refused_with_the_nearest() {
    let scratch = scratch();
    scratch.write("config.py", &CONFIG.replace("WinograndeDatasetV2", "WinograndeDatasetV4"));
    let output = scratch.run(&["check", "config.py"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("did you mean 'WinograndeDataset"), "{message}");
}
