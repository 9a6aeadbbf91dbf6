//! Scoring rules that want more asked than the candidates: what they give is computed here once more, from what
//! single runs give.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
options = dict(abbr='options', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text', 'A', 'B', 'C'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={label: '{text}\nA: {A} B: {B} C: {C}\nAnswer: ' + label for label in 'ABC'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator'), rule='sum'))
datasets = [options]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=256)]
";

const WORDS: [[&str; 4]; 4] = [
    ["once upon a time", "cat", "dog", "horse"],
    ["the sun is", "red", "a big star", "green"],
    ["they said", "no", "yes", "never"],
    ["two and two", "four", "five", "six"],
];

/// Σ nll of the answers of each sample, by a run of its own on these rows.
fn answer_nats(rows: &[[&str; 4]]) -> Vec<Vec<f64>> {
    let scratch = scratch(rows);
    run(&scratch, "out");
    let lines = scratch.export("out", "candidates");
    lines
        .chunks(3)
        .map(|own| own.iter().map(|line| number(line, "answer_nll_nats")).collect())
        .collect()
}

fn scratch(rows: &[[&str; 4]]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let row = |[text, a, b, c]: &[&str; 4]| {
        let row = serde_json::json!({"text": text, "A": a, "B": b, "C": c, "answer": "B"});
        format!("{row}\n")
    };
    scratch.write("data/rows.jsonl", &rows.iter().map(row).collect::<String>());
    scratch
}

