//! A kept run beside what was named: which data set is compared with which, and each comparison.

use std::path::Path;

use serde::Serialize;

use super::{
    DiffError, DiffReport,
    given::{self, Given, predictions_file, predictions_in, short_name, stem, text_of},
    kept_side::kept_side,
    lm_eval_side, opencompass_side,
    side::{Side, SideFormat},
    token_ids::tokenizer_at,
};
use crate::{
    config,
    kept_run::{
        find,
        run::{KeptRun, KeptUnit},
    },
    model::Tokenizer,
    prepare::Progress,
    store::{RunFolder, file_name},
};

/// What is compared, and how.
#[derive(Clone, Copy)]
pub struct DiffOptions<'a> {
    /// Whether a data set, by its abbr, is wanted.
    pub is_wanted: &'a dyn Fn(&str) -> bool,
    /// The model of the run, by its abbr, where it has several.
    pub model: Option<&'a str>,
    /// The filter of lm-eval's samples; without it the first.
    pub filter: Option<&'a str>,
    /// Log-likelihoods that are further apart differ, in nats.
    pub tolerance: f64,
}

/// Every data set that both have.
#[derive(Clone, Debug, Serialize)]
pub struct RunDiff {
    /// The run.
    pub run: String,
    /// What it is compared with.
    pub other: String,
    /// Whether all agree.
    pub agree: bool,
    /// In the order of the run.
    pub reports: Vec<DiffReport>,
    /// Data sets that only one side has.
    pub notes: Vec<String>,
}

/// Compares a kept run of a working folder, by its name or `latest`, with what `other` names.
pub fn diff(
    work_dir: &Path,
    run: &str,
    other: &str,
    options: DiffOptions<'_>,
    progress: &dyn Progress,
) -> Result<RunDiff, DiffError> {
    let given = Given::of(other)?;
    let attempt = || match attempt(work_dir, [run, other], &given, options, progress) {
        Err(DiffError::Run(error)) => Err(error),
        done => Ok(done),
    };
    find::mended(work_dir, progress, attempt)?
}

fn attempt(
    work_dir: &Path,
    [name, other]: [&str; 2],
    given: &Given,
    options: DiffOptions<'_>,
    progress: &dyn Progress,
) -> Result<RunDiff, DiffError> {
    let run = KeptRun::open(work_dir, name, progress)?;
    let units = wanted_units(&run, options)?;
    let mut found = RunDiff {
        run: run.name.clone(),
        other: other.to_owned(),
        agree: false,
        reports: Vec::new(),
        notes: Vec::new(),
    };
    let side = |unit: &KeptUnit| kept_side(&run, unit, given.format());
    let mut add = |unit: &KeptUnit, right: &Side| -> Result<(), DiffError> {
        let tokenizer = || tokenizer_of(&run, unit, work_dir);
        let names = [unit.facts.dataset.as_str(), unit.facts.model.as_str()];
        let left = side(unit)?;
        found.reports.push(DiffReport::of(names, &left, right, options.tolerance, &tokenizer));
        Ok(())
    };
    match given {
        Given::LmEval(files) => {
            for (task, path) in files {
                let own: Vec<&&KeptUnit> =
                    units.iter().filter(|unit| unit.facts.dataset == *task).collect();
                let unit = match (own.as_slice(), units.as_slice(), files.len()) {
                    ([unit], ..) => **unit,
                    ([], [unit], 1) => *unit,
                    // A folder may have more tasks than the run.
                    ([], _, 2..) => continue,
                    _ => return Err(which(&run, &units, &short_name(path))),
                };
                let text = text_of(path)?;
                let mut side = lm_eval_side(&text, &short_name(path), options.filter)?;
                side.settings = given::settings_beside(path).unwrap_or_default();
                add(unit, &side)?;
            }
        }
        Given::Predictions(file) => {
            let model = file.parent().map(short_name).unwrap_or_default();
            let is_named = |unit: &&&KeptUnit| {
                file_name(&unit.facts.dataset) == stem(file)
                    && (file_name(&unit.facts.model) == model || options.model.is_some())
            };
            let named: Vec<&&KeptUnit> = units.iter().filter(is_named).collect();
            let of_dataset: Vec<&&KeptUnit> =
                units.iter().filter(|unit| file_name(&unit.facts.dataset) == stem(file)).collect();
            let unit = match (named.as_slice(), of_dataset.as_slice(), units.as_slice()) {
                ([unit], ..) | ([], [unit], _) => **unit,
                ([], [], [unit]) => *unit,
                _ => return Err(which(&run, &units, &short_name(file))),
            };
            add(unit, &of_predictions(&predictions_file(file)?)?)?;
        }
        Given::PredictionsFolder(folder) => {
            let is_only_model =
                units.windows(2).all(|two| two[0].facts.model == two[1].facts.model);
            for unit in &units {
                let names = [file_name(&unit.facts.model), file_name(&unit.facts.dataset)];
                let names = [names[0].as_str(), names[1].as_str()];
                match predictions_in(folder, names, is_only_model)? {
                    Some(file) => add(unit, &of_predictions(&file)?)?,
                    None => found.notes.push(format!(
                        "{other} has no predictions of {}/{}.json",
                        names[0], names[1]
                    )),
                }
            }
        }
        Given::Run(name) => {
            let right = KeptRun::open(work_dir, name, progress)?;
            let others = all_units(&right);
            for unit in &units {
                match counterpart(unit, &units, &others) {
                    Some(own) => add(unit, &kept_side(&right, own, SideFormat::KeptRun)?)?,
                    None => found.notes.push(format!(
                        "run {} has no data set {} under model {}, or several that may be meant",
                        right.name, unit.facts.dataset, unit.facts.model
                    )),
                }
            }
        }
    }
    if found.reports.is_empty() {
        return Err(match found.notes.as_slice() {
            [] => which(&run, &units, other),
            notes => DiffError::Choice { what: notes.join("\n") },
        });
    }
    found.agree = found.reports.iter().all(|report| report.agree);
    Ok(found)
}

