//! Runs of one row whose prompt shows or lets hear something.

use std::{fs, path::PathBuf, process::Output};

use serde_json::Value as Json;

use super::scratch::{Scratch, fixtures, stderr};

const CONFIG: &str = r"from opencompass.models import HuggingFacewithChatTemplate
rows = dict(abbr='rows', path='rows.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='MMPromptTemplate', template=TEMPLATE),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(INFERENCER)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [rows]
models = [dict(type=HuggingFacewithChatTemplate, abbr='tiny', path=MODEL OPTIONS)]
";

/// What a run asks.
pub(crate) struct Asked<'a> {
    /// A model of the fixtures.
    pub(crate) model: &'a str,
    /// The part of the message that shows something: `image=dict(…)`.
    pub(crate) part: &'a str,
    /// The pieces of the row's question.
    pub(crate) question: &'a str,
    /// Further fields of the model's entry.
    pub(crate) options: &'a str,
}

impl Asked<'_> {
    /// A folder in which the model answers in eight tokens.
    pub(crate) fn answered(&self) -> Scratch {
        let template = format!("dict(round=[dict(role='HUMAN', prompt_mm={})])", self.forms());
        self.written(&template, "type='GenInferencer', max_out_len=8")
    }

    /// A folder in which it ranks candidates.
    pub(crate) fn ranked(&self, candidates: &[&str]) -> Scratch {
        let labels = candidates.iter().map(|label| {
            let (human, label) = (self.forms(), serde_json::json!(label));
            format!("{label}: dict(round=[dict(role='HUMAN', prompt_mm={human}), dict(role='BOT', prompt={label})])")
        });
        let template = labels.collect::<Vec<_>>().join(", ");
        self.written(&format!("{{{template}}}"), "type='PPLInferencer'")
    }

    fn forms(&self) -> String {
        format!("dict(text=dict(type='text', text='{{question}}'), {})", self.part)
    }

    fn written(&self, template: &str, inferencer: &str) -> Scratch {
        let scratch = Scratch::new();
        let options = Some(self.options).filter(|options| !options.is_empty());
        let config = CONFIG
            .replace("TEMPLATE", template)
            .replace("INFERENCER", inferencer)
            .replace("MODEL", &serde_json::json!(model(self.model)).to_string())
            .replace("OPTIONS", &options.map_or_else(String::new, |own| format!(", {own}")));
        scratch.write("config.py", &config);
        let row = serde_json::json!({"question": self.question, "answer": "x"});
        scratch.write("rows.jsonl", &row.to_string());
        scratch
    }
}

/// The folder of a model of the fixtures.
fn model(name: &str) -> PathBuf {
    fixtures().join("vision/models").join(name)
}

/// A case of a model's expectations.
pub(crate) fn case(model_name: &str, case: &str) -> Json {
    let text = fs::read(model(model_name).join("expected.json")).unwrap();
    let expected: Json = serde_json::from_slice(&text).unwrap();
    let mut cases = expected["cases"].as_array().unwrap().iter();
    cases.find(|own| own["name"] == case).unwrap().clone()
}

/// The ids that transformers goes on with.
pub(crate) fn greedy(case: &Json) -> Vec<u64> {
    let margin = case["greedy_margin"].as_f64().unwrap();
    assert!(margin > 1e-3, "{margin}");
    serde_json::from_value(case["greedy"].clone()).unwrap()
}

/// A run that ends well; what it says.
pub(crate) fn run(scratch: &Scratch) -> String {
    said(&scratch.run(&["run", "config.py", "-w", "work"]), 0)
}

/// What is said by a run that is refused.
pub(crate) fn refused(scratch: &Scratch) -> String {
    let told = said(&scratch.run(&["run", "config.py", "-w", "work"]), 2);
    assert!(!told.contains("panicked"), "{told}");
    told
}

/// What is said by a command that ended so.
pub(crate) fn said(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
    stderr(output)
}

/// The last ids of the newest run's only sample.
pub(crate) fn last_ids(scratch: &Scratch, count: usize) -> Vec<u64> {
    let tokens = scratch.export("work", "tokens");
    let ids: Vec<u64> = tokens.iter().map(|token| token["id"].as_u64().unwrap()).collect();
    ids[ids.len() - count..].to_vec()
}
