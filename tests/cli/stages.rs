//! Data sets that ask more than once, each time with what was said before.

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, stderr, stdout};

/// Two stages: a text goes on, and what was said is asked about.
const STAGED: &str = r"
from mmengine.config import read_base
datasets = [dict(
    abbr='talk', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    stages=[
        dict(name='said', reader_cfg=dict(output_column='gold'), when='more', otherwise='text',
             infer_cfg=dict(
                 prompt_template=dict(type='PromptTemplate', template='{text}'),
                 retriever=dict(type='ZeroRetriever'),
                 inferencer=dict(type='GenInferencer', max_out_len=3)),
             eval_cfg=dict(evaluator=dict(type='AccEvaluator'))),
        dict(name='judged',
             infer_cfg=dict(
                 prompt_template=dict(type='PromptTemplate', template={'a': '{said} the cat', 'b': '{said} a dog'}),
                 retriever=dict(type='ZeroRetriever'),
                 inferencer=dict(type='PPLInferencer')),
             eval_cfg=dict(evaluator=dict(type='AccEvaluator'))),
    ]VARIANTS)]
models = [dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const ROWS: [&str; 3] = [
    r#"{"text": "once upon", "more": "x", "gold": "once upon", "answer": "a"}"#,
    r#"{"text": "the end", "more": "", "gold": "the end", "answer": "b"}"#,
    r#"{"text": "a time", "more": "x", "gold": "a time", "answer": "a"}"#,
];

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("data/rows.jsonl", &(ROWS.join("\n") + "\n"));
    scratch
}

fn run(scratch: &Scratch, config: &str) -> Json {
    scratch.write("staged.py", config);
    let output = scratch.run(&["run", "staged.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn samples(scratch: &Scratch, dataset: &str) -> Vec<Json> {
    let samples = scratch.export("out", "samples");
    samples.into_iter().filter(|line| line["dataset"] == dataset).collect()
}

#[test]
fn a_stage_reads_what_the_one_before_it_said() {
    let scratch = scratch();
    let outcome = run(&scratch, &STAGED.replace("VARIANTS", ""));
    let names: Vec<&str> = outcome["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["dataset"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["talk.said", "talk.judged"]);
    let said = samples(&scratch, "talk.said");
    let judged = samples(&scratch, "talk.judged");
    for (said, judged) in said.iter().zip(&judged) {
        let prediction = said["prediction"].as_str().unwrap();
        let columns = judged["columns"].as_str().map(serde_json::from_str::<Json>);
        assert_eq!(columns.unwrap().unwrap()["said"], json!(prediction));
        assert_eq!(judged["prompt"], json!(format!("{prediction} the cat")));
    }
    // The second row is not asked about: its own text is the prediction, and right.
    assert_eq!(said[1]["prediction"], json!("the end"));
    assert_eq!(said[1]["prompt"], Json::Null);
    assert_ne!(said[0]["prediction"], json!("once upon"));
    // What was asked is asked once.
    let again = run(&scratch, &STAGED.replace("VARIANTS", ""));
    assert_eq!(again["work"]["computed_tokens"], 0);
}

#[test]
fn variants_change_stages_and_share_what_they_do_not_change() {
    let scratch = scratch();
    let plain = run(&scratch, &STAGED.replace("VARIANTS", ""));
    let variants = r", variants=dict(
        other=dict(judged={'infer_cfg.prompt_template.template.b': '{said} two dogs'}),
        direct=dict(said=None, judged={'infer_cfg.prompt_template.template': {'a': '{text} the cat', 'b': '{text} a dog'}}))";
    let outcome = run(&scratch, &STAGED.replace("VARIANTS", variants));
    let names: Vec<&str> = outcome["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["dataset"].as_str().unwrap())
        .collect();
    let expected =
        ["talk.said", "talk.judged", "talk.said@other", "talk.judged@other", "talk.judged@direct"];
    assert_eq!(names, expected);
    // Three candidates of `other` are new, and four of `direct`: its middle row is what `said` keeps.
    let new = |outcome: &Json| {
        outcome["work"]["questions"].as_u64().unwrap()
            - outcome["work"]["reused_questions"].as_u64().unwrap()
    };
    assert_eq!((new(&plain), new(&outcome)), (8, 7));
    let compared = scratch.run(&["compare", "latest", "-w", "out", "--json"]);
    assert!(stdout(&compared).contains("talk.judged"), "{}", stderr(&compared));
}

#[test]
fn what_is_no_stage_is_an_error_with_its_place() {
    for (from, to, expected) in [
        ("name='judged'", "name='said'", "two stages are called \"said\""),
        ("name='judged'", "name='a b'", "a stage cannot be called \"a b\""),
        ("'{text}'", "'{judged}'", "stage said names {judged}, the column of a later stage"),
        ("'{text}'", "'{said}'", "stage said names its own column {said}"),
        (", otherwise='text'", "", "when and otherwise go together"),
        ("when='more'", "when='none'", "has no column \"none\", which the stage's condition names"),
        ("VARIANTS", ", n=2", "a stage is asked once"),
        ("VARIANTS", ", infer_cfg=dict()", "move it into a stage of stages"),
        ("VARIANTS", ", variants=dict(v=dict(other=None))", "its stages are said, judged"),
        ("dict(name='said',", "dict(name='said', promt=1,", "unknown field"),
    ] {
        let scratch = scratch();
        scratch.write("staged.py", &STAGED.replace(from, to).replace("VARIANTS", ""));
        let output = scratch.run(&["run", "staged.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(stderr(&output).contains(expected), "{to}: {}", stderr(&output));
    }
}
