//! Which files of a repository or a folder are which split, by the conventions of the hub.
//!
//! In this order: what the config says (`data_files`), what the card says, and the names of the files
//! as the `datasets` library reads them: `NAME/test-00000-of-00002.parquet`, `test.jsonl`,
//! `data/my_dev_set.csv`, and everything for training where no name tells a split.

use fancy_regex::{Regex, escape};
use indexmap::IndexMap;
use serde_json::Value;

use super::{
    card::{CardConfig, card_configs, split_patterns},
    file_name::{file_name, meant_split, shard, stem, told_split},
    source::format_of,
};

/// The files of each split, sorted.
pub(super) type SplitFiles = IndexMap<String, Vec<String>>;

/// JSON files that hold no rows.
const WITHOUT_ROWS: &[&str] =
    &["dataset_infos.json", "dataset_info.json", "state.json", "config.json"];

/// Which table of several is wanted, as the entry of a data set says it.
#[derive(Clone, Debug, Default)]
pub struct TableChoice {
    /// `name`: a config of the card, or a folder.
    pub name: Option<String>,
    /// `data_dir`: a folder.
    pub data_dir: Option<String>,
    /// `data_files`: splits and patterns of their files.
    pub data_files: Vec<(String, Vec<String>)>,
    /// `split`: the only split that is wanted, as one table.
    pub split: Option<String>,
}

impl TableChoice {
    /// Reads the fields of a data set's entry; `data_files` may have any shape that `datasets.load_dataset` takes.
    pub fn new(
        name: Option<String>,
        data_dir: Option<String>,
        data_files: Option<&Value>,
        split: Option<String>,
    ) -> Result<Self, String> {
        if let Some(split) = split.as_ref().filter(|split| split.contains(['[', '+', '%'])) {
            return Err(format!(
                "split='{split}' takes part of a split or joins several; name one split, and rows by test_range"
            ));
        }
        let data_files = data_files.map_or(Some(Vec::new()), split_patterns);
        let data_files = data_files
            .ok_or("data_files must be a pattern, a list of them or a map from splits")?;
        Ok(Self { name, data_dir, data_files, split })
    }

    /// The splits to look for: the only one, or all that a reader asks for.
    pub(super) fn wanted<'a>(&'a self, splits: &[&'a str]) -> Vec<&'a str> {
        self.split.as_deref().map_or_else(|| splits.to_vec(), |only| vec![only])
    }

    /// Whether nothing is chosen.
    pub(super) fn is_none(&self) -> bool {
        let Self { name, data_dir, data_files, split } = self;
        name.is_none() && data_dir.is_none() && data_files.is_empty() && split.is_none()
    }
}

/// The files of one repository or folder.
pub(super) struct Layout<'a> {
    /// Files with rows.
    files: Vec<&'a str>,
    configs: Vec<CardConfig>,
}

impl<'a> Layout<'a> {
    /// The files at these paths, and what the card says about them.
    pub(super) fn new(paths: &'a [String], card: Option<&str>) -> Result<Self, String> {
        let configs = card.map_or(Ok(Vec::new()), card_configs)?;
        let has_rows = |path: &&str| {
            let hidden = path.split('/').any(|part| part.starts_with(['.', '_']));
            !hidden && format_of(path).is_some() && !WITHOUT_ROWS.contains(&file_name(path))
        };
        Ok(Self { files: paths.iter().map(String::as_str).filter(has_rows).collect(), configs })
    }

    /// Whether the files that a choice picks would be the same if there were others: their names say
    /// how many there are, and a name or the folder that they belong together.
    pub(super) fn is_certain(&self, choice: &TableChoice, found: &SplitFiles) -> bool {
        let is_alone = |split: &str, files: &[String]| match files {
            [only] => stem(only) == split,
            _ => false,
        };
        let in_one_place = |path: &String| matches!(path.split_once('/'), None | Some(("data", _)));
        choice.data_files.is_empty()
            && found.iter().all(|(split, files)| {
                is_alone(split, files) || files.iter().all(|path| shard(path).is_some())
            })
            && (choice.name.is_some()
                || !self.configs.is_empty()
                || found.values().flatten().all(in_one_place))
    }

    /// The files of the wanted splits, as far as there are any.
    pub(super) fn splits(
        &self,
        choice: &TableChoice,
        wanted: &[&str],
    ) -> Result<SplitFiles, String> {
        let config = self.config(choice.name.as_deref())?;
        let (mut root, mut splits) = (String::new(), choice.data_files.as_slice());
        if let Some(config) = config {
            root.extend(config.data_dir.as_deref().map(folder));
            if splits.is_empty() {
                splits = &config.splits;
            }
        } else if let Some(name) = &choice.name {
            let named = folder(name);
            if self.files.iter().any(|path| path.starts_with(&named)) {
                root = named;
            } else if splits.is_empty() {
                return Err(format!("there is no config or folder `{name}`{}", self.folders()));
            }
        }
        if let Some(wanted) = &choice.data_dir {
            root = folder(wanted);
        }
        let mut found = SplitFiles::new();
        for &split in wanted {
            let files = if splits.is_empty() {
                self.named(&root, split)?
            } else {
                let patterns = splits.iter().filter(|(name, _)| name == split);
                self.matching(&root, patterns.flat_map(|(_, patterns)| patterns))?
            };
            if !files.is_empty() {
                whole(split, &files)?;
                found.insert(split.to_owned(), files.into_iter().map(str::to_owned).collect());
            }
        }
        Ok(found)
    }

