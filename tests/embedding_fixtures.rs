//! Tiny random sentence encoders against sentence-transformers' vectors.
//!
//! The folder is `tests/fixtures/embeddings` or the one named by the environment variable
//! `SURPRISAL_EMBEDDING_FIXTURES`. Alternatives of a checkpoint, such as another way of pooling, are tested on a copy
//! whose settings say so.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};
use surprisal::model::EncoderCheckpoint;

/// Largest difference from a vector's numbers.
const TOLERANCE: f32 = 1e-5;

#[derive(Deserialize)]
struct Expected {
    default_prompt_name: Option<String>,
    prompts: BTreeMap<String, String>,
    cases: Vec<Case>,
    nearest5: Vec<Vec<usize>>,
    alternatives_texts: Vec<String>,
    alternatives: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u32>,
    embedding: Vec<f32>,
    #[serde(default)]
    prompts: BTreeMap<String, Prompted>,
}

#[derive(Deserialize)]
struct Prompted {
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

/// What is done to a file of settings.
type Change = fn(&mut Value);

/// What was compared and what was wrong.
#[derive(Default)]
struct Tally {
    passed: usize,
    not_offered: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(problem) => self.failures.push(format!("{what}: {problem}")),
        }
    }
}

#[test]
fn embedding_fixtures_agree_with_sentence_transformers() {
    let mut failures = Vec::new();
    let mut sums = [0; 3];
    for folder in folders() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut tally = Tally::default();
        if let Err(problem) = compare(&folder, &mut tally) {
            tally.failures.push(problem);
        }
        let counts = [tally.passed, tally.failures.len(), tally.not_offered];
        println!("{name}: {} passed, {} failed, {} not offered", counts[0], counts[1], counts[2]);
        sums = [0, 1, 2].map(|at| sums[at] + counts[at]);
        failures.extend(tally.failures.into_iter().map(|failure| format!("{name}: {failure}")));
    }
    let [passed, failed, not_offered] = sums;
    println!("embedding fixtures: {passed} passed, {failed} failed, {not_offered} not offered");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn embedding_fixtures_do_not_depend_on_what_is_embedded_beside() {
    for folder in folders() {
        let checkpoint = EncoderCheckpoint::open_folder(&folder).unwrap();
        let encoder = checkpoint.load().unwrap();
        let cases = expected(&folder).cases;
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let together = encoder.embed(&texts, "", &|_| ()).unwrap();
        for (text, vector) in texts.iter().zip(&together) {
            let alone = encoder.embed(&[text], "", &|_| ()).unwrap();
            assert_eq!(alone.first(), Some(vector), "{}: {text:?}", folder.display());
        }
    }
}

#[test]
fn embedding_fixtures_that_say_something_else_are_refused() {
    let folder = folders().into_iter().find(|folder| folder.ends_with("labse-dense"));
    let Some(folder) = folder else { return };
    let changes: [(&str, Change, &str); 6] = [
        ("modules.json", |all| all[2]["type"] = json!("sentence_transformers.models.CNN"), "CNN"),
        ("modules.json", |all| all[1]["path"] = json!("../1_Pooling"), "leads out"),
        (
            "1_Pooling/config.json",
            |own| own["pooling_mode_first"] = json!(true),
            "pooling_mode_first",
        ),
        ("2_Dense/config.json", |own| own["in_features"] = json!(31), "in_features is 31"),
        ("config.json", |own| own["hidden_act"] = json!("mish"), "hidden_act"),
        ("config.json", |own| own["num_hidden_layers"] = json!(1), "does not account for"),
    ];
    for (file, change, wanted) in changes {
        let copy = copied(&folder);
        edit(&copy.path().join(file), change);
        let refusal = EncoderCheckpoint::open_folder(copy.path()).map(|_| ()).unwrap_err();
        assert!(refusal.to_string().contains(wanted), "{file}: {refusal}");
    }
}

fn folders() -> Vec<PathBuf> {
    let place = env::var_os("SURPRISAL_EMBEDDING_FIXTURES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/embeddings")),
        PathBuf::from,
    );
    let entries = fs::read_dir(&place).expect("the folder of encoders is there");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no encoders in {}", place.display());
    folders
}

fn expected(folder: &Path) -> Expected {
    let text = fs::read_to_string(folder.join("expected.json")).expect("the vectors are there");
    serde_json::from_str(&text).expect("the vectors are JSON")
}

fn compare(folder: &Path, tally: &mut Tally) -> Result<(), String> {
    let expected = expected(folder);
    let checkpoint = opened(folder)?;
    let default_prompt =
        expected.default_prompt_name.as_ref().map(|name| expected.prompts[name].as_str());
    tally.add("default prompt", same(&checkpoint.default_prompt(), &default_prompt));
    let prompt = default_prompt.unwrap_or_default();
    let texts: Vec<&str> = expected.cases.iter().map(|case| case.text.as_str()).collect();
    let vectors = embedded(&checkpoint, &texts, prompt)?;
    for (case, vector) in expected.cases.iter().zip(&vectors) {
        let ids = checkpoint.encode(&case.text, prompt).map_err(|error| error.to_string())?;
        let outcome = same(&ids, &case.ids).and_then(|()| close(vector, &case.embedding));
        tally.add(&format!("{:?}", case.text), outcome);
    }
    for (name, prompt) in &expected.prompts {
        tally.add(name, same(&checkpoint.prompt(name), &Some(prompt.as_str())));
        let vectors = embedded(&checkpoint, &texts, prompt)?;
        for (case, vector) in expected.cases.iter().zip(&vectors) {
            let Some(prompted) = case.prompts.get(name) else { continue };
            let ids = checkpoint.encode(&case.text, prompt).map_err(|error| error.to_string())?;
            let outcome =
                same(&ids, &prompted.ids).and_then(|()| close(vector, &prompted.embedding));
            tally.add(&format!("{name} {:?}", case.text), outcome);
        }
    }
    for (row, wanted) in expected.nearest5.iter().enumerate() {
        tally.add(&format!("nearest of {row}"), nearest(&vectors, row, wanted));
    }
    let texts: Vec<&str> = expected.alternatives_texts.iter().map(String::as_str).collect();
    for (name, wanted) in &expected.alternatives {
        // No config names it.
        if name.starts_with("truncate_dim") {
            tally.not_offered += 1;
            continue;
        }
        tally.add(name, alternative(folder, &expected, name, &texts, wanted));
    }
    Ok(())
}

