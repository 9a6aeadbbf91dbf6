//! Formats that mean the same: made, asked step by step, judged and written down.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, stderr, stdout};

/// Two options for each question, with two examples before it.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
_text = 'Question: {text}\nA. {A}\nB. {B}\nAnswer: '
choices = dict(abbr='choices', path='data',
    reader_cfg=dict(input_columns=['text', 'A', 'B'], output_column='answer'),
    infer_cfg=dict(
        ice_template=dict(type='PromptTemplate', template={label: _text + label for label in 'AB'}),
        prompt_template=dict(type='PromptTemplate', ice_token='</E>',
            template={label: '</E>' + _text + label for label in 'AB'}),
        retriever=dict(type='FixKRetriever', fix_id_list=[0, 1]), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [choices]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=256)]
";

const SAMPLES: usize = 80;

fn row(index: usize) -> Json {
    let words = ["cat", "dog", "tree", "river", "stone", "lamp", "wheel"];
    let (a, b) = (words[index % 7], words[(index * 3 + index / 7 + 1) % 7]);
    json!({
        "text": format!("once {index} upon"), "A": a, "B": if a == b { "sun" } else { b },
        "answer": if index.is_multiple_of(3) { "B" } else { "A" },
    })
}

fn scratch_of(config: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", config);
    let lines = |rows: std::ops::Range<usize>| {
        rows.map(|index| row(index).to_string()).collect::<Vec<String>>().join("\n")
    };
    scratch.write("data/test.jsonl", &lines(0..SAMPLES));
    scratch.write("data/train.jsonl", &lines(500..520));
    scratch
}

fn scratch() -> Scratch {
    scratch_of(CONFIG)
}

/// The exit code, stdout and stderr of `surprisal vary … -w out`.
fn vary(scratch: &Scratch, arguments: &[&str]) -> (i32, String, String) {
    let output = scratch.run(&[&["vary"], arguments, &["-w", "out"]].concat());
    (output.status.code().unwrap(), stdout(&output), stderr(&output))
}

fn found(scratch: &Scratch, arguments: &[&str]) -> Json {
    let (code, out, said) = vary(scratch, &[&["config.py", "--json"], arguments].concat());
    assert_eq!(code, 0, "{said}");
    serde_json::from_str(&out).unwrap()
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Json) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count")) as usize
}

/// The accuracy of a data set in the table of a run.
fn accuracy_of(scratch: &Scratch, run: &str, dataset: &str) -> (f64, usize) {
    let output = scratch.run(&["export", run, "-w", "out"]);
    let lines = stdout(&output);
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let scores: Vec<f64> = lines
        .filter(|line| line["dataset"] == dataset)
        .map(|line| number(&line["score_accuracy"]))
        .collect();
    (100.0 * scores.iter().sum::<f64>() / scores.len() as f64, scores.len())
}

