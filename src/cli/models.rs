//! `surprisal models`: which checkpoints can be read.

use std::process::ExitCode;

use serde_json::json;

use super::{args::ModelsArguments, print};
use crate::{
    model::{FILE_KINDS, architectures, families::FAMILIES},
    report::{Align, aligned_table},
};

/// Prints families and files.
pub(super) fn models(arguments: &ModelsArguments) -> anyhow::Result<ExitCode> {
    let families = FAMILIES.lines();
    if arguments.json {
        let families: Vec<_> = families
            .iter()
            .map(|family| {
                json!({
                    "model_type": family.name,
                    "architecture": family.aliases.join(", "),
                    "traits": family.about,
                })
            })
            .collect();
        let value = json!({
            "families": families,
            "gguf_architectures": architectures::names().collect::<Vec<_>>(),
            "files": FILE_KINDS,
        });
        print(&serde_json::to_string_pretty(&value)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let families: Vec<Vec<String>> = families
        .iter()
        .map(|family| {
            vec![family.name.to_owned(), family.aliases.join(", "), family.about.to_owned()]
        })
        .collect();
    let files: Vec<Vec<String>> = FILE_KINDS
        .iter()
        .map(|kind| vec![kind.files.join(", "), kind.content.to_owned()])
        .collect();
    let heading = ["model_type", "architecture", "what is special"].map(str::to_owned);
    print(&aligned_table(&heading, &families, &[Align::Left; 3]))?;
    let heading = ["files", "what is read"].map(str::to_owned);
    print(&format!("\n{}", aligned_table(&heading, &files, &[Align::Left; 2])))?;
    let names: Vec<&str> = architectures::names().collect();
    print(&format!("\narchitectures of GGUF files: {}", names.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