/// Compares a checkpoint whose settings are changed as the alternative's name says.
fn alternative(
    folder: &Path,
    expected: &Expected,
    name: &str,
    texts: &[&str],
    wanted: &Value,
) -> Result<(), String> {
    let copy = copied(folder);
    let (mut prompt, mut wants_ids) = (String::new(), false);
    if let Some(default) = &expected.default_prompt_name {
        prompt.clone_from(&expected.prompts[default]);
    }
    for part in name.split(',') {
        match part.split_once('=') {
            None if part == "ids" => wants_ids = true,
            Some(("pooling", mode)) => edit(&copy.path().join("1_Pooling/config.json"), |own| {
                let fields = own.as_object_mut().expect("an object");
                for (field, value) in fields.iter_mut() {
                    if field.starts_with("pooling_mode_") {
                        let short =
                            field.trim_start_matches("pooling_mode_").trim_end_matches("_tokens");
                        let short = short.trim_end_matches("_token");
                        *value = json!(short == mode);
                    }
                }
            }),
            Some(("normalize", state)) => edit(&copy.path().join("modules.json"), |modules| {
                let modules = modules.as_array_mut().expect("a list");
                modules.retain(|module| {
                    !module["type"].as_str().unwrap_or_default().ends_with("Normalize")
                });
                if state == "on" {
                    modules.push(json!({"path": "9_Normalize", "type": "sentence_transformers.models.Normalize"}));
                }
            }),
            Some(("max_seq_length", count)) => {
                let count: usize = count.parse().expect("a number");
                let place = copy.path().join("sentence_bert_config.json");
                edit(&place, |own| own["max_seq_length"] = json!(count));
            }
            Some(("include_prompt", "off")) => {
                let place = copy.path().join("1_Pooling/config.json");
                edit(&place, |own| own["include_prompt"] = json!(false));
            }
            Some(("prompt", name)) => prompt.clone_from(&expected.prompts[name]),
            _ => return Err(format!("not understood: {part}")),
        }
    }
    let checkpoint = opened(copy.path())?;
    if wants_ids {
        let ids = texts.iter().map(|text| checkpoint.encode(text, &prompt));
        let ids = ids.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        return same(&json!(ids), wanted);
    }
    let wanted: Vec<Vec<f32>> =
        serde_json::from_value(wanted.clone()).map_err(|error| error.to_string())?;
    let vectors = embedded(&checkpoint, texts, &prompt)?;
    vectors.iter().zip(&wanted).try_for_each(|(vector, wanted)| close(vector, wanted))
}

fn opened(folder: &Path) -> Result<EncoderCheckpoint, String> {
    EncoderCheckpoint::open_folder(folder).map_err(|error| error.to_string())
}

fn embedded(
    checkpoint: &EncoderCheckpoint,
    texts: &[&str],
    prompt: &str,
) -> Result<Vec<Vec<f32>>, String> {
    let encoder = checkpoint.load().map_err(|error| error.to_string())?;
    encoder.embed(texts, prompt, &|_| ()).map_err(|error| error.to_string())
}

/// Whether the five rows nearest to one are those wanted, up to what rounding may turn round.
fn nearest(vectors: &[Vec<f32>], row: usize, wanted: &[usize]) -> Result<(), String> {
    let product = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let cosine = |other: &Vec<f32>| {
        let own = &vectors[row];
        product(own, other) / (product(own, own) * product(other, other)).sqrt()
    };
    let cosines: Vec<f64> = vectors.iter().map(cosine).collect();
    let mut sorted = cosines.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let is_there = |(place, wanted): (usize, &usize)| {
        (sorted[place] - cosines[*wanted]).abs() <= f64::from(TOLERANCE)
    };
    if wanted.iter().enumerate().all(is_there) {
        Ok(())
    } else {
        Err(format!("{wanted:?} of {cosines:?}"))
    }
}

fn close(vector: &[f32], wanted: &[f32]) -> Result<(), String> {
    let farthest = vector.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // Not `<=`, which a number that is none would pass as well.
    let is_close = farthest <= TOLERANCE && vector.iter().all(|number| number.is_finite());
    if vector.len() == wanted.len() && is_close {
        Ok(())
    } else {
        Err(format!("{} numbers for {}, off by up to {farthest:e}", vector.len(), wanted.len()))
    }
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{found:?}, not {wanted:?}")) }
}

/// A copy of a checkpoint that may be changed.
fn copied(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a scratch folder");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let place = copy.path().join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            fs::create_dir(&place).expect("a folder is made");
            for inner in fs::read_dir(&path).expect("a folder") {
                let inner = inner.expect("an entry").path();
                let text = fs::read(&inner).expect("a file");
                fs::write(place.join(inner.file_name().unwrap_or_default()), text)
                    .expect("written");
            }
        } else {
            fs::write(place, fs::read(&path).expect("a file")).expect("written");
        }
    }
    copy
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    change(&mut value);
    fs::write(path, value.to_string()).expect("written");
}
