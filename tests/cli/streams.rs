//! Where output goes and nobody reads it.

#![cfg(target_os = "linux")]

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
from opencompass.openicl import PromptTemplate, ZeroRetriever, GenInferencer, AccEvaluator
datasets = [dict(
    abbr='words',
    path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template='{question}'),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=GenInferencer, max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64)]
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    scratch.write("rows.jsonl", "{\"question\": \"the cat\", \"answer\": \"A\"}\n");
    scratch
}

#[test]
fn a_stderr_that_fails_ends_nothing() {
    let scratch = scratch();
    for stderr_to in ["2>/dev/full", "2>&-", "2>/dev/null"] {
        let line = format!("surprisal run config.py --device cpu --limit 1 {stderr_to}");
        let output = scratch.shell(&line).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{stderr_to}");
        assert!(stdout(&output).contains("words"), "{stderr_to}");
        let missing = format!("surprisal run nowhere.py {stderr_to}");
        assert_eq!(scratch.shell(&missing).output().unwrap().status.code(), Some(2));
    }
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let scratch = scratch();
    for command in ["models", "models --json", "config config.py", "view config.py --all"] {
        // The first writer of the pipe says how it ended.
        let line = format!("{{ surprisal {command}; echo \"exit $?\" >&2; }} | true");
        let output = scratch.shell(&line).output().unwrap();
        assert!(stderr(&output).contains("exit 0"), "{command}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{command}: {}", stderr(&output));
    }
    let both =
        scratch.shell("{ surprisal run config.py --device cpu 2>&1; echo $? >code; } | true");
    let mut both = both;
    assert!(both.status().unwrap().success());
    let code = std::fs::read_to_string(scratch.path().join("code")).unwrap();
    assert_eq!(code.trim(), "0");
}

#[test]
fn a_full_disk_under_stdout_is_an_error() {
    let output = scratch().shell("surprisal models > /dev/full").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("No space left"), "{}", stderr(&output));
}