fn run(scratch: &Scratch, work_dir: &str) -> Json {
    let output = scratch.run(&["run", "config.py", "-w", work_dir, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn number(line: &Json, column: &str) -> f64 {
    line[column].as_f64().unwrap_or_else(|| panic!("{column} of {line}"))
}

/// The scores of a rule, sample by sample.
fn scores(rule: &str) -> Vec<Vec<f64>> {
    let scratch = scratch(&WORDS);
    scratch.write("config.py", &CONFIG.replace("rule='sum'", &format!("rule={rule}")));
    run(&scratch, "out");
    let lines = scratch.export("out", "candidates");
    lines.chunks(3).map(|own| own.iter().map(|line| number(line, "score")).collect()).collect()
}

fn probabilities(nats: &[f64]) -> Vec<f64> {
    let sum: f64 = nats.iter().map(|own| (-own).exp()).sum();
    nats.iter().map(|own| (-own).exp() / sum).collect()
}

fn assert_close(found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }
}

fn moved([text, a, b, c]: [&'static str; 4], by: usize) -> [&'static str; 4] {
    let mut options = [a, b, c];
    options.rotate_left(by);
    [text, options[0], options[1], options[2]]
}

/// Probabilities of the labels with options moved on by 0, 1 and 2 places, sample by sample.
fn rounds() -> Vec<[Vec<f64>; 3]> {
    let round = |by| answer_nats(&WORDS.map(|row| moved(row, by)));
    let rounds = [round(0), round(1), round(2)];
    (0..WORDS.len()).map(|sample| [0, 1, 2].map(|by| probabilities(&rounds[by][sample]))).collect()
}

#[test]
fn calibrated_divides_by_what_the_model_says_to_nothing() {
    let own = answer_nats(&WORDS);
    let free: Vec<Vec<f64>> = ["N/A", "[MASK]", ""]
        .iter()
        .map(|text| probabilities(&answer_nats(&[[*text; 4]])[0]))
        .collect();
    let expected: Vec<Vec<f64>> = own
        .iter()
        .map(|nats| {
            let own = probabilities(nats);
            (0..3)
                .map(|label| {
                    -(own[label] * 3.0 / free.iter().map(|round| round[label]).sum::<f64>()).ln()
                })
                .collect()
        })
        .collect();
    assert_close(&scores("'calibrated'"), &expected);
}

#[test]
fn cyclic_is_the_mean_over_the_places_of_an_option() {
    let expected: Vec<Vec<f64>> = rounds()
        .iter()
        .map(|rounds| {
            let mean = |option: usize| {
                (0..3).map(|by| rounds[by][(option + 3 - by) % 3]).sum::<f64>() / 3.0
            };
            (0..3).map(|option| -mean(option).ln()).collect()
        })
        .collect();
    assert_close(&scores("'cyclic'"), &expected);
}

#[test]
fn pride_takes_off_the_prior_that_a_few_samples_have() {
    // Of every second sample permutations are asked.
    let found = scores("dict(type='pride', share=0.5)");
    let all = rounds();
    let prior = |rounds: &[Vec<f64>; 3]| {
        let mean = |label: usize| rounds.iter().map(|round| -round[label].ln()).sum::<f64>() / 3.0;
        probabilities(&[mean(0), mean(1), mean(2)])
    };
    let priors = [prior(&all[0]), prior(&all[2])];
    let of_all = |label: usize| f64::midpoint(priors[0][label], priors[1][label]);
    for sample in [1, 3] {
        let expected: Vec<f64> =
            (0..3).map(|label| -(all[sample][0][label] / of_all(label)).ln()).collect();
        assert_close(&[found[sample].clone()], &[expected]);
    }
    let cyclic = scores("'cyclic'");
    assert_close(&[found[0].clone(), found[2].clone()], &[cyclic[0].clone(), cyclic[2].clone()]);
}

#[test]
fn pmi_takes_off_what_the_answers_are_worth_on_their_own() {
    let own = answer_nats(&WORDS);
    let bare = Scratch::new();
    let config =
        CONFIG.replace(r"'{text}\nA: {A} B: {B} C: {C}\nAnswer: ' + label", "'Answer: ' + label");
    bare.write("config.py", &config);
    bare.write(
        "data/rows.jsonl",
        "{\"text\": \"\", \"A\": \"\", \"B\": \"\", \"C\": \"\", \"answer\": \"B\"}\n",
    );
    run(&bare, "out");
    let bare: Vec<f64> = bare
        .export("out", "candidates")
        .iter()
        .map(|line| number(line, "answer_nll_nats"))
        .collect();
    let expected: Vec<Vec<f64>> = own
        .iter()
        .map(|own| own.iter().zip(&bare).map(|(own, bare)| own - bare).collect())
        .collect();
    assert_close(&scores("'pmi'"), &expected);
}

#[test]
fn a_rule_asks_what_is_missing_and_no_more() {
    let scratch = scratch(&WORDS);
    let first = run(&scratch, "out");
    let refused = scratch.run(&["evaluate", "latest", "-w", "out", "--rule", "cyclic"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("wants more than this run has asked"),
        "{}",
        stderr(&refused)
    );
    scratch.write("config.py", &CONFIG.replace("rule='sum'", "rule='cyclic'"));
    let second = run(&scratch, "out");
    assert_eq!(second["work"]["reused_questions"], first["work"]["questions"]);
    assert_eq!(second["work"]["questions"], 36);
    // What was asked for one rule serves the others.
    let output = scratch.run(&["evaluate", "latest", "-w", "out", "--rule", "all", "--json"]);
    let rows: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let rules: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap()).collect();
    assert_eq!(
        rules,
        [
            "ais_ppl",
            "cyclic",
            "oc_ppl",
            "per_byte",
            "per_char",
            "per_token",
            "pride",
            "sum",
            "text_sum"
        ]
    );
    assert!(
        stderr(&output).contains("calibrated, pmi want more than this run has asked"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_a_rule_cannot_ask_is_refused_before_anything_is_asked() {
    let answers = "'{text} {' + label + '}'";
    let template = r"'{text}\nA: {A} B: {B} C: {C}\nAnswer: ' + label";
    for (config, said) in [
        (CONFIG.replace(template, answers).replace("rule='sum'", "rule='calibrated'"), "all candidates read the same"),
        (CONFIG.replace("rule='sum'", "rule=dict(type='cyclic', options=['A', 'B'])"), "2 columns of options, but 3 candidates"),
        (CONFIG.replace("rule='sum'", "rule=dict(type='cyclic', options='text')"), "no list of 3 options"),
        (CONFIG.replace(r"\nA: {A} B: {B} C: {C}", "").replace("rule='sum'", "rule='cyclic'"), "does not show the options"),
        (CONFIG.replace("rule='sum'", "rule=dict(type='pride', share=2)"), "share must be above 0"),
        (CONFIG.replace("rule='sum'", "rule=dict(type='pmi', prefx='x')"), "prefx"),
        (CONFIG.replace("rule='sum'", "rule='pmi'").replace("type='PPLInferencer'", "type='GenInferencer', max_out_len=2").replace("template={label: '{text}\\nA: {A} B: {B} C: {C}\\nAnswer: ' + label for label in 'ABC'}", "template='{text} {answer}'"), "goes with PPLInferencer"),
    ] {
        let scratch = scratch(&WORDS);
        scratch.write("config.py", &config);
        let output = scratch.run(&["run", "config.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{said}: {}", stdout(&output));
        assert!(stderr(&output).contains(said), "{said}: {}", stderr(&output));
    }
}

#[test]
fn an_answer_begins_after_the_separator_of_its_template() {
    let scratch = scratch(&WORDS);
    let config = CONFIG.replace(r"Answer: ' + label for", r"Answer:[SEP] the letter ' + label for");
    let config = config.replace("for label in 'ABC'}", "for label in 'ABC'}, sep_token='[SEP]'");
    scratch.write("config.py", &config);
    run(&scratch, "out");
    for line in scratch.export("out", "candidates") {
        let label = line["label"].as_str().unwrap();
        assert_eq!(line["answer"], format!(" the letter {label}"));
        let prompt = line["prompt"].as_str().unwrap();
        assert!(prompt.ends_with(&format!("Answer: the letter {label}")), "{prompt}");
    }
}
