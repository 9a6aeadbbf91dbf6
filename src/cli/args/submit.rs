//! Arguments of `submit`.

use std::str::FromStr;

use clap::{Args, Subcommand};

use super::{RunArguments, value::positive};
use crate::run::MOST_SHARDS;

/// Arguments of `submit`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SubmitArguments {
    /// To what.
    #[command(subcommand)]
    pub(in crate::cli) scheduler: SchedulerArguments,
}

/// What runs jobs on many machines.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SchedulerArguments {
    /// A job array with a task for each shard, and a merge that waits for it.
    Slurm(Box<SlurmArguments>),
    /// An indexed job with a pod for each shard, and a job that waits for them and merges.
    Kubernetes(Box<KubernetesArguments>),
}

/// Arguments of `submit slurm`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SlurmArguments {
    /// What is run.
    #[command(flatten)]
    pub(in crate::cli) job: JobArguments,
    /// Longest time of a task, in minutes or as H:MM:SS. One that is not done by then goes back into the queue, and on.
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) time: Option<TaskTime>,
    /// An option of sbatch, such as account=NAME or partition=NAME, for tasks and merge; those of GPUs are for tasks alone.
    /// May be given more than once.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub(in crate::cli) options: Vec<SbatchOption>,
    /// An image in which apptainer runs everything; with --gpus it sees the GPUs. Apptainer brings the home folder and
    /// the current one in.
    #[arg(long, value_name = "IMAGE")]
    pub(in crate::cli) container: Option<String>,
}

/// Arguments of `submit kubernetes`.
#[derive(Debug, Args)]
pub(in crate::cli) struct KubernetesArguments {
    /// What is run.
    #[command(flatten)]
    pub(in crate::cli) job: JobArguments,
    /// The image with the program `surprisal`.
    #[arg(long, value_name = "IMAGE")]
    pub(in crate::cli) image: SbatchValue,
    /// The persistent volume claim that configs, data, models and the working folder lie on; many pods write to it.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) claim: JobName,
    /// Where pods see the claim. They run in that folder: paths are relative to it.
    #[arg(long, value_name = "DIR", default_value = "/work")]
    pub(in crate::cli) mount: MountPath,
    /// Most pods at once; as many as shards without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) parallel: Option<usize>,
    /// Most minutes that the merge waits for the shards before it looks anew.
    #[arg(long, value_name = "MINUTES", value_parser = positive, default_value_t = 10_080)]
    pub(in crate::cli) wait: usize,
}

/// Arguments of both.
#[derive(Debug, Args)]
pub(in crate::cli) struct JobArguments {
    /// What each shard is a part of.
    #[command(flatten)]
    pub(in crate::cli) run: RunArguments,
    /// How many shards.
    #[arg(long, value_name = "N", value_parser = shards)]
    pub(in crate::cli) shards: usize,
    /// GPUs of a shard.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) gpus: Option<usize>,
    /// CPU cores of a shard.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) cpus: Option<usize>,
    /// Memory of a shard, as 64G.
    #[arg(long, value_name = "SIZE")]
    pub(in crate::cli) memory: Option<Memory>,
    /// What the jobs are called.
    #[arg(long, value_name = "NAME", default_value = "surprisal")]
    pub(in crate::cli) name: JobName,
    /// Print what would be submitted, and submit nothing.
    #[arg(long)]
    pub(in crate::cli) print: bool,
}

/// Memory, in words that both schedulers read.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Memory(pub(in crate::cli) String);

/// A name that both schedulers take.
#[derive(Clone, Debug)]
pub(in crate::cli) struct JobName(pub(in crate::cli) String);

/// Minutes, or hours, minutes and seconds.
#[derive(Clone, Debug)]
pub(in crate::cli) struct TaskTime(pub(in crate::cli) String);

/// A folder in a pod.
#[derive(Clone, Debug)]
pub(in crate::cli) struct MountPath(pub(in crate::cli) String);

/// A word of letters, digits and the signs that names have.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SbatchValue(pub(in crate::cli) String);

/// An option of sbatch.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SbatchOption {
    /// Its long name.
    pub(in crate::cli) name: String,
    /// Its value; nothing for a switch.
    pub(in crate::cli) value: Option<SbatchValue>,
}

/// Options that the job array is made of.
const TAKEN: [&str; 8] =
    ["array", "dependency", "job-name", "requeue", "no-requeue", "signal", "open-mode", "output"];

fn shards(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MOST_SHARDS).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MOST_SHARDS}")),
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix(['M', 'G', 'T']).and_then(|text| text.parse::<u32>().ok());
        match number {
            Some(number) if number > 0 => Ok(Self(text.to_owned())),
            _ => Err("expected a number with M, G or T, as 64G".to_owned()),
        }
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_letter = |own: u8| own.is_ascii_lowercase() || own.is_ascii_digit();
        let is_name = text.bytes().all(|own| is_letter(own) || own == b'-')
            && text.bytes().next().is_some_and(is_letter)
            && text.bytes().last().is_some_and(is_letter)
            && text.len() <= 40;
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        Err("expected small letters, digits and - between them, at most 40".to_owned())
    }
}

impl FromStr for SbatchValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |own: u8| own.is_ascii_alphanumeric() || b"-_./:,=+@%*[]".contains(&own);
        if !text.is_empty() && text.bytes().all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        Err("expected a word of letters, digits and -_./:,=+@%*[]".to_owned())
    }
}

impl FromStr for TaskTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Option<Vec<u64>> = text.split(':').map(|own| own.parse().ok()).collect();
        let seconds = match parts.as_deref() {
            Some([minutes]) => minutes.checked_mul(60),
            Some([hours, minutes @ 0..60, seconds @ 0..60]) => {
                hours.checked_mul(3600).map(|own| own + minutes * 60 + seconds)
            }
            _ => None,
        };
        match seconds {
            // A minute before its end a task is told to keep what it has.
            Some(120..) => Ok(Self(text.to_owned())),
            Some(_) => Err("expected at least two minutes".to_owned()),
            None => {
                Err("expected minutes, as 90, or hours, minutes and seconds, as 1:30:00".to_owned())
            }
        }
    }
}

impl FromStr for MountPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('/') && !text.contains([':', '\n']) {
            return Ok(Self(text.to_owned()));
        }
        Err("expected a folder from / on, without a colon".to_owned())
    }
}

impl SbatchOption {
    /// Whether it asks for GPUs, which a merge does not need.
    pub(in crate::cli) fn is_of_gpus(&self) -> bool {
        self.name.starts_with("gpu") || self.name == "gres"
    }
}

impl FromStr for SbatchOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.parse()?)),
            None => (text, None),
        };
        let is_name = !name.is_empty()
            && !name.starts_with('-')
            && name.bytes().all(|own| own.is_ascii_lowercase() || own == b'-');
        if !is_name {
            return Err("expected the long name of an option of sbatch, as account=NAME".to_owned());
        }
        if TAKEN.contains(&name) {
            return Err(format!(
                "the job array has its own {name}; --print writes it, to be edited"
            ));
        }
        Ok(Self { name: name.to_owned(), value })
    }
}
