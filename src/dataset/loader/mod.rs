//! OpenCompass's classes of data sets: which files a `type` reads, and how rows come out of them.
//!
//! Most classes are lines of tables: files by split, a format, and [steps](step::Step) that a row goes through. What
//! a table cannot say is a function. All of them are in one [registry](LOADERS); a class that is not there is
//! refused by name, because its rows would be others and so would the scores.
//!
//! Nothing is fetched but what the hub client fetches anyway, and no code of a data set is run. A row that the
//! original would fail on is an error here too, with its place.

mod aa_lcr;
mod adversarial;
mod agents;
mod answers;
mod arc_prize;
mod arguments;
mod behaviour;
mod borrowed;
mod cells;
mod circular;
mod class;
mod code;
mod code_compass;
mod commonsense;
mod comprehension;
mod contamination;
mod documents;
mod drawn;
mod ds1000;
mod el_bench;
mod exam_questions;
mod exams;
mod fake_alignment;
mod file;
mod gpt_tokens;
mod haystack;
mod image_questions;
mod inference;
mod instructions;
mod judge_dialogues;
mod judge_prompts;
mod judged;
mod judged_repositories;
mod judger_bench;
mod known_archives;
mod known_places;
mod languages;
mod lineage;
mod live_code_bench;
mod long_contexts;
mod mathematics;
mod medicine;
mod needles;
mod packed_texts;
mod parallel_needles;
mod pickled_text;
mod place;
mod programs;
mod prompt_files;
mod reasoning;
mod registry;
mod reports;
mod repositories;
mod roles;
mod row;
mod ruler;
mod sci_reasoner;
mod sciences;
mod step;
mod stepped;
mod texts;
mod turning;
mod typed_columns;
mod unavailable;
mod writing;

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

pub use self::place::{DataPlace, data_folder};
pub(crate) use self::{
    borrowed::{PACKAGES, module_path, module_value},
    known_places::place_of as named_place,
    place::remedy,
};
use serde_json::Value;

use self::{arguments::Arguments, class::Reading, row::Row, turning::Turning};
pub use self::{class::ClassForm, registry::LOADERS, stepped::Stepped};
use super::{DataNeeds, DatasetError, HubTable, Rows};
use crate::{
    config::{ConfigError, Node, nearest},
    hub::{DownloadProgress, Silent, files_below},
    python::is_truthy,
};

/// The package whose classes these are. Others have classes of the same names that read otherwise.
const PACKAGE: &str = "opencompass";

/// A class with what an entry says to it.
#[derive(Clone, Debug)]
pub struct Loader {
    class: &'static ClassForm,
    fields: Row,
    config: PathBuf,
    abbr: String,
    turning: Option<Turning>,
}

/// What rows call a data set whose entry has no `abbr`.
const NAMELESS: &str = "dataset";

/// Fields of every entry that no class reads.
const OF_ALL: &[&str] =
    &["abbr", "eval_cfg", "infer_cfg", "k", "n", "reader_cfg", "type", "variants"];

/// The class of an entry's `type`; nothing if the entry has none.
pub(crate) fn class_of(entry: &Node) -> Result<Option<&'static ClassForm>, ConfigError> {
    let Some(named) = entry.get("type").filter(|named| !named.is_none()) else { return Ok(None) };
    let Some(path) = named.as_str() else {
        let what = format!("expected a class or its name, found {}", named.describe());
        return Err(ConfigError::at(&named.origin, what).under("type"));
    };
    let is_foreign = path.split_once('.').is_some_and(|(package, rest)| {
        package != PACKAGE && !(package == "ais_bench" && rest.ends_with(".HFDataset"))
    });
    if let Some(found) = LOADERS.find(path).filter(|_| !is_foreign) {
        return Ok(Some(&found.value));
    }
    let (what, hint) = unavailable::refusal(path);
    Err(ConfigError::at(&named.origin, what).under("type").with_hint(hint))
}

/// The file or folder that a path means to a class that does not know its files.
pub(crate) fn find_data(path: &str, config: &Path) -> Option<PathBuf> {
    place::find(path, true, config).ok()
}

/// The same as it lies on this machine, links followed.
pub(crate) fn readable_place(path: &str, config: &Path) -> Option<PathBuf> {
    find_data(path, config)?.canonicalize().ok()
}

