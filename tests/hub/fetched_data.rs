//! A folder in which data are fetched: a config, a table of archives, and the folder of all data.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use md5::{Digest as _, Md5};

use super::{
    setting::Setting,
    zip_file::{Member, zip},
};

/// A data set of the class `CLASS` at `PATH`.
const CONFIG: &str = r"
datasets = [dict(abbr='words', type='CLASS', path='PATH',
    reader_cfg=dict(input_columns=['text'], output_column=None, train_split='test'),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{text}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLOnlyInferencer')),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))]
";

/// The rows of the archive.
pub(crate) const ROWS: &str = "{\"text\": \"the cat sat\"}\n";

/// A hub that has an archive, and a folder with a config that needs it.
pub(crate) struct FetchedData {
    pub(crate) setting: Setting,
}

/// Exit code, stdout and stderr.
pub(crate) type Said = (Option<i32>, String, String);

impl FetchedData {
    /// An archive of these members, and the config of a class that reads it.
    pub(crate) fn new(members: &[Member]) -> Self {
        Self::of_bytes(&zip(members))
    }

    /// The same with an archive of these bytes.
    pub(crate) fn of_bytes(archive: &[u8]) -> Self {
        let data = Self { setting: Setting::new() };
        data.config("lambadaDataset", "opencompass/lambada");
        let url = data.setting.hub.archive("lambada.zip", archive);
        data.table(&url, archive);
        data
    }

    /// An archive with the rows.
    pub(crate) fn usual() -> Self {
        Self::new(&[Member::new("lambada/test.jsonl", ROWS)])
    }

    /// Writes the config.
    pub(crate) fn config(&self, class: &str, path: &str) {
        let text = CONFIG.replace("CLASS", class).replace("PATH", path);
        fs::write(self.setting.folder().join("config.py"), text).unwrap();
    }

    /// Lets the table say where the archive is, and which md5 it has.
    pub(crate) fn table(&self, url: &str, archive: &[u8]) {
        let bytes = Md5::digest(archive);
        let md5 = bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let table = serde_json::json!({"/lambada/": {"url": url, "md5": md5}});
        let file = self.setting.folder().join(".OPENCOMPASS_INTERNAL_DATA_URL.json");
        fs::write(file, table.to_string()).unwrap();
    }

    /// A place below the folder `data`.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.setting.folder().join("cache/data").join(name)
    }

    /// The built binary in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.setting.command(arguments);
        command.env("HOME", self.setting.folder()).env("COMPASS_DATA_CACHE", "cache");
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        said(&self.command(arguments).output().unwrap())
    }

    /// Fetches what the config needs.
    pub(crate) fn fetch(&self) -> Said {
        self.run(&["fetch", "config.py", "--yes"])
    }

    /// Requests for the content of the archive until now, with the range of each.
    pub(crate) fn downloads(&self) -> Vec<Option<String>> {
        let seen = self.setting.hub.seen();
        let of_archive = seen.into_iter().filter(|seen| seen.line.starts_with("GET /archives/"));
        of_archive.map(|seen| seen.range).collect()
    }

    /// What is left of unfinished work.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let entries = fs::read_dir(self.place(".fetch")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name != "lambada.zip.lock").collect()
    }
}

/// What a process said.
pub(crate) fn said(output: &Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}