    /// The config of the card that is meant; none if the card has none, or a folder is meant.
    fn config(&self, name: Option<&str>) -> Result<Option<&CardConfig>, String> {
        let names = || {
            self.configs.iter().map(|config| config.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        match (name, self.configs.as_slice()) {
            (_, []) => Ok(None),
            (Some(name), configs) => {
                let found = configs.iter().find(|config| config.name == name);
                let is_folder = self.files.iter().any(|path| path.starts_with(&folder(name)));
                if found.is_none() && !is_folder {
                    return Err(format!("there is no config `{name}`; there are {}", names()));
                }
                Ok(found)
            }
            (None, [only]) => Ok(Some(only)),
            (None, configs) => configs
                .iter()
                .find(|config| config.is_default)
                .or_else(|| configs.iter().find(|config| config.name == "default"))
                .map(Some)
                .ok_or_else(|| format!("name one of its configs with name='…': {}", names())),
        }
    }

    /// The files that patterns mean.
    fn matching<'b>(
        &self,
        root: &str,
        patterns: impl Iterator<Item = &'b String>,
    ) -> Result<Vec<&'a str>, String> {
        let mut files: Vec<&str> = Vec::new();
        for pattern in patterns {
            let written = pattern.strip_prefix("./").unwrap_or(pattern);
            let regex = glob(&format!("{root}{written}"))
                .ok_or_else(|| format!("`{pattern}` is no pattern of files"))?;
            let found = self.files.iter().filter(|path| regex.is_match(path).unwrap_or(false));
            files.extend(found);
        }
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// The files whose names tell the split, by the surest sign that any of them bears.
    fn named(&self, root: &str, split: &str) -> Result<Vec<&'a str>, String> {
        let below: Vec<&'a str> =
            self.files.iter().copied().filter(|path| path.starts_with(root)).collect();
        let with = |is: &dyn Fn(&str) -> bool| -> Vec<&'a str> {
            let rest = |path: &&str| is(path.get(root.len()..).unwrap_or_default());
            below.iter().copied().filter(rest).collect()
        };
        let meaning = meant_split(split);
        let signs: [&dyn Fn(&str) -> bool; 4] = [
            &|path| shard(path).is_some_and(|(name, ..)| name == split),
            &|path| stem(path) == split,
            &|path| meaning.is_some() && told_split(path) == meaning,
            &|path| split == "train" && told_split(path).is_none(),
        ];
        for (number, sign) in signs.into_iter().enumerate() {
            let files = with(sign);
            let nothing_told = || with(&|path| told_split(path).is_some()).is_empty();
            if files.is_empty() || number == 3 && !nothing_told() {
                continue;
            }
            let formats: Vec<_> =
                files.iter().filter_map(|path| format_of(path)).map(|(ending, _)| ending).collect();
            let parents: Vec<_> =
                files.iter().map(|path| path.rsplit_once('/').map(|(parent, _)| parent)).collect();
            if formats.windows(2).any(|pair| pair.first() != pair.last()) {
                return Err(format!(
                    "the split `{split}` is there in several formats ({}); name its files with data_files",
                    files.join(", ")
                ));
            }
            if number < 2 && parents.windows(2).any(|pair| pair.first() != pair.last()) {
                return Err(format!(
                    "several folders hold the split `{split}`; name one with name='…'{}",
                    self.folders()
                ));
            }
            return Ok(files);
        }
        Ok(Vec::new())
    }

    /// The folders with rows, for messages.
    fn folders(&self) -> String {
        let mut folders: Vec<&str> = self
            .files
            .iter()
            .filter_map(|path| path.rsplit_once('/'))
            .map(|(folder, _)| folder)
            .collect();
        folders.sort_unstable();
        folders.dedup();
        if folders.is_empty() {
            String::new()
        } else {
            format!("; there are {}", folders.join(", "))
        }
    }
}

/// A folder as the beginning of a path.
fn folder(name: &str) -> String {
    let name = name.trim_start_matches("./").trim_matches('/');
    if name.is_empty() { String::new() } else { format!("{name}/") }
}

/// Every shard of a split must be there.
fn whole(split: &str, files: &[&str]) -> Result<(), String> {
    let shards: Vec<_> = files.iter().filter_map(|path| shard(path)).collect();
    let Some(&(_, _, count)) = shards.first() else { return Ok(()) };
    if shards.len() < count && shards.iter().all(|(.., other)| *other == count) {
        return Err(format!(
            "of the {count} files of split `{split}` only {} are there",
            shards.len()
        ));
    }
    Ok(())
}

