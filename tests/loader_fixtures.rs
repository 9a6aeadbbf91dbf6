//! OpenCompass's classes of data sets against ours: files in, rows and prompts out.
//!
//! The folder with `loaders.json` comes from `SURPRISAL_LOADERS`; its README says what a case is. Each case goes the
//! way of a run: its entry is planned, its rows are read, split and chosen, its examples retrieved, its prompts
//! written.
//!
//! Classes without a case there are vouched for by `tests/compat/loaders.sh`, which makes such a folder with the classes
//! of the package from `PyPI`; `tests/compat/loader_classes.txt` names them.

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use surprisal::{
    config::Node,
    dataset::{Dataset, LOADERS, Rows, Sample},
    hub::Silent,
    plan::DatasetPlan,
    prompt::{Label, Markup, Mode, Prompt},
    retrieve::{Corpus, NoModels},
};

/// So many cases pass at least.
const FLOOR: usize = 405;

/// So many where no package is named, in which prompts stand.
const FLOOR_WITHOUT_TEXTS: usize = 381;

/// The classes that `tests/compat/loaders.sh` vouches for.
const VOUCHED: &str = include_str!("compat/loader_classes.txt");

#[test]
fn loader_fixtures() {
    let Some(folder) = env::var_os("SURPRISAL_LOADERS").map(PathBuf::from) else {
        println!("loaders: skipped, SURPRISAL_LOADERS names no folder");
        return;
    };
    let text = fs::read_to_string(folder.join("loaders.json")).expect("the vectors are readable");
    let vectors: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    let cases = vectors["cases"].as_array().expect("there are cases");
    let (mut passed, mut failed, mut proven) = (0, 0, BTreeSet::new());
    let mut missing = BTreeSet::new();
    for case in cases {
        let class = case["loader"].as_str().unwrap_or_default();
        if LOADERS.find(class).is_none() {
            missing.insert(class);
        }
        match check(case) {
            Ok(()) => {
                passed += 1;
                // That it fails where the original does vouches for no row.
                if case["expected"].get("error").is_none() {
                    proven.insert(class);
                }
            }
            Err(why) => {
                failed += 1;
                if LOADERS.find(class).is_some() {
                    println!("{}: {why}", case["id"]);
                }
            }
        }
    }
    println!("loaders: {passed} passed, {failed} failed");
    if env::var_os("SURPRISAL_VOUCHED").is_some() {
        assert_eq!(failed, 0, "{failed} cases fail");
        assert_eq!(proven, VOUCHED.lines().collect(), "loader_classes.txt is out of date");
        return;
    }
    for class in &missing {
        println!("not built in: {class}");
    }
    let vouched: BTreeSet<&str> = VOUCHED.lines().collect();
    let named = LOADERS.registrations.iter().flat_map(|line| line.aliases);
    let is_unproven = |class: &&&str| {
        !proven.contains(**class) && !vouched.contains(**class) && !OWN.contains(class)
    };
    let unproven: Vec<&str> = named.filter(is_unproven).copied().collect();
    println!("classes without a passing case: {unproven:?}");
    if cases.len() == 405 {
        let has_texts = env::var_os("SURPRISAL_OPENCOMPASS").is_some();
        let floor = if has_texts { FLOOR } else { FLOOR_WITHOUT_TEXTS };
        assert!(passed >= floor, "only {passed} cases pass, {floor} did");
        assert!(!has_texts || unproven.is_empty(), "{unproven:?}");
        assert!(missing.is_empty(), "{missing:?}");
    }
}

/// Classes that OpenCompass does not have; their tests are beside them.
const OWN: &[&str] = &[
    "ImageQuestionDataset",
    "MMBenchDataset",
    "MMMUDataset",
    "ScienceQAImageDataset",
    "SEEDBenchImageDataset",
];

#[test]
fn classes_that_are_vouched_for_are_built_in_and_sorted() {
    let names: Vec<&str> = VOUCHED.lines().collect();
    assert!(names.is_sorted_by(|left, right| left < right));
    let unknown: Vec<_> = names
        .into_iter()
        .filter(|name| !LOADERS.registrations.iter().any(|line| line.aliases.contains(name)))
        .collect();
    assert!(unknown.is_empty(), "not built in: {unknown:?}");
}