/// The unit of another run that is the same data set under the same model; under another model or name where there is only
/// one.
fn counterpart<'a>(
    unit: &KeptUnit,
    own: &[&KeptUnit],
    others: &[&'a KeptUnit],
) -> Option<&'a KeptUnit> {
    let of_dataset: Vec<&&KeptUnit> =
        others.iter().filter(|other| other.facts.dataset == unit.facts.dataset).collect();
    let same = of_dataset.iter().find(|other| other.facts.model == unit.facts.model);
    match (same, of_dataset.as_slice(), own, others) {
        (Some(same), ..) => Some(same),
        (None, [only], ..) => Some(only),
        (None, [], [_], [only]) => Some(only),
        _ => None,
    }
}

fn of_predictions(file: &given::PredictionsFile) -> Result<Side, DiffError> {
    opencompass_side(&file.parts, file.results.as_deref(), &file.name)
}

/// Data sets under models; not what a judge was asked.
fn all_units(run: &KeptRun) -> Vec<&KeptUnit> {
    run.units.iter().filter(|unit| unit.facts.judged.is_none()).collect()
}

fn wanted_units<'a>(
    run: &'a KeptRun,
    options: DiffOptions<'_>,
) -> Result<Vec<&'a KeptUnit>, DiffError> {
    let all = all_units(run);
    let is_wanted = |unit: &&&KeptUnit| {
        (options.is_wanted)(&unit.facts.dataset)
            && options.model.is_none_or(|model| unit.facts.model == model)
    };
    let wanted: Vec<&KeptUnit> = all.iter().filter(is_wanted).copied().collect();
    if wanted.is_empty() {
        return Err(DiffError::Choice {
            what: format!(
                "run {} has no such data set under such a model; it has {}",
                run.name,
                listed(&all)
            ),
        });
    }
    Ok(wanted)
}

/// It is not clear which data set is meant.
fn which(run: &KeptRun, units: &[&KeptUnit], meant: &str) -> DiffError {
    DiffError::Choice {
        what: format!(
            "which data set of run {} {meant} belongs to is not clear; the run has {}; name one with --dataset, and its model \
             with --model-name",
            run.name,
            listed(units)
        ),
    }
}

fn listed(units: &[&KeptUnit]) -> String {
    let name = |unit: &&KeptUnit| format!("{} under {}", unit.facts.dataset, unit.facts.model);
    units.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The tokenizer of a unit's model, where its checkpoint is still on this machine.
fn tokenizer_of(run: &KeptRun, unit: &KeptUnit, work_dir: &Path) -> Option<Tokenizer> {
    let folder = run.source_facts.folder.as_deref()?;
    let config = config::load(&RunFolder::of(work_dir, folder).config()).ok()?;
    let models = config.get("models")?.as_list()?;
    let text = |model: &config::Node, key: &str| {
        model.get(key).and_then(|own| own.as_str().map(str::to_owned))
    };
    let is_it = |model: &&config::Node| text(model, "abbr") == Some(unit.facts.model.clone());
    let path = text(models.iter().find(is_it)?, "path")?;
    tokenizer_at(Path::new(&path))
}
