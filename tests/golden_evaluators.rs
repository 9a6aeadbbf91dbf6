//! Evaluators against the scores that OpenCompass 0.5.4 gives.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use surprisal::{
    config::{Component, Node},
    dataset::{Rows, Sample},
    evaluate::{self, Evaluator, Place, RepeatedScores, Repeats, Row, Scores, details},
    hub::Silent,
    plan::{DatasetPlan, EvaluationPlan},
    postprocess::{self, Postprocessor},
    statistics::{g_pass_at_k, mean_g_pass_at_k, pass_at_k},
};

/// The folder of the golden vectors.
fn golden() -> PathBuf {
    env::var_os("SURPRISAL_GOLDEN").map_or_else(own_golden, PathBuf::from)
}

/// The folder of those that lie in this repository.
fn own_golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden")
}

fn list(input: &Value, key: &str) -> Vec<Value> {
    input[key].as_array().cloned().unwrap_or_default()
}

/// The rows of a case, or why there are none.
fn rows(input: &Value) -> Result<Vec<Row<'static>>, String> {
    if input.get("ppl").is_some() || input.get("loss").is_some() {
        return Ok(measured(input));
    }
    let rows = Row::zip(list(input, "predictions"), list(input, "references"));
    let mut rows = rows.map_err(|error| error.to_string())?;
    for (row, prompt) in rows.iter_mut().zip(list(input, "origin_prompt")) {
        row.prompt = prompt;
    }
    for (row, steps) in rows.iter_mut().zip(list(input, "steps")) {
        row.steps = steps;
    }
    let samples: Vec<Sample> = list(input, "test_set").iter().map(sample).collect();
    // The rows of a case live as long as the test.
    for (row, sample) in rows.iter_mut().zip(Box::leak(samples.into_boxed_slice())) {
        row.sample = Some(sample);
    }
    Ok(rows)
}

/// Rows of a case that asks for nothing but measurements.
fn measured(input: &Value) -> Vec<Row<'static>> {
    let [ppl, tokens, loss, chars] =
        ["ppl", "token_len", "loss", "total_chr_num"].map(|name| list(input, name));
    let number = |of: &[Value], index: usize| of.get(index).and_then(Value::as_f64);
    let row = |index| Row {
        ppl_nats: number(&ppl, index),
        tokens: number(&tokens, index),
        loss_nats: number(&loss, index),
        text_chars: number(&chars, index),
        ..Row::default()
    };
    (0..ppl.len().max(loss.len())).map(row).collect()
}

fn sample(row: &Value) -> Sample {
    let columns = row.as_object().into_iter().flatten();
    Sample::new(columns.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The scores in the shape in which OpenCompass returns them: details of some are a dict by index.
fn returned(scores: &Scores, notes: Map<String, Value>, expected: &Value) -> Value {
    let metrics = scores.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.value)));
    let mut returned: Map<String, Value> = metrics.chain(notes).collect();
    if let Some(rows) = &scores.details {
        let by_index = |(index, row): (usize, &Map<String, Value>)| (index.to_string(), json!(row));
        let details = if expected["details"].is_object() {
            Value::Object(rows.iter().enumerate().map(by_index).collect())
        } else {
            json!(rows)
        };
        returned.insert("details".to_owned(), details);
    }
    Value::Object(returned)
}

/// The figures of a plain function of OpenCompass.
fn function(name: &str, input: &Value) -> Option<Result<Value, String>> {
    let count = |name: &str| input[name].as_u64().unwrap_or_default() as usize;
    let (samples, right, k) = (count("n"), count("c"), count("k"));
    match name {
        "g_pass" => Some(Ok(json!({
            "g_pass": g_pass_at_k(samples, right, k, input["t"].as_f64().unwrap_or_default()),
            "mg_pass": mean_g_pass_at_k(samples, right, k),
            "pass_at_k": pass_at_k(samples, right, k),
        }))),
        "make_circular_items" => Some(turned(input).map_err(|error| error.to_string())),
        _ => None,
    }
}

