//! `surprisal init`: a commented config for one's own file, or an example to change.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use super::{args::InitArguments, output::talk};
use crate::{
    config::Node,
    dataset::is_table,
    starter::{Starter, refuse_existing, write_example},
};

/// What the name of a config ends in.
const ENDING: &str = "py";

/// Writes the config, and the example's rows where no file is named.
pub(super) fn init(arguments: &InitArguments) -> anyhow::Result<ExitCode> {
    let place = arguments.place.as_deref().unwrap_or(Path::new(""));
    let model = arguments.model.as_deref();
    let is_file = is_table(place) || place.is_file();
    anyhow::ensure!(
        is_file || place.is_dir() || place.extension().is_none(),
        "{} is not here; a file of rows ends in .jsonl, .json, .csv, .tsv or .parquet, and a folder for an example has no ending",
        place.display()
    );
    let config = arguments.output.clone().unwrap_or_else(|| config_of(place, is_file));
    let mut about = arguments.file.fields_for(arguments.place.as_slice(), false)?;
    if is_file {
        return write(place, &about, model, &config);
    }
    refuse_existing(&config, "name another folder, as in surprisal init my_quiz")?;
    let file = write_example(place)?;
    talk(&format!("{}: questions to try things out with", file.display()));
    about.set("infer_method", Node::from_json(&serde_json::json!("ppl")));
    write(&file, &about, model, &config)
}

/// The config's own name: the file's in the current folder, or the example's in its folder.
fn config_of(place: &Path, is_file: bool) -> PathBuf {
    let file = if is_file { place.to_owned() } else { place.join(crate::starter::EXAMPLE) };
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("config");
    let folder = if is_file { Path::new("") } else { place };
    folder.join(stem).with_added_extension(ENDING)
}

fn write(
    file: &Path,
    about: &Node,
    model: Option<&Path>,
    config: &Path,
) -> anyhow::Result<ExitCode> {
    let starter = Starter::of_file(file, about, model)?;
    talk(&format!("{}: {}", file.display(), starter.assumed));
    let runs_on = match model {
        Some(_) => String::new(),
        None => ", on the small model that ships with the program until you name yours".to_owned(),
    };
    starter.write(config)?;
    let config = config.display();
    talk(&format!("{config}: the config{runs_on}"));
    talk(&format!("\nwhat to try next:\n  surprisal view {config}\n  surprisal run {config}"));
    Ok(ExitCode::SUCCESS)
}
