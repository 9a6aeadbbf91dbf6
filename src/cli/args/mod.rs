//! What was typed.

mod answer;
mod compare;
mod diff;
mod engine;
mod fetch;
mod file;
mod init;
mod kept_run;
mod look;
mod measure;
mod milvus;
mod run;
mod search;
mod serve;
mod served_bench;
mod shards;
mod shell;
mod submit;
mod tasks;
mod value;
mod vary;

use clap::{Parser, Subcommand};

pub(super) use answer::AnswerArguments;
pub(super) use compare::CompareArguments;
pub(super) use diff::DiffArguments;
pub(super) use fetch::FetchArguments;
pub(super) use file::FileArguments;
pub(super) use init::InitArguments;
pub(super) use kept_run::{EvaluateArguments, ExportArguments, ReportArguments, RunsArguments};
pub(super) use look::{
    ChatTemplateArguments, ConfigArguments, InspectArguments, ListArguments, ModelsArguments,
    ViewArguments,
};
pub(super) use measure::{BenchArguments, CompareModelsArguments, SelftestArguments};
pub(super) use milvus::MilvusArguments;
pub(super) use run::{AskingOptions, CheckArguments, RunArguments, RunOptions};
pub(super) use search::{SearchArguments, SearchBy, SearchIndex};
pub(super) use serve::ServeArguments;
pub(super) use served_bench::ServedApi;
pub(super) use shards::MergeArguments;
pub(super) use shell::{CompletionsArguments, ManArguments};
pub(super) use submit::{
    JobArguments, KubernetesArguments, SbatchOption, SchedulerArguments, SlurmArguments,
    SubmitArguments,
};
pub(super) use tasks::TaskArguments;
pub(super) use vary::VaryArguments;

/// Evaluates local language models by perplexity and by generation.
#[derive(Debug, Parser)]
#[command(name = "surprisal", version, about, long_about = None)]
pub(in crate::cli) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(in crate::cli) command: Command,
    /// Take weights from a hub that tells no sha256 of them.
    #[arg(long, global = true)]
    pub(in crate::cli) allow_unverified: bool,
    /// Fetch images that rows and messages name by an address (http or https), for models here. Without it such an address is
    /// refused.
    #[arg(long, global = true)]
    pub(in crate::cli) allow_download: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Run the data sets of configs on their models and print the scores.
    Run(RunArguments),
    /// Make the run of its shards: no weights, no device.
    Merge(MergeArguments),
    /// Hand the shards of a run, and their merge, to Slurm or Kubernetes.
    Submit(SubmitArguments),
    /// Answer requests that another program made: log-likelihoods and continuations, all together.
    Answer(AnswerArguments),
    /// Answer requests over HTTP, as OpenAI's API has them: completions, chats, scores of given text.
    Serve(ServeArguments),
    /// List the runs of a working folder.
    Runs(RunsArguments),
    /// Score a run again with another metric, post-processor or rule: no weights, no data files.
    Evaluate(EvaluateArguments),
    /// Compare wordings, models, rules or runs on the same samples: which is better, by how much, and is it real.
    Compare(CompareArguments),
    /// Say where a run and the samples of lm-eval, OpenCompass or another run part, and the likeliest cause.
    Diff(DiffArguments),
    /// Try formats that mean the same: how far the figure moves, what moves it, and which format is best.
    Vary(VaryArguments),
    /// Write a run as a flat table: samples, candidates or tokens, for pandas, Polars or DuckDB.
    Export(ExportArguments),
    /// Write runs as a page to look at in a browser: figures, samples, and what each token cost.
    Report(ReportArguments),
    /// Do everything that a run does before it reads weights, and say what it would compute.
    Check(CheckArguments),
    /// Get the data that configs read and is not here, after saying how much that is and where it goes.
    Fetch(FetchArguments),
    /// Show the prompts that a config makes, without loading weights.
    View(ViewArguments),
    /// Write conversations as the text that a chat model reads.
    ChatTemplate(ChatTemplateArguments),
    /// Print what a config evaluates to.
    Config(ConfigArguments),
    /// Find passages of a corpus by words, vectors or both, and say how well queries find what they should.
    Search(SearchArguments),
    /// List the model families and files that are read.
    Models(ModelsArguments),
    /// List the parts that a config may name: retrievers, inferencers, evaluators and the like.
    List(ListArguments),
    /// Show what a checkpoint is and needs, without loading weights.
    Inspect(InspectArguments),
    /// Measure how fast models answer, and where their time and memory go.
    Bench(BenchArguments),
    /// Say how far a model is from another over the same text: KL divergence, top token, perplexity.
    CompareModels(CompareModelsArguments),
    /// Compare what a device computes with what the CPU computes.
    Selftest(SelftestArguments),
    /// Write a commented config for a file of your own, or an example of both.
    Init(InitArguments),
    /// Run the configs that ship with the program on the model that ships with it, and compare six wordings of one data set.
    Demo(RunOptions),
    /// Print a script by which a shell completes commands and options.
    Completions(CompletionsArguments),
    /// Write manual pages into a folder: one for the program and one for each command.
    Man(ManArguments),
}