/// The turns of an item, as the circular class of own files makes them: it numbers questions by their rows.
fn turned(input: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let number = input["qid"].as_u64().unwrap_or_default();
    let lines: Vec<String> = (0..=number).map(|_| input["item"].to_string()).collect();
    let path = folder.path().join("items.jsonl");
    fs::write(&path, lines.join("\n"))?;
    let gold = input["answer_key"].as_str().unwrap_or("answer");
    let entry = json!({
        "type": "opencompass.datasets.custom.CircularCustomDataset", "abbr": "items", "path": path,
        "option_keys": input["option_keys"], "answer_key": gold, "circular_patterns": input["kind"],
        "reader_cfg": {"input_columns": ["question"], "output_column": gold},
        "infer_cfg": {
            "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
            "retriever": {"type": "ZeroRetriever"}, "inferencer": {"type": "GenInferencer"},
        },
    });
    let plan = DatasetPlan::from_node(&Node::from_json(&entry), Path::new("config.py"))?;
    let rows =
        plan.reader.load(plan.location.read(&plan.table, &plan.reader.splits(), &Silent)?)?;
    let own = rows.test.iter().filter(|row| row.get("qid").and_then(Value::as_u64) == Some(number));
    let columns = |row: &Sample| -> Value {
        let own = row.iter().filter(|(name, _)| !matches!(*name, "subdivision" | "idx"));
        Value::Object(own.map(|(name, value)| (name.to_owned(), value.clone())).collect())
    };
    Ok(own.map(columns).collect())
}

/// The places of rows in runs of equal length.
fn places<'e>(examples: &'e [String], runs: usize) -> Vec<Place<'e>> {
    let questions = (examples.len() / runs.max(1)).max(1);
    let place = |(row, example): (usize, &'e String)| Place {
        run: row / questions,
        question: row % questions,
        example,
    };
    examples.iter().enumerate().map(place).collect()
}

fn example(row: &Value) -> String {
    format!("{}_{}", row["subdivision"].as_str().unwrap_or_default(), row["idx"])
}

/// How often a case asks, and of how many answers one is to be right.
fn repeats(input: &Value) -> Repeats {
    let count = |value: &Value| value.as_u64().map(|number| number as usize);
    let runs = count(&input["n"]).unwrap_or(1);
    let k = match &input["k"] {
        Value::Array(numbers) => numbers.iter().filter_map(count).collect(),
        one => vec![count(one).unwrap_or(1)],
    };
    Repeats { runs, k }
}

/// What several runs come to, in the shape of a results file.
fn over_runs(
    evaluator: &dyn Evaluator,
    rows: &[Row<'_>],
    input: &Value,
    test_set: &str,
) -> Result<Map<String, Value>, String> {
    let examples: Vec<String> = list(input, test_set).iter().map(example).collect();
    let repeats = repeats(input);
    let found =
        evaluate::evaluate_repeats(evaluator, rows, &places(&examples, repeats.runs), &repeats);
    let RepeatedScores { scores, details, fields, .. } =
        found.map_err(|error| error.to_string())?;
    let metrics = scores.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.value)));
    let mut returned: Map<String, Value> = metrics.collect();
    returned.extend(fields);
    returned.extend(details.map(|details| ("details".to_owned(), details)));
    Ok(returned)
}

/// What this crate answers to a case, or nothing if it cannot run it yet.
fn answer(input: &Value, expected: &Value) -> Option<Result<Value, String>> {
    if let Some(name) = input["function"].as_str() {
        return function(name, input);
    }
    evaluate::EVALUATORS.find(input["evaluator"].as_str()?)?;
    let mut config = input["kwargs"].clone();
    config["type"] = input["evaluator"].clone();
    let component = Component::parse(&Node::from_json(&config)).expect("a case names a class");
    let evaluator = evaluate::build(&component).expect("the parameters are OpenCompass's");
    Some(rows(input).and_then(|rows| {
        if input["via"] == "evaluate" {
            return over_runs(&*evaluator, &rows, input, "rows").map(Value::Object);
        }
        let scores = evaluator.evaluate(&rows).map_err(|error| error.to_string())?;
        let notes = evaluator.notes(&rows).map_err(|error| error.to_string())?;
        Ok(returned(&scores, notes, expected))
    }))
}

/// Equal, but for the order of `answer`, which OpenCompass takes from a set, and for NaN.
fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        // JSON has no NaN and nothing infinite.
        (Value::Null, Value::Object(expected)) => expected.contains_key("$float"),
        (Value::Object(found), Value::Object(expected)) => {
            let same = |(key, value): (&String, &Value)| {
                let (mut found, mut value) = (found.get(key).cloned(), value.clone());
                if key == "answer" {
                    for side in [found.as_mut(), Some(&mut value)].into_iter().flatten() {
                        if let Some(items) = side.as_array_mut() {
                            // Of several runs, each has a list.
                            for own in items.iter_mut().filter_map(Value::as_array_mut) {
                                own.sort_by_key(Value::to_string);
                            }
                            items.sort_by_key(Value::to_string);
                        }
                    }
                }
                found.is_some_and(|found| agree(&found, &value))
            };
            found.len() == expected.len() && expected.iter().all(same)
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| agree(a, b))
        }
        // Sums are taken in another order, and 0 and 0.0 are one number.
        (Value::Number(found), Value::Number(expected)) => {
            let (found, expected) = (found.as_f64(), expected.as_f64());
            let pair = found.zip(expected);
            pair.is_some_and(|(a, b)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0))
        }
        _ => found == expected,
    }
}

