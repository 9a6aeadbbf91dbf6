//! Members on the same rows: found, judged and told.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

/// A choice between two words, in four wordings: as it is, the same again, with the words turned around, and
/// behind a mark.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
choices = dict(abbr='choices', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text', 'A', 'B', 'mark'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={label: '{text} {' + label + '}' for label in 'AB'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
    variants=dict(
        same=dict(),
        turned={'prompt_template.template': {'A': '{text} {B}', 'B': '{text} {A}'}},
        marked={'prompt_template.template': {label: '{mark}{text} {' + label + '}' for label in 'AB'}}))
datasets = [choices]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

/// The same without variants.
fn plain(abbr: &str) -> String {
    let (before, behind) = CONFIG.split_once(",\n    variants=").unwrap();
    let (_, behind) = behind.split_once("))\n").unwrap();
    format!("{before})\n{behind}").replace("abbr='choices'", &format!("abbr='{abbr}'"))
}

const SAMPLES: usize = 48;

/// Rows whose mark is `M`, but for every sixteenth.
fn row(index: usize) -> Json {
    let words = ["cat", "dog", "tree", "river", "stone"];
    let (a, b) = (words[index % 5], words[(index / 5 + index + 1) % 5]);
    serde_json::json!({
        "text": format!("once {index} upon"),
        "A": a,
        "B": if a == b { "lamp" } else { b },
        "mark": if index % 16 == 3 { "Q" } else { "M" },
        "answer": if index.is_multiple_of(3) { "B" } else { "A" },
        "half": format!("half {}", index % 24),
    })
}

fn write_rows(scratch: &Scratch, name: &str, row: impl Fn(usize) -> Json) {
    let lines: Vec<String> = (0..SAMPLES).map(|index| row(index).to_string()).collect();
    scratch.write(name, &lines.join("\n"));
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    write_rows(&scratch, "data/rows.jsonl", row);
    scratch
}

/// Makes everything with a Q in it fail: its embedding is no number.
fn break_the_letter_q(scratch: &Scratch) {
    let folder = scratch.path().join("models/tiny-llama-bos");
    let tokenizer: Json =
        serde_json::from_slice(&std::fs::read(folder.join("tokenizer.json")).unwrap()).unwrap();
    let id = tokenizer["model"]["vocab"]["Q"].as_u64().unwrap() as usize;
    let path = folder.join("model.safetensors");
    let mut bytes = std::fs::read(&path).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let tensors: Json = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
    let embedding = &tensors["model.embed_tokens.weight"];
    let row_bytes = embedding["shape"][1].as_u64().unwrap() as usize * 4;
    let start = embedding["data_offsets"][0].as_u64().unwrap() as usize + 8 + header;
    bytes[start + id * row_bytes..start + (id + 1) * row_bytes].fill(0xff);
    std::fs::write(path, bytes).unwrap();
}

/// The exit code, stdout and stderr of `surprisal compare … -w out`.
fn compare(scratch: &Scratch, arguments: &[&str]) -> (i32, String, String) {
    let output = scratch.run(&[&["compare"], arguments, &["-w", "out"]].concat());
    (output.status.code().unwrap(), stdout(&output), stderr(&output))
}

fn compared(scratch: &Scratch, arguments: &[&str]) -> Json {
    let (code, out, said) = compare(scratch, &[arguments, &["--json"]].concat());
    assert!(code < 2, "{said}");
    serde_json::from_str(&out).unwrap()
}

fn run(scratch: &Scratch, config: &str) {
    let output = scratch.run(&["run", config, "-w", "out"]);
    assert!(output.status.code() < Some(2), "{}", stderr(&output));
}

fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn is_near(found: &Json, expected: f64) -> bool {
    (number(found) - expected).abs() < 1e-6 * expected.abs().max(1.0)
}