/// A pattern of paths: `*` within a name, `**` through folders, `?` and `[…]` for a character.
fn glob(pattern: &str) -> Option<Regex> {
    let escaped = escape(pattern)
        .replace(r"\*\*/", "(?:.*/)?")
        .replace(r"\*\*", ".*")
        .replace(r"\*", "[^/]*")
        .replace(r"\?", "[^/]")
        .replace(r"\[", "[")
        .replace(r"\]", "]");
    Regex::new(&format!("^{escaped}$")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of the wanted splits, or what is wrong.
    fn found(paths: &[&str], card: Option<&str>, choice: &TableChoice, wanted: &[&str]) -> String {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let layout = Layout::new(&paths, card).unwrap();
        match layout.splits(choice, wanted) {
            Ok(splits) => splits
                .iter()
                .map(|(split, files)| format!("{split}={}", files.join(",")))
                .collect::<Vec<_>>()
                .join(" "),
            Err(problem) => problem,
        }
    }

    fn named(name: &str) -> TableChoice {
        TableChoice { name: Some(name.to_owned()), ..TableChoice::default() }
    }

    #[test]
    fn names_of_files_tell_their_split() {
        let both = ["train", "test"];
        for (paths, expected) in [
            (
                &[
                    "README.md",
                    "data/test-00000-of-00001.parquet",
                    "data/train-00000-of-00002.parquet",
                    "data/train-00001-of-00002.parquet",
                ][..],
                "train=data/train-00000-of-00002.parquet,data/train-00001-of-00002.parquet test=data/test-00000-of-00001.parquet",
            ),
            (
                &["dataset_infos.json", "test.jsonl", "train.jsonl"],
                "train=train.jsonl test=test.jsonl",
            ),
            (
                &["my-training_set.csv", "sub/eval/rows.csv"],
                "train=my-training_set.csv test=sub/eval/rows.csv",
            ),
            (&["a.jsonl", "b.jsonl"], "train=a.jsonl,b.jsonl"),
            (&["latest.jsonl"], "train=latest.jsonl"),
            (
                &["test.csv", "test.parquet"],
                "the split `test` is there in several formats (test.csv, test.parquet); name its files with data_files",
            ),
            (&["train-00000-of-00002.parquet"], "of the 2 files of split `train` only 1 are there"),
            (
                &["a/test-00000-of-00001.parquet", "b/test-00000-of-00001.parquet"],
                "several folders hold the split `test`; name one with name='…'; there are a, b",
            ),
        ] {
            assert_eq!(found(paths, None, &TableChoice::default(), &both), expected);
        }
        let dev = found(
            &["dev.csv", "auxiliary_train.csv"],
            None,
            &TableChoice::default(),
            &["validation", "auxiliary_train"],
        );
        assert_eq!(dev, "validation=dev.csv auxiliary_train=auxiliary_train.csv");
    }

    #[test]
    fn a_name_picks_a_folder_or_a_config() {
        let paths = ["main/test-00000-of-00001.parquet", "socratic/test-00000-of-00001.parquet"];
        let one = "test=main/test-00000-of-00001.parquet";
        assert_eq!(found(&paths, None, &named("main"), &["test"]), one);
        let card = "---\nconfigs:\n- config_name: m\n  data_files:\n  - split: test\n    path: main/test-*\n- config_name: s\n  data_files: socratic/*\n---\n";
        assert_eq!(found(&paths, Some(card), &named("m"), &["train", "test"]), one);
        let other = found(&paths, Some(card), &TableChoice::default(), &["test"]);
        assert_eq!(other, "name one of its configs with name='…': m, s");
        assert_eq!(
            found(&paths, Some(card), &named("x"), &["test"]),
            "there is no config `x`; there are m, s"
        );
        assert_eq!(
            found(&paths, None, &named("x"), &["test"]),
            "there is no config or folder `x`; there are main, socratic"
        );
    }

    #[test]
    fn data_files_go_before_everything() {
        let paths = ["a/1.jsonl", "a/b/2.jsonl", "c.jsonl"];
        for (pattern, expected) in [
            ("a/*.jsonl", "test=a/1.jsonl"),
            ("**/*.jsonl", "test=a/1.jsonl,a/b/2.jsonl,c.jsonl"),
            ("./c.jsonl", "test=c.jsonl"),
            ("a/[0-9].jsonl", "test=a/1.jsonl"),
            ("[", "`[` is no pattern of files"),
        ] {
            let data_files = vec![("test".to_owned(), vec![pattern.to_owned()])];
            let choice = TableChoice { data_files, ..TableChoice::default() };
            assert_eq!(found(&paths, None, &choice, &["test"]), expected, "{pattern}");
        }
    }
}