/// How far apart two figures may be, relative to the greater of them and 1.
const TOLERANCE: f64 = 1e-12;

/// Cases in which OpenCompass fails on what can be scored, or draws its figure at random, and how.
const BROKEN: &[(&str, &str)] = &[
    ("AccEvaluator-v3", "it cannot take lists as predictions"),
    ("BiodataPCCEvaluator-o2", "it takes the correlation of one pair"),
    (
        "CrowspairsEvaluator-v4",
        "it divides by the predictions that are an answer, of which there is none",
    ),
    (
        "IFEvaluator-v2",
        "its language detector has no seed and calls a text English in 49 of 100 draws",
    ),
    ("MedXpertQAEvaluator-v1", "it takes the first of no letters"),
    ("MedXpertQAEvaluator-v3", "it takes the first of no letters"),
    ("MedXpertQAEvaluator-v7", "it takes the first of no letters"),
    ("PMMEvalMLogiQAEvaluator-v17", "it searches nothing instead of the answer"),
    ("PMMEvalMLogiQAEvaluator-v19", "it searches nothing instead of the answer"),
    ("PMMEvalMLogiQAEvaluator-v20", "it searches nothing instead of the answer"),
    ("ProteinDesign-error", "its aligner stops at a letter that is no amino acid"),
    ("SciKnowEvalEvaluator-v3", "it takes the first of no letters"),
];

/// Compares all cases of a file; `input` finds what is asked in a case.
fn compare(file: &str, input: fn(&Value) -> &Value) -> (String, Vec<String>) {
    compare_in(&golden(), file, input)
}

/// The same for a file in another folder.
fn compare_in(folder: &Path, file: &str, input: fn(&Value) -> &Value) -> (String, Vec<String>) {
    let text = fs::read_to_string(folder.join(file)).expect("the file of cases");
    // Python writes NaN; both sides have null for it.
    let cases: Vec<Value> = serde_json::from_str(&text.replace(": NaN", ": null")).expect("JSON");
    let (mut passed, mut not_yet, mut failed) = (0, 0, Vec::new());
    for case in &cases {
        let expected = &case["expected"];
        match answer(input(case), expected) {
            None => not_yet += 1,
            Some(Ok(found)) if agree(&found, expected) => passed += 1,
            Some(Err(_)) if expected.get("error").is_some() => passed += 1,
            Some(found) => {
                let found = found.unwrap_or_else(|error| json!({ "error": error }));
                failed.push(format!("{}: {found}, not {expected}", case["id"]));
            }
        }
    }
    let summary = format!("{file}: {passed} passed, {} failed, {not_yet} not yet", failed.len());
    assert!(passed > 0, "no case of {file} was compared");
    (summary, failed)
}

