//! What is said of answers once they are there: by rules, by metrics, and by `evaluate`.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
choices = dict(abbr='choices', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text', 'A', 'B', 'C'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={label: '{text} {' + label + '}' for label in 'ABC'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator'), rule='per_char'))
datasets = [choices]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

fn scratch(options: [&str; 3], answer: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let [a, b, c] = options;
    let row = |index: usize| {
        let row = serde_json::json!({"text": format!("once {index}"), "A": a, "B": b, "C": c, "answer": answer});
        format!("{row}\n")
    };
    scratch.write("data/rows.jsonl", &(0..6).map(row).collect::<String>());
    scratch
}

fn run(scratch: &Scratch) -> (Option<i32>, Json, String) {
    let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
    let said = stderr(&output);
    (output.status.code(), serde_json::from_str(&stdout(&output)).unwrap_or_default(), said)
}

#[test]
fn the_length_of_an_answer_is_that_of_its_characters() {
    let options = ["東京", "grün", "cat"];
    let scratch = scratch(options, "A");
    for (rule, length) in [("per_char", [2, 4, 3]), ("per_byte", [6, 5, 3])] {
        scratch.write("config.py", &CONFIG.replace("per_char", rule));
        assert_eq!(run(&scratch).0, Some(0));
        for line in scratch.export("out", "candidates") {
            let index = line["candidate"].as_u64().unwrap() as usize;
            assert_eq!(line["answer"].as_str().unwrap().trim_start(), options[index]);
            let score = line["score"].as_f64().unwrap() * f64::from(length[index]);
            let nats = line["answer_nll_nats"].as_f64().unwrap();
            assert!((score - nats).abs() < 1e-9 * nats, "{rule}: {line}");
        }
    }
}

#[test]
fn an_answer_that_another_begins_with_has_a_token_of_its_own() {
    let scratch = scratch(["New", "New York", "Newton"], "A");
    assert_eq!(run(&scratch).0, Some(0));
    for line in scratch.export("out", "candidates") {
        assert!(line["answer_tokens"].as_u64().unwrap() >= 1, "{line}");
        assert!(line["answer_nll_nats"].as_f64().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn an_empty_option_is_told_before_it_wins() {
    let scratch = scratch(["cat", "", "dog"], "A");
    let (code, _, said) = run(&scratch);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("empty_candidate B: 6 of 6 samples"), "{said}");
    let output = scratch.run(&["run", "config.py", "-w", "strict", "--strict"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_candidate_of_one_token_is_told_before_it_wins() {
    // This model puts no token before a text, so the first one of a text has no surprisal.
    let scratch = scratch(["a", "the cat sat", "the dog"], "A");
    let config = CONFIG.replace("'{text} {' + label + '}'", "'{' + label + '}'");
    scratch.write(
        "config.py",
        &config.replace("tiny-llama-bos", "tiny-llama-eospad").replace("per_char", "oc_ppl"),
    );
    let (code, _, said) = run(&scratch);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("empty_candidate: 6 of 6 samples"), "{said}");
    assert!(said.contains("no token that is scored"), "{said}");
}

#[test]
fn a_mistake_in_the_config_of_an_evaluation_is_told_with_its_place() {
    let scratch = scratch(["cat", "fish", "dog"], "A");
    assert_eq!(run(&scratch).0, Some(0));
    scratch.write("config.py", &CONFIG.replace("AccEvaluator", "AccuracyEvaluator"));
    let output = scratch.run(&["evaluate", "latest", "config.py", "-w", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("config.py:7"), "{}", stderr(&output));
}

#[test]
fn a_metric_that_fails_costs_no_other_data_set() {
    let scratch = scratch(["cat", "fish", "dog"], "A");
    let config = CONFIG.replace(
        "datasets = [choices]",
        "broken = dict(choices, abbr='broken', eval_cfg=dict(evaluator=dict(type='EMEvaluator')))\n\
         datasets = [broken, choices]",
    );
    scratch.write("config.py", &config);
    let (code, outcome, said) = run(&scratch);
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(outcome["results"].as_array().unwrap().len(), 1);
    assert_eq!(outcome["results"][0]["dataset"], "choices");
    assert!(outcome["errors"][0].as_str().unwrap().contains("data set broken"), "{outcome}");
    // Nothing is asked again, and nothing is taken for finished.
    let (code, outcome, _) = run(&scratch);
    assert_eq!((code, &outcome["work"]["computed_tokens"]), (Some(2), &Json::from(0)));
}

#[test]
fn an_evaluation_is_there_after_a_fresh_run_and_tells_of_golds() {
    let scratch = scratch(["cat", "fish", "dog"], "a");
    let (_, _, said) = run(&scratch);
    assert!(said.contains("unreachable_gold"), "{said}");
    let output = scratch.run(&["evaluate", "latest", "-w", "out"]);
    assert!(stderr(&output).contains("unreachable_gold: 6 of 6"), "{}", stderr(&output));
    assert!(stderr(&output).contains("evaluation-2"), "{}", stderr(&output));
    let export = ["export", "evaluation-2", "-w", "out"];
    let before = scratch.run(&export);
    assert_eq!(scratch.run(&["run", "config.py", "-w", "out", "--fresh"]).status.code(), Some(0));
    let after = scratch.run(&export);
    assert_eq!(after.status.code(), Some(0), "{}", stderr(&after));
    assert_eq!(stdout(&before), stdout(&after));
}

#[cfg(unix)]
#[test]
fn a_reader_of_csv_that_stops_early_is_no_error() {
    let scratch = scratch(["cat", "fish", "dog"], "A");
    assert_eq!(run(&scratch).0, Some(0));
    let line = "surprisal export latest -w out --table tokens --format csv; echo $? >&2";
    let output = scratch.shell(&format!("{{ {line}; }} | head -c 10")).output().unwrap();
    assert_eq!(stderr(&output).trim(), "0");
}
