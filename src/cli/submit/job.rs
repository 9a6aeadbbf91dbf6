//! What a job runs, and templates of jobs with it in the place of words between two `@`.

use anyhow::Context as _;

use crate::cli::{args::JobArguments, command_line::without};

/// Options of `submit` that have a value.
const VALUED: [&str; 13] = [
    "--shards",
    "--gpus",
    "--cpus",
    "--memory",
    "--name",
    "--time",
    "--set",
    "--container",
    "--image",
    "--claim",
    "--mount",
    "--parallel",
    "--wait",
];

/// Options of `submit` that have none.
const SWITCHES: [&str; 1] = ["--print"];

/// The commands of a job.
#[derive(Debug)]
pub(super) struct Job {
    /// The words behind the program's name for a shard, but for its number.
    pub(super) run: Vec<String>,
    /// The words behind the program's name for the merge.
    pub(super) merge: Vec<String>,
}

impl Job {
    /// Of what was typed, as `submit SCHEDULER …`.
    ///
    /// # Errors
    /// An option is about results, which shards have none of; or a word holds what a job's file cannot hold.
    pub(super) fn new(
        scheduler: &str,
        arguments: &JobArguments,
        typed: impl Iterator<Item = String>,
    ) -> anyhow::Result<Self> {
        let options = &arguments.run.options;
        let about_results = [
            ("--print-config", arguments.run.print_config),
            ("--all", options.all),
            ("--json", options.json),
            ("--format", options.format.is_some()),
        ];
        if let Some((name, _)) = about_results.into_iter().find(|(_, is_typed)| *is_typed) {
            anyhow::bail!(
                "{name} is about results, and the merge makes them; leave it out, and read them with `surprisal runs` and \
                 `surprisal report`"
            );
        }
        if arguments.run.shard.is_some() {
            anyhow::bail!("--shard is what each job gets of its own; leave it out");
        }
        let mut run = without(typed.skip(1), &VALUED, &SWITCHES);
        let place = run.iter().position(|word| word == "submit");
        let place = place.context("submit is not among what was typed")?;
        "run".clone_into(&mut run[place]);
        if let Some(scheduler) = run.iter().skip(place).position(|word| word == scheduler) {
            run.remove(place + scheduler);
        }
        let folder = options.asking.work_dir.to_str();
        let folder = folder.context("the name of the working folder is not UTF-8")?;
        let merge = vec!["merge".to_owned(), folder.to_owned()];
        if let Some(word) = run.iter().find(|word| word.contains(char::is_control)) {
            anyhow::bail!("{word:?} holds a character that cannot stand in a job's file");
        }
        Ok(Self { run, merge })
    }
}

/// A template with values in the place of their names.
pub(super) fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    // In one pass: a value may hold what looks like a name.
    while let Some(begin) = rest.find('@') {
        let (before, from) = rest.split_at(begin);
        text.push_str(before);
        let found = values.iter().find_map(|(name, value)| {
            let behind = from[1..].strip_prefix(name)?.strip_prefix('@')?;
            Some((value, behind))
        });
        if let Some((value, behind)) = found {
            text.push_str(value);
            rest = behind;
        } else {
            text.push('@');
            rest = &from[1..];
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn values_are_not_looked_into() {
        let values = [("A", "@B@".to_owned()), ("B", "2".to_owned())];
        assert_eq!(filled("@A@ @B@ USR1@60 @C@ a@B", &values), "@B@ 2 USR1@60 @C@ a@B");
    }
}