#[test]
fn golden_evaluators() {
    let (summary, failed) = compare("evaluators.json", |case| &case["input"]);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Classes and functions by their dotted paths, tuples as lists.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            for mark in ["$type", "$callable", "$tuple"] {
                if let Some(own) = fields.get(mark) {
                    return plain(own);
                }
            }
            Value::Object(fields.iter().map(|(name, own)| (name.clone(), plain(own))).collect())
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// Whether every part that the evaluation names is built.
fn is_built(eval_cfg: &Value) -> bool {
    let named = |part: &str| eval_cfg[part].get("type").and_then(Value::as_str).map(str::to_owned);
    let evaluator = named("evaluator").is_some_and(|own| evaluate::EVALUATORS.find(&own).is_some());
    let rules = ["pred_postprocessor", "dataset_postprocessor"].into_iter().filter_map(named);
    let mut rules = rules;
    evaluator && rules.all(|own| postprocess::POSTPROCESSORS.find(&own).is_some())
}

/// The results of a data set as its evaluation is configured, or nothing if a part is not built yet.
fn score(case: &Value) -> Option<Result<Value, String>> {
    let eval_cfg = plain(&case["eval_cfg"]);
    if !is_built(&eval_cfg) {
        return None;
    }
    let own = plain(&case["model_pred_postprocessor"]);
    Some(scored(case, &eval_cfg, &own).map_err(|error| error.to_string()))
}

fn scored(
    case: &Value,
    eval_cfg: &Value,
    model_rule: &Value,
) -> Result<Value, Box<dyn std::error::Error>> {
    let (plan, _) = EvaluationPlan::from_node(Some(&Node::from_json(eval_cfg)))?;
    let evaluator = plan.evaluator.ok_or("there is no evaluator")?;
    let model_rule = match model_rule {
        Value::Null => None,
        rule => Some(postprocess::build(&Component::parse(&Node::from_json(rule))?)?),
    };
    // The original reads its rows as a table.
    let samples = match Rows::from_json(&case["test_set"])? {
        Rows::Single(samples) => samples,
        Rows::Splits(_) => Vec::new(),
    };
    let gold = case["reader_cfg"]["output_column"].as_str().unwrap_or_default();
    let (prompts, predictions) = (list(case, "origin_prompt"), list(case, "predictions"));
    let mut records = Vec::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for ((prediction, prompt), sample) in predictions.iter().zip(&prompts).zip(&samples) {
        let rules: [Option<&dyn Postprocessor>; 2] =
            [model_rule.as_deref(), plan.prediction_postprocessor.as_deref()];
        let mut answer = prediction.clone();
        for rule in rules.into_iter().flatten() {
            answer = postprocess::apply(rule, &answer, sample)?;
        }
        let raw = sample.get(gold).cloned().unwrap_or_default();
        let reference = match plan.gold_postprocessor.as_deref() {
            Some(rule) if !raw.is_null() => postprocess::apply(rule, &raw, sample)?,
            _ => raw.clone(),
        };
        rows.push(Row {
            prediction: answer,
            reference,
            prompt: prompt.clone(),
            sample: Some(sample),
            ..Row::default()
        });
        records.push(json!({"origin_prompt": prompt, "prediction": prediction, "gold": raw}));
    }
    let mut returned = over_runs(&*evaluator, &rows, case, "test_set")?;
    if !returned.contains_key("details") {
        let details = details::of_records(&records, &rows);
        returned.extend(details.map(|details| ("details".to_owned(), details)));
    }
    Ok(Value::Object(returned))
}

#[test]
fn golden_scores() {
    let text = fs::read_to_string(golden().join("scores.json")).expect("the file of cases");
    let cases: Vec<Value> = serde_json::from_str(&text.replace(": NaN", ": null")).expect("JSON");
    let (mut passed, mut not_yet, mut failed) = (0, Vec::new(), Vec::new());
    for case in &cases {
        let expected = &case["expected"];
        match score(case) {
            None => not_yet.push(case["id"].to_string()),
            Some(Ok(found)) if agree(&found, expected) => passed += 1,
            Some(Err(_)) if expected.get("error").is_some() => passed += 1,
            Some(found) => {
                let found = found.unwrap_or_else(|error| json!({ "error": error }));
                failed.push(format!("{}: {found}, not {expected}", case["id"]));
            }
        }
    }
    println!("scores.json: {passed} passed, {} failed, {} not yet", failed.len(), not_yet.len());
    println!("not yet: {}", not_yet.join(", "));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 0);
}

#[test]
fn golden_evaluators2() {
    let (summary, failed) = held("evaluators2.json");
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn golden_evaluators3() {
    let (summary, failed) = held("evaluators3.json");
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// All cases of a file, but those in which OpenCompass fails.
fn held(file: &str) -> (String, Vec<String>) {
    held_in(&golden(), file)
}

/// The same for a file in another folder.
fn held_in(folder: &Path, file: &str) -> (String, Vec<String>) {
    let (summary, mut failed) = compare_in(folder, file, |case| case);
    failed.retain(|case| !BROKEN.iter().any(|(id, _)| case.starts_with(&format!("{id:?}:"))));
    (summary, failed)
}

/// Made by OpenCompass's own classes on invented rows: words by their meaning, sciences.
#[test]
fn golden_evaluators_rest() {
    let (summary, failed) = held_in(&own_golden(), "evaluators_rest.json");
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Made by OpenCompass's own classes on invented rows, for what is asked of one's own files.
#[test]
fn golden_option_likeness() {
    let (summary, failed) = compare("option_likeness.json", |case| case);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Cases that random texts made, for the classes that compare texts; the original's classes gave the scores.
#[test]
fn golden_evaluators_texts() {
    let (summary, failed) = compare_in(&own_golden(), "evaluators_texts.json", |case| case);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Models that judge; the original's class gave the scores.
#[test]
fn golden_evaluators_judging() {
    let (summary, failed) = compare_in(&own_golden(), "evaluators_judging.json", |case| case);
    println!("{summary}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
