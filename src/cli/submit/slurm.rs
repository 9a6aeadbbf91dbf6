//! A script that submits a job array and its merge to Slurm.

use super::job::{Job, filled};
use crate::{
    cli::args::{SbatchOption, SlurmArguments},
    run::shell_text,
};

/// The script, to be filled in.
const TEMPLATE: &str = include_str!("../../../deploy/slurm.sh");

/// The script of a job. `program` is what stands for `surprisal` where no container has it.
///
/// # Errors
/// The same is said by an option of ours and one of sbatch.
pub(super) fn script(
    job: &Job,
    arguments: &SlurmArguments,
    program: &str,
) -> anyhow::Result<String> {
    let own = &arguments.job;
    let of_merge = arguments.options.iter().filter(|option| !option.is_of_gpus());
    let merge_options = lines(&of_merge.map(directive).collect::<Vec<_>>());
    let mut of_task: Vec<String> = arguments.options.iter().map(directive).collect();
    let wanted = [
        ("gres", own.gpus.map(|gpus| format!("gpu:{gpus}"))),
        ("cpus-per-task", own.cpus.map(|cpus| cpus.to_string())),
        ("mem", own.memory.as_ref().map(|memory| memory.0.clone())),
        ("time", arguments.time.as_ref().map(|time| time.0.clone())),
    ];
    for (name, value) in wanted {
        let Some(value) = value else { continue };
        if arguments.options.iter().any(|option| option.name == name) {
            anyhow::bail!("{name} is said twice, as {value} and by --set {name}; leave one out");
        }
        of_task.push(format!("#SBATCH --{name}={value}"));
    }
    let command = |words: &[String], sees_gpus: bool| {
        let program = match &arguments.container {
            None => vec![program.to_owned()],
            Some(image) => {
                let mut words = vec!["apptainer".to_owned(), "exec".to_owned()];
                words.extend(sees_gpus.then(|| "--nv".to_owned()));
                words.extend([image.clone(), "surprisal".to_owned()]);
                words
            }
        };
        shell_text(&[program, words.to_vec()].concat())
    };
    Ok(filled(
        TEMPLATE,
        &[
            ("NAME", own.name.0.clone()),
            ("SHARDS", own.shards.to_string()),
            ("TASK_OPTIONS", lines(&of_task)),
            ("MERGE_OPTIONS", merge_options),
            ("RUN", command(&job.run, own.gpus.is_some())),
            ("MERGE", command(&job.merge, false)),
        ],
    ))
}

fn directive(option: &SbatchOption) -> String {
    let value = option.value.as_ref().map(|value| format!("={}", value.0));
    format!("#SBATCH --{}{}", option.name, value.unwrap_or_default())
}

/// Lines with their ends.
fn lines(directives: &[String]) -> String {
    directives.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