#[test]
fn formats_stop_step_by_step_and_figures_are_those_of_the_runs() {
    let scratch = scratch();
    let found = found(&scratch, &["--formats", "16"]);
    let search = &found["searches"][0];
    let formats = list(&search["formats"]);
    assert_eq!((formats.len(), &formats[0]["name"]), (16, &json!("base")));
    assert_eq!((&search["dataset"], &search["model"]), (&json!("choices"), &json!("tiny")));
    let runs = list(&found["runs"]);
    let steps: Vec<(usize, usize)> =
        runs.iter().map(|run| (count(&run["formats"]), count(&run["samples"]))).collect();
    // 80 samples are halved twice at most, so that 20 are left; the config's own format never stops.
    assert_eq!((steps[0], steps.len(), steps[2].1), ((16, 20), 3, 80), "{steps:?}");
    assert!((8..=9).contains(&steps[1].0) && (4..=5).contains(&steps[2].0), "{steps:?}");
    let stopped = formats.iter().filter(|own| own["stopped_early"] == true).count();
    assert_eq!(stopped, 16 - steps[2].0);
    for own in formats {
        let samples = count(&own["samples"]);
        assert_eq!(own["stopped_early"] == true, samples < SAMPLES, "{own}");
        let run = runs.iter().rfind(|run| count(&run["samples"]) == samples).unwrap();
        let name = own["name"].as_str().unwrap();
        let dataset = if name == "base" { "choices".to_owned() } else { format!("choices@{name}") };
        let (accuracy, asked) = accuracy_of(&scratch, run["run"].as_str().unwrap(), &dataset);
        assert_eq!(asked, samples, "{own}");
        assert!((number(&own["value"]) - accuracy).abs() < 1e-9, "{own} {accuracy}");
        assert!(number(&own["low"]) <= accuracy && accuracy <= number(&own["high"]), "{own}");
    }
    // The ends are those of the formats that were asked about everything.
    let whole = formats.iter().filter(|own| own["stopped_early"] == false);
    let whole: Vec<f64> = whole.map(|own| number(&own["value"])).collect();
    let value = |end: &str| number(&formats[count(&search[end])]["value"]);
    assert!(whole.iter().all(|own| *own <= value("best") && *own >= value("worst")));
    let mut all: Vec<f64> = formats.iter().map(|own| number(&own["value"])).collect();
    all.sort_by(f64::total_cmp);
    assert!((number(&search["median"]) - f64::midpoint(all[7], all[8])).abs() < 1e-9);
    let spread = &search["spread"];
    assert!((number(&spread["value"]) - (value("best") - value("worst"))).abs() < 1e-9);
    // Half of the samples came with the last step.
    assert_eq!(count(&spread["fresh_samples"]), SAMPLES / 2);
    assert_eq!(count(&spread["pairs"]), steps[2].0 * (steps[2].0 - 1) / 2);
    // Each effect is made of means over formats, which are as many as were tried.
    for effect in list(&search["effects"]) {
        let values = list(&effect["values"]);
        assert_eq!(values.iter().map(|own| count(&own["formats"])).sum::<usize>(), 16);
        let mean = |end: &str| number(&values[count(&effect[end])]["mean"]);
        assert!((number(&effect["range"]) - (mean("best") - mean("worst"))).abs() < 1e-9);
    }
    assert_eq!(list(&search["elements"]).len(), 10, "{}", search["not_varied"]);
}

#[test]
fn a_format_changes_words_and_never_the_gold() {
    let scratch = scratch();
    let found = found(&scratch, &["--formats", "12"]);
    let first = found["runs"][0]["run"].as_str().unwrap();
    let table = |table: &str| -> Vec<Json> {
        let output = scratch.run(&["export", first, "-w", "out", "--table", table]);
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    // The gold label of each row, the same for every format.
    let mut golds: BTreeMap<String, String> = BTreeMap::new();
    let mut prompts: BTreeMap<String, String> = BTreeMap::new();
    let mut datasets: Vec<String> = Vec::new();
    for line in table("candidates") {
        let dataset = line["dataset"].as_str().unwrap().to_owned();
        if !datasets.contains(&dataset) {
            datasets.push(dataset.clone());
        }
        if line["is_gold"] == true {
            let row = line["row"].to_string();
            let label = line["label"].to_string();
            assert_eq!(*golds.entry(row.clone()).or_insert(label.clone()), label, "{line}");
            if row == "0" {
                prompts.insert(dataset, line["prompt"].to_string());
            }
        }
    }
    assert_eq!(datasets.len(), 12);
    let mut different: Vec<&String> = prompts.values().collect();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 12, "{prompts:?}");
}