/// What is wrong with our answer to a case.
fn check(case: &Value) -> Result<(), String> {
    let expected = &case["expected"];
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let written = read(case, folder.path());
    let (plan, rows) = match (written, expected.get("error")) {
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(error)) => return Err(format!("expected the error {error}")),
        (Err(error), None) => return Err(format!("error: {error}")),
        (Ok(read), None) => read,
    };
    let (dataset, splits) = chosen(&plan, rows).map_err(|error| error.to_string())?;
    counted(&expected["splits"], &splits)?;
    let unordered: Vec<&str> = expected["unordered_columns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    same_rows("train", &expected["train"], &dataset.train, &unordered)?;
    same_rows("test", &expected["test"], &dataset.test, &unordered)?;
    let Some(prompts) = case["prompts"].as_array() else { return Ok(()) };
    let ours = prompts_of(&plan, &dataset, prompts.len());
    match ours {
        Err(_) if prompts.iter().all(|prompt| prompt.get("failed").is_some()) => Ok(()),
        Err(error) => Err(format!("prompts: {error}")),
        Ok(ours) if by_name(&ours) == by_name(prompts) => Ok(()),
        Ok(ours) => {
            Err(format!("prompts\n  expected {}\n       got {}", json!(prompts), json!(ours)))
        }
    }
}

/// The case's entry, planned, and its rows before the reader has chosen among them.
fn read(case: &Value, folder: &Path) -> Result<(DatasetPlan, Rows), Box<dyn Error>> {
    let mut entry = decoded(&case["entry"]);
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        let path = folder.join(place(name, &entry));
        fs::create_dir_all(path.parent().ok_or("a file lies in a folder")?)?;
        if let Some(text) = text["gzip"].as_str() {
            let mut file = GzEncoder::new(fs::File::create(path)?, Compression::fast());
            file.write_all(text.as_bytes())?;
        } else if let Some(digits) = text["hex"].as_str() {
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16);
            let bytes = (0..digits.len()).step_by(2).map(byte);
            fs::write(path, bytes.collect::<Result<Vec<u8>, _>>()?)?;
        } else {
            fs::write(path, text.as_str().unwrap_or_default())?;
        }
    }
    let fields = entry.as_object_mut().ok_or("an entry is an object")?;
    fields.remove("eval_cfg");
    fields.remove("k");
    let times = fields.remove("n").and_then(|n| n.as_u64()).unwrap_or(1);
    if !case["prompts"].is_array() {
        let infer_cfg = json!({
            "prompt_template": {"type": "PromptTemplate", "template": "?"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer", "max_out_len": 1},
        });
        fields.insert("infer_cfg".to_owned(), infer_cfg);
    }
    let plan = DatasetPlan::from_node(&Node::from_json(&entry), &folder.join("config.py"))?;
    let rows = plan.location.read(&plan.table, &plan.reader.splits(), &Silent)?;
    let rows = rows.labelled(plan.rows_name()).repeated(usize::try_from(times)?);
    Ok((plan, rows))
}

/// Where a file of a case lies; one of the hub lies where the entry's repository is looked for first.
fn place(name: &str, entry: &Value) -> PathBuf {
    let Some((_, file)) = name.strip_prefix("hub/").and_then(|rest| rest.split_once('/')) else {
        return PathBuf::from(name);
    };
    let repository = PathBuf::from(entry["path"].as_str().unwrap_or_default());
    let subset = match entry["type"].as_str().and_then(|class| class.rsplit('.').next()) {
        Some("MMLUCFDataset") => None,
        Some("MMMLUDataset") => entry["name"].as_str().map(|name| name[5..].replace('-', "_")),
        _ => entry["name"].as_str().or(entry["subset"].as_str()).map(str::to_owned),
    };
    subset.map_or_else(|| repository.clone(), |subset| repository.join(subset)).join(file)
}

/// An entry in the encoding of the vectors as the JSON that nodes are made of.
fn decoded(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(decoded).collect(),
        Value::Object(entries) => {
            let only = entries.iter().next().filter(|_| entries.len() == 1);
            match only {
                Some((key, own)) if key == "$type" || key == "$tuple" => decoded(own),
                _ => entries.iter().map(|(key, own)| (key.clone(), decoded(own))).collect(),
            }
        }
        other => other.clone(),
    }
}

/// The rows that the reader chose, and how many each split has.
fn chosen(plan: &DatasetPlan, rows: Rows) -> Result<(Dataset, Value), Box<dyn Error>> {
    let splits = match &rows {
        Rows::Single(rows) => json!(rows.len()),
        Rows::Splits(splits) => {
            splits.iter().map(|(split, rows)| (split.clone(), json!(rows.len()))).collect()
        }
    };
    Ok((plan.reader.load(rows)?, splits))
}

