//! Runs whose metric runs what a model wrote: only with permission, and later.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.datasets import HumanEvalEvaluator
tasks = dict(abbr='tasks', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['prompt'], output_column='task_id'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template='{prompt}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type=HumanEvalEvaluator)))
datasets = [tasks]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

#[test]
fn nothing_is_run_without_permission_and_everything_later_with_it() {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    // The first task comes to its end whatever stands in its comment.
    let row = |index: usize, test: &str| {
        let row = serde_json::json!({"task_id": format!("t/{index}"), "prompt": "def f(): return 1\n#",
            "test": test, "entry_point": "f"});
        format!("{row}\n")
    };
    let rows = row(0, "def check(f):\n    assert f() == 1")
        + &row(1, "def check(f):\n    assert f() == 2");
    scratch.write("data/rows.jsonl", &rows);
    let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["results"], serde_json::json!([]), "{outcome}");
    assert_eq!(outcome["unscored"][0]["missing"], "code");
    assert_eq!(stderr(&output).matches("--allow-code").count(), 1, "{}", stderr(&output));
    let output = scratch.run(&["evaluate", "latest", "-w", "out", "--allow-code", "--json"]);
    if stderr(&output).contains("no sandbox here") {
        assert_eq!(output.status.code(), Some(2));
        println!("skipped: {}", stderr(&output));
        return;
    }
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["results"][0]["metric"], "humaneval_pass@1", "{outcome}");
    // What the model wrote behind the comment may be no Python.
    assert!(outcome["results"][0]["value"].as_f64().unwrap() <= 50.0, "{outcome}");
}
