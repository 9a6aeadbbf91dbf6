//! Roles to be played: questions to a person, with what that person is like.

use std::path::Path;

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    drawn::shuffled,
    file::{Encoding, document, json_lines},
    row::{Fields, Flaw, Made, Row, row},
};
use crate::dataset::DatasetError;

/// The seed of its shuffle.
const SEED: u64 = 42;

pub(super) const NEW_INSTRUCTIONS: ClassForm =
    own(&["path"], |arguments| roles(arguments, "eng", "rolebench-eng/instruction-generalization"))
        .unnamed();

pub(super) const NEW_ROLES: ClassForm =
    own(&["path"], |arguments| roles(arguments, "eng", "rolebench-eng/role-generalization"))
        .unnamed();

pub(super) const NEW_INSTRUCTIONS_CN: ClassForm =
    own(&["path"], |arguments| roles(arguments, "zh", "rolebench-zh")).unnamed();

fn roles(arguments: &Arguments<'_>, language: &str, folder: &str) -> Result<Tables, DatasetError> {
    let path = arguments.path("path")?;
    let profiles = document(&path.join(format!("profiles-{language}")).join("desc.json"))?.value;
    let table = |split: &str| {
        let mut rows = Vec::new();
        for kind in ["general", "role_specific"] {
            let file = path.join(folder).join(kind).join(format!("{split}.jsonl"));
            rows.extend(asked(&file, &profiles)?);
        }
        Ok::<_, DatasetError>((split.to_owned().into(), shuffled(&rows, SEED)))
    };
    Ok(Tables::Splits(vec![table("train")?, table("test")?]))
}

/// The questions of a file, each with the profile of who is asked.
fn asked(file: &Path, profiles: &Value) -> Result<Vec<Row>, DatasetError> {
    let question = |line: &Value| -> Made<Row> {
        let role = line.text("role")?;
        let profile = profiles.step(role);
        let profile = profile.ok_or_else(|| Flaw(format!("desc.json knows no `{role}`")))?;
        Ok(row([
            ("role", role.into()),
            ("desc", profile.clone()),
            ("question", line.at("question")?.clone()),
            ("answer", line.at("generated.0")?.clone()),
        ]))
    };
    json_lines(file, Encoding::Strict)?.iter().map(|line| line.make(question)).collect()
}