/// Whether splits have as many rows as expected; those that the reader wrote are compared row by row.
fn counted(expected: &Value, splits: &Value) -> Result<(), String> {
    let is_same = match (expected, splits) {
        (Value::Object(expected), Value::Object(splits)) => splits
            .iter()
            .filter(|(split, _)| !["train", "test"].contains(&split.as_str()))
            .all(|(split, count)| expected.get(split) == Some(count)),
        (expected, splits) => expected == splits,
    };
    if is_same { Ok(()) } else { Err(format!("splits: expected {expected}, got {splits}")) }
}

fn same_rows(
    name: &str,
    expected: &Value,
    rows: &[Sample],
    unordered: &[&str],
) -> Result<(), String> {
    let expected = expected.as_array().ok_or("a case has rows")?;
    if expected.len() != rows.len() {
        return Err(format!("{name}: expected {} rows, got {}", expected.len(), rows.len()));
    }
    for (expected, row) in expected.iter().zip(rows) {
        let row: Value = row.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let (mut left, mut right) = (expected.clone(), row.clone());
        for column in unordered {
            sort(&mut left[column]);
            sort(&mut right[column]);
        }
        // As texts, because the order of columns and of a record's keys counts.
        let (left, right) = (without_floats(&left).to_string(), right.to_string());
        if left != right {
            return Err(format!("{name}\n  expected {expected}\n       got {row}"));
        }
    }
    Ok(())
}

fn sort(value: &mut Value) {
    if let Some(items) = value.as_array_mut() {
        items.sort_by_key(Value::to_string);
    }
}

/// Prompts with their candidates in the order of labels: here it is that of a whole run, which sorts the keys of a
/// config before it reads them.
fn by_name(prompts: &[Value]) -> Vec<Value> {
    let sorted = |prompt: &Value| {
        let mut prompt = prompt.clone();
        sort(&mut prompt["by_label"]);
        prompt
    };
    prompts.iter().map(sorted).collect()
}

/// A row whose `{"$float": "nan"}` reads as the `nan` that Python prints.
fn without_floats(value: &Value) -> Value {
    match value {
        Value::Object(entries) if entries.contains_key("$float") => entries["$float"].clone(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), without_floats(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_floats).collect(),
        other => other.clone(),
    }
}

/// The first prompts in the notation of the vectors.
fn prompts_of(
    plan: &DatasetPlan,
    dataset: &Dataset,
    count: usize,
) -> Result<Vec<Value>, Box<dyn Error>> {
    let corpus = Corpus { dataset, reader: &plan.reader, models: &NoModels };
    let (selected, shown) = (plan.retriever.select(&corpus)?, plan.retriever.retrieve(&corpus)?);
    let output = plan.reader.output_column();
    let golds = dataset.test.iter().filter_map(|row| row.get(output?));
    let labels: Vec<Label> = plan.assembly.labels(golds);
    let mut prompts = Vec::new();
    for (index, sample) in dataset.test.iter().enumerate().take(count) {
        let examples: Vec<&Sample> = shown[index]
            .iter()
            .map(|row| dataset.train.get(*row).ok_or("no such example"))
            .collect::<Result<_, _>>()?;
        let ice = plan.assembly.examples(&examples, output)?;
        let mut own = json!({"sample": index, "ice_idx": selected[index]});
        if plan.mode == "ppl" {
            let candidate = |label: &Label| -> Result<Value, Box<dyn Error>> {
                let prompt = plan.assembly.candidate(sample, &ice, label, false)?;
                Ok(json!([label.json(), rendered(&prompt, Mode::Ppl)?]))
            };
            own["by_label"] = labels.iter().map(candidate).collect::<Result<_, _>>()?;
        } else {
            let mask = plan.inferencer.mask().unwrap_or_default();
            let prompt = plan.assembly.generation(sample, &ice, output, mask)?;
            own["prompt"] = rendered(&prompt, Mode::Gen)?;
        }
        prompts.push(own);
    }
    Ok(prompts)
}

fn rendered(prompt: &Prompt, mode: Mode) -> Result<Value, Box<dyn Error>> {
    match prompt {
        Prompt::Messages(messages) => Ok(json!({"messages": messages})),
        prompt => Ok(Markup::Lines.render(prompt, mode)?.into()),
    }
}
