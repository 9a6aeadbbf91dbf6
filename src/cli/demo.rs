//! `surprisal demo`: the configs that ship with the program on the model that ships with it, from any folder.

use std::{path::Path, process::ExitCode};

use super::{
    args::{CompareArguments, FileArguments, RunArguments, RunOptions, TaskArguments},
    compare,
    output::talk,
    run,
};
use crate::{shipped, statistics::Resampling};

/// One data set of each kind.
const CONFIG: &str = "configs/demo.py";

/// Six wordings of one data set.
const VARIANTS: &str = "configs/variants/choices.py";

/// Runs the demo, and ends with the comparison of wordings and what to try next unless JSON or some data sets are wanted.
pub(super) fn demo(options: RunOptions) -> anyhow::Result<ExitCode> {
    let folder = shipped::unpacked()?;
    let is_whole = !options.json && options.asking.datasets.is_empty();
    let arguments = RunArguments {
        configs: vec![folder.join(CONFIG)],
        tasks: TaskArguments::default(),
        options,
        file: FileArguments::default(),
        print_config: false,
        shard: None,
        models: Vec::new(),
    };
    let progress = run::start(&arguments.options.asking)?;
    let code = run::run_with(&arguments, &progress)?;
    if !is_whole || code != ExitCode::SUCCESS {
        return Ok(code);
    }
    talk(&format!("\nwhich wording is better: {VARIANTS}"));
    let Resampling { resamples, seed } = Resampling::default();
    let arguments = CompareArguments {
        names: vec![folder.join(VARIANTS).display().to_string()],
        tasks: TaskArguments::default(),
        shots: None,
        by: None,
        metric: None,
        cluster: None,
        flips: None,
        resamples,
        seed,
        json: false,
        asking: arguments.options.asking,
        models: Vec::new(),
    };
    let code = compare::compare_with(&arguments, &progress)?;
    talk(&next(&folder));
    Ok(code)
}

/// What to try next: commands that can be typed as they are, in the same folder.
fn next(folder: &Path) -> String {
    format!(
        "\nwhat to try next:
  surprisal view {CONFIG} --dataset sums_chat  # what the model reads
  surprisal init             # writes quiz.jsonl and quiz.py, to be changed
  surprisal run quiz.py      # asks, scores, writes a page for a browser
  surprisal list benchmarks  # ready configs, such as mmlu
and your own file on your own model: surprisal run FILE.jsonl --model FOLDER
all that ran here lies in {}",
        folder.display()
    )
}