fn names(comparison: &Json) -> Vec<&str> {
    comparison["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect()
}

/// The pair of two members by their names.
fn pair<'a>(comparison: &'a Json, left: &str, right: &str) -> &'a Json {
    let place = |name| names(comparison).iter().position(|own| *own == name).unwrap();
    let (left, right) = (place(left), place(right));
    let mut pairs = comparison["pairs"].as_array().unwrap().iter();
    pairs.find(|pair| pair["left"] == left && pair["right"] == right).unwrap()
}

/// The exact two-sided p of so many fair coins with so many heads, by counting.
fn coins_p(coins: u64, heads: u64) -> f64 {
    let choose =
        |k: u64| (0..k).fold(1.0, |product, i| product * (coins - i) as f64 / (i + 1) as f64);
    let tail: f64 = (0..=heads.min(coins - heads)).map(choose).sum();
    (2.0 * tail / 2_f64.powi(coins as i32)).min(1.0)
}

#[test]
fn the_figures_of_variants_are_those_of_the_exported_tables() {
    let scratch = scratch();
    let found = compared(&scratch, &["config.py"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(found["comparisons"].as_array().unwrap().len(), 1);
    assert_eq!(names(comparison), ["base", "same", "turned", "marked"]);
    assert_eq!(comparison["samples"], SAMPLES);
    assert_eq!((&comparison["by"], &comparison["unit"]), (&"variant".into(), &"percent".into()));

    let means = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let mut right: Vec<Vec<bool>> = Vec::new();
    for (member, dataset) in
        ["choices", "choices@same", "choices@turned", "choices@marked"].iter().enumerate()
    {
        let member = &comparison["members"][member];
        let samples = scratch.export_of("out", "samples", dataset);
        right.push(samples.iter().map(|line| line["score_accuracy"] == 1.0).collect());
        let hits = right.last().unwrap().iter().filter(|is_right| **is_right).count();
        assert!(is_near(&member["value"], 100.0 * hits as f64 / SAMPLES as f64), "{member}");
        let candidates = scratch.export_of("out", "candidates", dataset);
        let of_gold =
            |is_gold: bool| candidates.iter().filter(move |line| line["is_gold"] == is_gold);
        let per_token = of_gold(true)
            .map(|line| number(&line["answer_nll_nats"]) / number(&line["answer_tokens"]));
        assert!(is_near(&member["gold_nats_per_token"], means(per_token.collect())), "{member}");
        let scores = of_gold(true).zip(of_gold(false));
        let margins = scores.map(|(gold, other)| number(&other["score"]) - number(&gold["score"]));
        assert!(is_near(&member["margin"], means(margins.collect())), "{member}");
        let tokens = scratch.export_of("out", "tokens", dataset);
        let of_prompt = |row: usize| {
            let own = tokens.iter().filter(move |line| {
                line["row"] == row && line["is_gold"] == true && line["is_answer"] == false
            });
            means(own.filter_map(|line| line["nll_nats"].as_f64()).collect())
        };
        let prompt = means((0..SAMPLES).map(of_prompt).collect());
        assert!(is_near(&member["prompt_nats_per_token"], prompt), "{member}");
        assert!(is_near(&member["prompt_perplexity"], prompt.exp()), "{member}");
        assert_eq!(member["asked_tokens"], tokens.len());
        let alone = member["alone_tokens"].as_u64().unwrap();
        assert!(alone > 0 && alone < tokens.len() as u64, "{member}");
    }
    for (left, right_member) in [(2_usize, 0_usize), (3, 0), (3, 2)] {
        let pair = pair(comparison, names(comparison)[left], names(comparison)[right_member]);
        let sides = || right[left].iter().zip(&right[right_member]);
        let gained = sides().filter(|(left, right)| **left && !**right).count() as u64;
        let lost = sides().filter(|(left, right)| !**left && **right).count() as u64;
        assert_eq!((pair["gained"].as_u64(), pair["lost"].as_u64()), (Some(gained), Some(lost)));
        let points = 100.0 * (gained as f64 - lost as f64) / SAMPLES as f64;
        assert!(is_near(&pair["value"], points), "{pair}");
        assert!(is_near(&pair["p"], coins_p(gained + lost, gained)), "{pair}");
        assert!(number(&pair["low"]) <= points && points <= number(&pair["high"]), "{pair}");
        assert!(number(&pair["simultaneous_low"]) <= number(&pair["low"]) + 1e-9, "{pair}");
    }
    let same = pair(comparison, "same", "base");
    assert_eq!(
        (&same["gained"], &same["lost"], &same["is_real"]),
        (&0.into(), &0.into(), &false.into())
    );
    let verdict = same["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("no difference shown between same and base: at most "),
        "{verdict}"
    );
    // tests/compat/compare_figures.py computes all of them again, p by p.
    // Two wordings are one: their prompts share a rank.
    assert!(number(&comparison["rank_of_prompts"]["rho"]).abs() <= 1.0);
    let cost = &found["runs"][0];
    assert!(number(&cost["computed_tokens"]) > 0.0, "{cost}");
}

#[test]
fn a_config_is_asked_once_and_equal_seeds_give_equal_bytes() {
    let scratch = scratch();
    let first = compare(&scratch, &["config.py", "--json"]);
    let again = compare(&scratch, &["config.py", "--json"]);
    assert!(again.2.contains("0 tokens computed"), "{}", again.2);
    assert_eq!(first.1, again.1);
    let of_run = compare(&scratch, &["latest", "--json"]);
    assert_eq!(of_run.1, first.1);
    let other = compare(&scratch, &["latest", "--json", "--seed", "7", "--resamples", "500"]);
    assert_ne!(other.1, first.1);
}

#[test]
fn copied_configs_are_compared_by_run() {
    let scratch = scratch();
    scratch.write("first.py", &plain("choices"));
    scratch.write("second.py", &plain("choices").replace("'{text} {'", "'{text}, {'"));
    let found = compared(&scratch, &["first.py", "second.py", "--flips"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(comparison["by"], "run");
    assert_eq!(comparison["members"].as_array().unwrap().len(), 2);
    let pair = &comparison["pairs"][0];
    let flips = pair["flips"].as_array().unwrap();
    assert_eq!(
        flips.len() as u64,
        pair["gained"].as_u64().unwrap() + pair["lost"].as_u64().unwrap()
    );
    for flip in flips {
        let is_gained = flip["is_gained"] == true;
        assert_eq!(flip["to"] == flip["gold"], is_gained, "{flip}");
        assert_eq!(flip["from"] == flip["gold"], !is_gained, "{flip}");
        assert_eq!(flip["gold"], row(flip["row"].as_u64().unwrap() as usize)["answer"]);
    }
    // Called variants of one data set, they are variants.
    scratch.write("second.py", &plain("choices@comma").replace("'{text} {'", "'{text}, {'"));
    let found = compared(&scratch, &["first.py", "second.py"]);
    assert_eq!(found["comparisons"][0]["by"], "variant");
    assert_eq!(names(&found["comparisons"][0]), ["base", "comma"]);
}

#[test]
fn a_rule_is_compared_with_another_on_the_same_answers() {
    let scratch = scratch();
    scratch.write("config.py", &plain("choices"));
    run(&scratch, "config.py");
    let output = scratch.run(&["evaluate", "latest", "--rule", "sum", "-w", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = compared(&scratch, &["latest", "evaluation-2", "--by", "rule"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(names(comparison), ["oc_ppl", "sum"]);
    assert!(comparison["pairs"][0]["margin"].is_null(), "{comparison}");
    assert!(comparison["notes"].to_string().contains("no common unit"), "{comparison}");
    assert_eq!(found["runs"][0]["computed_tokens"], found["runs"][1]["computed_tokens"]);
}

#[test]
fn rows_that_differ_are_left_out_and_told() {
    let scratch = scratch();
    scratch.write("first.py", &plain("choices"));
    scratch.write("second.py", &plain("choices@other").replace("rows.jsonl", "other.jsonl"));
    write_rows(&scratch, "data/other.jsonl", |index| {
        let mut row = row(index);
        if index < 10 {
            row["text"] = format!("twice {index} upon").into();
        }
        row
    });
    let found = compared(&scratch, &["first.py", "second.py"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(comparison["samples"], SAMPLES - 10);
    assert_eq!(comparison["members"][0]["samples"], SAMPLES - 10);
    let note = comparison["notes"][0].as_str().unwrap();
    assert!(
        note.contains("compared are the 38") && note.contains("10 of base, 10 of other"),
        "{note}"
    );

    write_rows(&scratch, "data/other.jsonl", |index| {
        let mut row = row(index);
        row["text"] = format!("twice {index} upon").into();
        row
    });
    let (code, out, said) = compare(&scratch, &["first.py", "second.py"]);
    assert_eq!((code, out.as_str()), (2, ""), "{said}");
    assert!(said.contains("variant other of choices is left out: none of its 48 rows"), "{said}");
}

#[test]
fn samples_that_fail_leave_the_pairs_they_touch() {
    let scratch = scratch();
    break_the_letter_q(&scratch);
    let found = compared(&scratch, &["config.py"]);
    let comparison = &found["comparisons"][0];
    let marked = &comparison["members"][3];
    assert_eq!((&marked["samples"], &marked["failed"]), (&45.into(), &3.into()));
    assert_eq!(pair(comparison, "turned", "base")["samples"], 48);
    assert_eq!(pair(comparison, "turned", "base")["samples_of_all"], 45);
    assert_eq!(pair(comparison, "marked", "base")["samples"], 45);
    let (code, out, said) = compare(&scratch, &["latest"]);
    assert_eq!(code, 1, "{said}");
    let out = out.replace("\n  ", " ");
    assert!(
        out.contains("marked: 3 of 48 samples have no answer and are left out of its pairs"),
        "{out}"
    );
    assert!(out.contains("judged on the 45 samples that every variant has"), "{out}");
}

#[test]
fn nothing_to_compare_says_what_lies_there() {
    let scratch = scratch();
    scratch.write("config.py", &plain("choices"));
    let (code, out, said) = compare(&scratch, &["config.py"]);
    assert_eq!((code, out.as_str()), (2, ""), "{said}");
    assert!(said.contains("there is choices@base, model tiny, run 2"), "{said}");
    assert!(said.contains("variants=dict("), "{said}");
    let (code, _, said) = compare(&scratch, &["latest", "--by", "model"]);
    assert!(code == 2 && said.contains("nothing to compare by model"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let scratch = scratch();
    run(&scratch, "config.py");
    let cases: [(&[&str], &str); 8] = [
        (
            &["latest", "--metric", "f1"],
            "variant base of choices is left out: it has no metric f1; its metrics: accuracy",
        ),
        (
            &["latest", "--cluster", "page"],
            "choices has no column \"page\" to make clusters of; it has text, A, B",
        ),
        (&["latest", "--limit", "3"], "--limit says how a config is run"),
        (&["latest", "--by", "colour"], "expected variant, model, run or rule"),
        (&["latest", "--resamples", "38"], "expected a number from 39"),
        (&["latest", "--dataset", "nowhere"], "nothing to compare: there is choices@base"),
        (&["nowhere"], "nowhere"),
        (&["nowhere.py"], "nowhere.py"),
    ];
    for (arguments, expected) in cases {
        let (code, out, said) = compare(&scratch, arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn few_samples_and_few_clusters_are_said_in_words() {
    let scratch = scratch();
    let found = compared(&scratch, &["config.py", "--limit", "9"]);
    for pair in found["comparisons"][0]["pairs"].as_array().unwrap() {
        for figure in ["low", "high", "simultaneous_low", "simultaneous_high", "could_show"] {
            assert!(pair[figure].is_null(), "{figure}: {pair}");
        }
        let verdict = pair["verdict"].as_str().unwrap();
        assert!(verdict.contains("is not stated: 9 independent samples"), "{verdict}");
    }
    let (_, out, _) = compare(&scratch, &["latest"]);
    assert!(
        out.replace("\n  ", " ").contains("no interval for 6 of 6 pairs: 9 independent"),
        "{out}"
    );
    let found = compared(&scratch, &["config.py", "--cluster", "half"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(comparison["clusters"], 24);
    let verdict = pair(comparison, "turned", "base")["verdict"].as_str().unwrap();
    assert!(
        verdict.contains("24 independent samples (or clusters of samples), 30 are needed"),
        "{verdict}"
    );
    // A cluster for each sample.
    let found = compared(&scratch, &["config.py", "--cluster", "text"]);
    assert!(found["comparisons"][0]["pairs"][0]["simultaneous_low"].is_number());
}

#[test]
fn a_metric_in_nats_is_better_where_it_is_less() {
    let scratch = scratch();
    let config = CONFIG
        .replace("{label: '{text} {' + label + '}' for label in 'AB'}", "'{text} and so on'")
        .replace("{'A': '{text} {B}', 'B': '{text} {A}'}", "'{text} and on and on'")
        .replace(
            "{label: '{mark}{text} {' + label + '}' for label in 'AB'}",
            "'{mark}{text} and so on'",
        )
        .replace("'PPLInferencer'", "'PPLOnlyInferencer'")
        .replace("output_column='answer'", "output_column=None")
        .replace("'AccEvaluator'", "'AveragePPLEvaluator'");
    scratch.write("config.py", &config);
    let found = compared(&scratch, &["config.py"]);
    let comparison = &found["comparisons"][0];
    assert_eq!(
        (&comparison["unit"], &comparison["is_more_better"]),
        (&"nats_per_token".into(), &false.into())
    );
    let value =
        |member: &Json| number(&comparison["members"][member.as_u64().unwrap() as usize]["value"]);
    let spread = &comparison["spread"];
    let apart = value(&spread["worst"]) - value(&spread["best"]);
    assert!(apart > 0.0 && is_near(&spread["value"], apart), "{spread}");
    for pair in
        comparison["pairs"].as_array().unwrap().iter().filter(|pair| pair["is_real"] == true)
    {
        let (left, right) = (value(&pair["left"]), value(&pair["right"]));
        let better = if left < right { &pair["left"] } else { &pair["right"] };
        let name = names(comparison)[better.as_u64().unwrap() as usize];
        let verdict = pair["verdict"].as_str().unwrap();
        assert!(verdict.starts_with(&format!("{name} beats ")), "{verdict}");
        assert!(pair["bootstrap_low"].is_number() && pair["t"].is_number(), "{pair}");
    }
    let (_, out, _) = compare(&scratch, &["latest"]);
    assert!(out.replace("\n  ", " ").contains("nats/token, less is better"), "{out}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let scratch = scratch();
    let long = "a_wording_with_a_name_that_goes_on_and_on_for_longer_than_a_line_of_the_terminal_has_columns_to_show";
    scratch.write("config.py", &CONFIG.replace("same=dict()", &format!("{long}=dict()")));
    run(&scratch, "config.py");
    for columns in ["80", "60", "120"] {
        let mut command = scratch.command(&["compare", "latest", "-w", "out", "--flips", "3"]);
        let output = command.env("COLUMNS", columns).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let out = stdout(&output);
        let most: usize = columns.parse().unwrap();
        let wide: Vec<&str> = out.lines().filter(|line| line.chars().count() > most).collect();
        assert!(wide.is_empty(), "{wide:?}\nin\n{out}");
        assert!(out.contains("from base to turned") && out.contains("more: --flips "), "{out}");
    }
}