#[test]
fn the_best_format_is_written_as_a_config_that_gives_its_figure() {
    let scratch = scratch();
    let found = found(&scratch, &["--formats", "8", "-o", "made/best.py"]);
    assert_eq!(found["configs"], json!(["made/best.py"]));
    let search = &found["searches"][0];
    let best = &search["formats"][count(&search["best"])];
    let output = scratch.run(&["run", "made/best.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(run["work"]["computed_tokens"], 0, "{}", run["work"]);
    assert_eq!(run["work"]["questions"], run["work"]["reused_questions"]);
    let result = &run["results"][0];
    assert_eq!((&result["dataset"], count(&result["samples"])), (&json!("choices"), SAMPLES));
    assert!((number(&result["value"]) - number(&best["value"])).abs() < 1e-12, "{result} {best}");
    // Sample by sample the same answers as in the last step.
    let last = list(&found["runs"]).last().unwrap()["run"].as_str().unwrap().to_owned();
    let answers = |run: &str, dataset: &str| -> Vec<Json> {
        let output = scratch.run(&["export", run, "-w", "out"]);
        let lines = stdout(&output);
        let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        lines
            .filter(|line| line["dataset"] == dataset)
            .map(|line| line["prediction"].clone())
            .collect()
    };
    let name = best["name"].as_str().unwrap();
    let dataset = if name == "base" { "choices".to_owned() } else { format!("choices@{name}") };
    let own = answers(run["name"].as_str().unwrap(), "choices");
    assert_eq!((own.len(), own), (SAMPLES, answers(&last, &dataset)));
}

#[test]
fn equal_seeds_give_equal_figures_and_a_repetition_computes_nothing() {
    let (one, other) = (scratch(), scratch());
    let plain = |mut found: Json| {
        found["computed_tokens"] = json!(0);
        found["reused_tokens"] = json!(0);
        found["runs"] = json!(0);
        found
    };
    let first = found(&one, &["--formats", "8"]);
    assert!(count(&first["computed_tokens"]) > 0);
    let again = found(&one, &["--formats", "8"]);
    assert_eq!(count(&again["computed_tokens"]), 0);
    assert_eq!(plain(first.clone()), plain(again));
    assert_eq!(plain(first.clone()), plain(found(&other, &["--formats", "8"])));
    let seeded = found(&one, &["--formats", "8", "--seed", "1"]);
    assert_ne!(plain(first)["searches"], plain(seeded)["searches"]);
}

#[test]
fn a_budget_is_never_exceeded() {
    let whole = count(&found(&scratch(), &["--formats", "8"])["computed_tokens"]);
    let mut stops = 0;
    for share in [40, 60, 80, 95, 100] {
        let scratch = scratch();
        let budget = whole * share / 100;
        let (code, out, said) = vary(
            &scratch,
            &["config.py", "--json", "--formats", "8", "--budget-tokens", &budget.to_string()],
        );
        if code == 2 {
            assert!(said.contains("the budget leaves"), "{said}");
            assert!(!scratch.path().join("out").join("made").exists());
            continue;
        }
        let found: Json = serde_json::from_str(&out).unwrap();
        assert!(count(&found["computed_tokens"]) <= budget, "{share}: {found}");
        if !list(&found["notes"]).is_empty() {
            stops += 1;
            // Repeated without a budget, the search computes what is missing.
            let before = count(&found["computed_tokens"]);
            let rest = self::found(&scratch, &["--formats", "8"]);
            assert_eq!(before + count(&rest["computed_tokens"]), whole);
            assert!(found["notes"][0].as_str().unwrap().contains("not begun"), "{found}");
            assert!(share < 100, "{found}");
        }
    }
    assert!(stops > 0, "no budget ended between two steps");
    let (code, _, said) = vary(&scratch(), &["config.py", "--budget-tokens", "100"]);
    assert_eq!(code, 2);
    assert!(said.contains("and the budget leaves 100; give --budget-tokens more"), "{said}");
}

#[test]
fn each_model_has_its_own_search() {
    let other = "dict(type=HuggingFaceCausalLM, abbr='other', path='models/tiny-llama-eospad', max_seq_len=256)";
    let scratch =
        scratch_of(&CONFIG.replace("max_seq_len=256)]", &format!("max_seq_len=256), {other}]")));
    let found = found(&scratch, &["--formats", "6", "-o", "best.py"]);
    let models: Vec<&Json> = list(&found["searches"]).iter().map(|own| &own["model"]).collect();
    assert_eq!(models, ["tiny", "other"]);
    assert_eq!(found["configs"], json!(["best-tiny.py", "best-other.py"]));
}

#[test]
fn one_line_says_what_cannot_be_varied() {
    let scratch = scratch();
    scratch.write("empty.py", "models = []\n");
    scratch.write(
        "plain.py",
        &CONFIG
            .replace("Question: {text}\\nA. {A}\\nB. {B}\\nAnswer: ", "{text} ")
            .replace("[0, 1]", "[]"),
    );
    scratch.write("only.py", &CONFIG.replace("PPLInferencer", "PPLOnlyInferencer"));
    scratch.write("unscored.py", &CONFIG.replace("evaluator=dict(type='AccEvaluator')", ""));
    let cases: [(&[&str], &str); 9] = [
        (&["empty.py"], "there is no data set to run"),
        (
            &["config.py", "--elements", "colour"],
            "there is no element \"colour\"; there are separator",
        ),
        (&["plain.py"], "nothing in its prompts can be varied"),
        (&["config.py", "--elements", "draw,colour"], "there is no element"),
        (
            &["only.py"],
            "formats are tried of PPLInferencer and GenInferencer, and this is PPLOnlyInferencer",
        ),
        (&["unscored.py"], "names no evaluator"),
        (&["config.py", "-o", "config.py"], "is the config itself"),
        (&["config.py", "--fresh"], "--fresh would ask again"),
        (&["config.py", "--metric", "bleu"], "it has no metric bleu; its metrics: accuracy"),
    ];
    for (arguments, expected) in cases {
        let (code, out, said) = vary(&scratch, arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let (code, ..) = vary(&scratch, &[]);
    assert_eq!(code, 2);
}

#[test]
fn the_report_fits_into_80_columns_and_tells_what_was_left_alone() {
    let scratch = scratch_of(&CONFIG.replace("_text = '", "_text = 'Answer A or B.\\n"));
    let (code, out, said) = vary(&scratch, &["config.py", "--formats", "8"]);
    assert_eq!(code, 0, "{said}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    for expected in [
        "max ",
        "median ",
        "min ",
        "own ",
        "spread: ",
        "moves most",
        "tokens computed",
        "best: ",
        "| ",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(out.contains("not varied: numerals: the text names option"), "{out}");
    let output = scratch.run(&["vary", "--grammar"]);
    assert!(stdout(&output).contains("separator"), "{}", stderr(&output));
}

#[test]
fn replies_keep_the_numerals_that_the_postprocessor_reads() {
    let config = CONFIG
        .replace("{label: _text + label for label in 'AB'}", "_text + '{answer}'")
        .replace("{label: '</E>' + _text + label for label in 'AB'}", "'</E>' + _text.rstrip()")
        .replace("PPLInferencer'", "GenInferencer', max_out_len=3")
        .replace("AccEvaluator')", "AccEvaluator'), pred_postprocessor=dict(type='first_capital')");
    let scratch = scratch_of(&config);
    let found = found(&scratch, &["--formats", "6"]);
    let search = &found["searches"][0];
    let reasons: Vec<(&str, &str)> = list(&search["not_varied"])
        .iter()
        .map(|own| (own["element"].as_str().unwrap(), own["reason"].as_str().unwrap()))
        .collect();
    assert!(
        reasons.iter().any(|(element, why)| *element == "numerals" && why.contains("{answer}")),
        "{reasons:?}"
    );
    let elements: Vec<&str> =
        list(&search["elements"]).iter().map(|own| own["element"].as_str().unwrap()).collect();
    assert!(elements.contains(&"brackets") && !elements.contains(&"numerals"), "{elements:?}");
}