impl Loader {
    /// A class with the fields of an entry that are its own; they are taken out of the entry. What it does not
    /// read is an error, or told in a note.
    pub(crate) fn new(
        class: &'static ClassForm,
        entry: &mut Node,
        abbr: Option<&str>,
        config: &Path,
    ) -> Result<(Self, Vec<String>), ConfigError> {
        let turning = turning_of(class, entry)?;
        let mut fields = Row::new();
        let mut passed_over = Vec::new();
        let takes_others = class.fields.contains(&"*");
        let known = || class.fields.iter().map(|field| field.trim_end_matches('?'));
        let written: Vec<String> = entry
            .as_dict()
            .into_iter()
            .flatten()
            .filter_map(|(name, _)| name.as_str().map(str::to_owned))
            .filter(|name| !OF_ALL.contains(&name.as_str()))
            .collect();
        for name in written {
            let Some(value) = entry.remove(&name) else { continue };
            if known().any(|field| field == name) {
                fields.insert(name, value.to_json());
            } else if takes_others {
                passed_over.push(name);
            } else {
                let near = nearest(&name, known());
                let near = near.map_or_else(
                    || format!("its class reads {}", known().collect::<Vec<_>>().join(", ")),
                    |near| format!("did you mean '{near}'?"),
                );
                let what = format!("unknown field '{name}'");
                return Err(ConfigError::at(&value.origin, what).with_hint(near));
            }
        }
        let needed = class.fields.iter().filter(|field| !field.ends_with('?') && **field != "*");
        if let Some(missing) = needed.copied().find(|field| !fields.contains_key(*field)) {
            let what = format!("the data set has no {missing}");
            return Err(ConfigError::at(&entry.origin, what).with_hint("its class needs it"));
        }
        let mut notes: Vec<String> = class.note.map(str::to_owned).into_iter().collect();
        notes.extend(
            (!passed_over.is_empty())
                .then(|| format!("its class does not read {}", passed_over.join(", "))),
        );
        let abbr = abbr.unwrap_or(NAMELESS).to_owned();
        let loader = Self { class, fields, config: config.to_owned(), abbr, turning };
        Ok((loader, notes))
    }

    /// The files that it can come to read; nothing where one is not here, or none is known.
    pub(super) fn files(&self) -> Option<Vec<PathBuf>> {
        let arguments = self.arguments(&Silent, None);
        if let Reading::Files { files, .. } = self.class.reading {
            return files.iter().map(|(_, pattern)| arguments.file(pattern).ok()).collect();
        }
        let mut found = Vec::new();
        for field in self.class.fields {
            let field = field.trim_end_matches('?');
            if self.is_place(field) && arguments.is_given(field) {
                let path = arguments.path(field).ok()?;
                if path.is_dir() {
                    found.extend(files_below(&path).iter().map(|file| path.join(file)));
                } else {
                    found.push(path);
                }
            }
        }
        // Some classes write a file's name behind the folder's without a stroke between them.
        if self.fields.contains_key("filename") {
            found.push(arguments.file("{path}{filename}").ok()?);
        }
        for name in self.class.beside {
            found.push(arguments.path("path").ok()?.with_file_name(name));
        }
        for module in self.class.texts {
            found.push(borrowed::module_path(module)?);
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Whether a field says where data lie; a file's path below another one does not alone.
    fn is_place(&self, field: &str) -> bool {
        field.ends_with("path")
            && !(field == "file_path" && self.class.fields.contains(&"base_path"))
    }

    /// What its rows come from, as far as that is known before it is here.
    pub(super) fn needs(&self) -> Result<DataNeeds, String> {
        let wanted = RefCell::new(Vec::new());
        let arguments = self.arguments(&Silent, Some(&wanted));
        let mut places = Vec::new();
        for field in self.class.fields.iter().map(|field| field.trim_end_matches('?')) {
            if let Some(written) = self.fields.get(field).and_then(Value::as_str)
                && self.is_place(field)
                && !written.is_empty()
            {
                places.push(DataPlace::new(written, arguments.is_named, &self.config)?);
            }
        }
        if let Reading::Files { files, .. } = self.class.reading {
            let is_here = |(_, pattern): &(&str, &str)| {
                arguments.file(pattern).is_ok_and(|file| file.exists())
            };
            if !files.iter().all(is_here) {
                places.iter_mut().for_each(DataPlace::lacks_a_file);
            }
        } else if places.iter().any(|place| place.found.is_none() && place.archive.is_none()) {
            // What becomes of no rows is of no interest: the tables were written down before.
            let _ = class::tables(self.class, &arguments);
        }
        let tables = wanted.take();
        if !tables.is_empty() {
            places.retain(|place| place.found.is_some() || place.archive.is_some());
        }
        Ok(DataNeeds { places, tables })
    }

    fn arguments<'a>(
        &'a self,
        progress: &'a dyn DownloadProgress,
        wanted: Option<&'a RefCell<Vec<HubTable>>>,
    ) -> Arguments<'a> {
        let is_as_written = self.fields.get("local_mode").is_some_and(is_truthy);
        Arguments {
            fields: &self.fields,
            config: &self.config,
            abbr: &self.abbr,
            progress,
            is_named: self.class.is_named && !is_as_written,
            wanted,
        }
    }

