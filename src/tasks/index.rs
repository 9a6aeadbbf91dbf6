//! Every task, group and tag of folders of task files, by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::{TaskError, place::task_files, task_file};
use crate::config::{functions::FunctionFiles, nearest};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A task in YAML.
    Task,
    /// A task that is a class of Python.
    Class,
    /// Several tasks and groups with figures of their own.
    Group,
    /// A word that tasks are marked with.
    Tag,
}

/// One name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it stands for.
    pub kind: Kind,
    /// Its file; a tag has none.
    pub path: Option<PathBuf>,
    /// The keys of the file and of those that it includes.
    pub(super) fields: Map<String, Value>,
    /// The tasks of a tag.
    pub(super) members: BTreeSet<String>,
}

/// Names with what they stand for, and files that are none of it.
#[derive(Debug)]
pub struct TaskIndex {
    entries: BTreeMap<String, Entry>,
    /// The functions that the files name.
    functions: FunctionFiles,
    /// Why files were passed over.
    pub passed_over: Vec<String>,
}

impl TaskIndex {
    /// Reads all `.yaml` files below a folder. Of two of one name the first counts; a file that is no task is passed over,
    /// and said.
    ///
    /// # Errors
    ///
    /// Where the folder is not there.
    pub fn read(folder: &Path) -> Result<Self, TaskError> {
        if !folder.is_dir() {
            return Err(TaskError::file(folder, "there is no folder of tasks"));
        }
        let read: Vec<_> =
            task_files(folder).into_par_iter().map(|file| (task_file::read(&file), file)).collect();
        let functions = FunctionFiles::new(folder);
        let mut index = Self { entries: BTreeMap::new(), functions, passed_over: Vec::new() };
        for (fields, path) in read {
            match fields {
                Ok(fields) => index.add(fields, path),
                Err(error) => index.passed_over.push(error.to_string()),
            }
        }
        Ok(index)
    }

    fn add(&mut self, fields: Map<String, Value>, path: PathBuf) {
        let kind = if fields.contains_key("class") {
            Kind::Class
        } else if fields.contains_key("group") {
            Kind::Group
        } else {
            Kind::Task
        };
        let name = fields.get(if kind == Kind::Group { "group" } else { "task" });
        let Some(name) = name.and_then(Value::as_str).map(str::to_owned) else {
            self.passed_over.push(format!("{}: it has neither task nor group", path.display()));
            return;
        };
        if let Some(first) = self.entries.get(&name).and_then(|entry| entry.path.as_ref()) {
            let what = format!("{}: '{name}' is that of {}", path.display(), first.display());
            self.passed_over.push(what);
            return;
        }
        if kind != Kind::Group {
            for tag in texts(fields.get("tag")) {
                let entry = self.entries.entry(tag.to_owned()).or_insert_with(|| Entry {
                    kind: Kind::Tag,
                    path: None,
                    fields: Map::new(),
                    members: BTreeSet::new(),
                });
                entry.members.insert(name.clone());
            }
        }
        let entry = Entry { kind, path: Some(path), fields, members: BTreeSet::new() };
        self.entries.insert(name, entry);
    }

    /// What a name stands for.
    ///
    /// # Errors
    ///
    /// Where it is not known: the name that is most like it.
    pub fn get(&self, name: &str) -> Result<&Entry, TaskError> {
        self.entries.get(name).ok_or_else(|| TaskError::Unknown {
            name: name.to_owned(),
            near: nearest(name, self.entries.keys().map(String::as_str)).map(str::to_owned),
            unread: self.passed_over.iter().filter(|own| own.contains(name)).cloned().collect(),
        })
    }

    /// The functions that the files of the folder name.
    pub fn functions(&self) -> &FunctionFiles {
        &self.functions
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// All names, sorted, with what they stand for.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry))
    }
}

/// A text, or the texts of a list.
pub(super) fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
