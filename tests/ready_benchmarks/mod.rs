//! Ready benchmarks on invented rows: files as their repositories hold them, and what a model must then be asked.
//!
//! Every expected text is written by hand from the rows, never taken from the program.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod dialogues;
pub(crate) mod images;
mod letters;
mod texts;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value as Json, json};

/// A benchmark with rows.
pub(crate) struct Ready {
    /// The config's name.
    pub(crate) config: &'static str,
    /// The only data set of it that is run.
    pub(crate) dataset: &'static str,
    /// Where its rows are on the hub.
    pub(crate) repository: &'static str,
    /// Its files.
    pub(crate) files: Vec<(&'static str, String)>,
    /// What is asked, row by row.
    pub(crate) expected: Vec<Asked>,
}

/// What a model is asked for a row.
pub(crate) enum Asked {
    /// Candidates in their order, each with its label, and which of them is right.
    Among { candidates: Vec<(Json, String)>, gold: usize },
    /// A prompt that it goes on with, and the gold as the metric compares it.
    Onward { prompt: String, compared_gold: Json },
    /// A text.
    Text(String),
}

/// All of them.
pub(crate) fn all() -> Vec<Ready> {
    let mut all = letters::all();
    all.extend(texts::all());
    all.extend(dialogues::all());
    all
}

/// The shipped model below a folder, with a context that is long enough for every benchmark.
pub(crate) fn model(folder: &Path) -> PathBuf {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pocket");
    let model = folder.join("models/roomy");
    fs::create_dir_all(&model).unwrap();
    for entry in fs::read_dir(&shipped).unwrap() {
        let file = entry.unwrap();
        if file.path().is_file() {
            fs::write(model.join(file.file_name()), fs::read(file.path()).unwrap()).unwrap();
        }
    }
    let path = model.join("config.json");
    let mut config: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    config["max_position_embeddings"] = 8192.into();
    fs::write(path, config.to_string()).unwrap();
    model
}

/// Compares what a run kept, as `export` writes it, with what must be asked.
pub(crate) fn compare(ready: &Ready, samples: &[Json], candidates: &[Json]) {
    let name = ready.dataset;
    assert_eq!(samples.len(), ready.expected.len(), "{name}: samples");
    for (row, (asked, sample)) in ready.expected.iter().zip(samples).enumerate() {
        let place = format!("{name}, row {row}");
        assert_eq!(sample["error"], Json::Null, "{place}");
        let own: Vec<&Json> = candidates.iter().filter(|line| line["row"] == row).collect();
        let prompts: Vec<&str> =
            own.iter().map(|line| line["prompt"].as_str().unwrap_or_default()).collect();
        match asked {
            Asked::Among { candidates, gold } => {
                let texts: Vec<&str> = candidates.iter().map(|(_, text)| text.as_str()).collect();
                assert_eq!(prompts, texts, "{place}");
                let labels: Vec<String> =
                    candidates.iter().map(|(label, _)| text_of(label)).collect();
                let found: Vec<String> = own.iter().map(|line| text_of(&line["label"])).collect();
                assert_eq!(found, labels, "{place}");
                let right: Vec<usize> =
                    (0..own.len()).filter(|at| own[*at]["is_gold"] == true).collect();
                assert_eq!(right, [*gold], "{place}");
                let score = sample["score_accuracy"].as_f64();
                let chosen = own.iter().position(|line| line["is_chosen"] == true);
                assert_eq!(score, Some(f64::from(chosen == Some(*gold))), "{place}");
            }
            Asked::Onward { prompt, compared_gold } => {
                assert_eq!(sample["prompt"], json!(prompt), "{place}");
                assert_eq!(text_of(&sample["compared_gold"]), text_of(compared_gold), "{place}");
            }
            Asked::Text(text) => assert_eq!(prompts, [text.as_str()], "{place}"),
        }
    }
}

/// A text as it is, anything else as JSON: a table has one type in a column.
fn text_of(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Rows as lines of JSON.
fn lines(rows: &[Json]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect::<Vec<_>>().concat()
}

/// Candidates whose texts begin alike.
fn among<L: Into<Json>>(start: &str, answers: Vec<(L, &str)>, gold: usize) -> Asked {
    let candidate = |(label, answer): (L, &str)| (label.into(), format!("{start}{answer}"));
    Asked::Among { candidates: answers.into_iter().map(candidate).collect(), gold }
}