    /// The rows of all its splits.
    pub(super) fn read(&self, progress: &dyn DownloadProgress) -> Result<Rows, DatasetError> {
        let tables = class::tables(self.class, &self.arguments(progress, None))?;
        tables.turned(self.turning.as_ref(), &self.abbr)?.rows(&self.abbr)
    }
}

/// How the rows of a class are turned, as the entry says it; those fields are taken out.
fn turning_of(class: &ClassForm, entry: &mut Node) -> Result<Option<Turning>, ConfigError> {
    class.turns.map(|form| Turning::take(form, entry)).transpose()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value as Json, json};

    use super::*;

    fn class(written: &Json) -> Result<bool, String> {
        let entry = Node::from_json(&json!({"type": written}));
        class_of(&entry).map(|class| class.is_some()).map_err(|error| error.to_string())
    }

    #[test]
    fn classes_of_opencompass_are_found_and_others_refused_by_name() {
        assert_eq!(class(&json!(null)), Ok(false));
        for known in ["opencompass.datasets.MMLUDataset", "GSM8KDataset", "CustomDataset"] {
            assert_eq!(class(&json!(known)), Ok(true), "{known}");
        }
        assert_eq!(class(&json!("ais_bench.benchmark.datasets.HFDataset")), Ok(true));
        for (unknown, expected) in [
            ("opencompass.datasets.GSM8kDatasets", "did you mean 'GSM8KDataset'?"),
            ("ais_bench.benchmark.datasets.CustomDataset", "without type"),
            ("mine.CustomDataset", "without type"),
        ] {
            let error = class(&json!(unknown)).unwrap_err();
            assert!(error.contains(unknown) && error.contains(expected), "{error}");
        }
        assert!(class(&json!(3)).unwrap_err().contains("expected a class"));
    }

    fn read(files: &[(&str, &str)], mut entry: Json) -> Result<Rows, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        entry["abbr"] = "x".into();
        let mut node = Node::from_json(&entry);
        let class = class_of(&node).unwrap().unwrap();
        let config = folder.path().join("config.py");
        let (loader, _) =
            Loader::new(class, &mut node, Some("x"), &config).map_err(|error| error.to_string())?;
        loader.read(&Silent).map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_found_by_the_name_of_a_data_set() {
        let files = [("data/lambada/test.jsonl", "{\"text\": \"a b\"}\n")];
        let rows = read(&files, json!({"type": "lambadaDataset", "path": "opencompass/lambada"}));
        let expected = json!({"test": [{"text": "a b", "subdivision": "x_test", "idx": 0}]});
        assert_eq!(rows.unwrap(), Rows::from_json(&expected).unwrap());
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let path = "data/lambada/test.jsonl";
        let entry = || json!({"type": "lambadaDataset", "path": "opencompass/lambada"});
        for (files, entry, expected) in [
            (vec![], entry(), "there is no data/lambada/test.jsonl; looked in COMPASS_DATA_CACHE"),
            (vec![(path, "{}\n\n{}\n")], entry(), "test.jsonl, line 2: this line is blank"),
            (vec![(path, "{}\n{\n")], entry(), "test.jsonl, line 2: this line is not JSON"),
            (vec![(path, "{}\n[]\n")], entry(), "test.jsonl, line 2: expected an object"),
            (vec![], json!({"type": "lambadaDataset"}), "the data set has no path"),
            (
                vec![],
                json!({"type": "lambadaDataset", "path": "x", "nmae": "y"}),
                "unknown field 'nmae'",
            ),
        ] {
            let error = read(&files, entry).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
