//! How long the prompts of MMLU take: assembled, fitted and tokenised by the way that a run takes.
//!
//! ```sh
//! cargo bench --bench prompts            # one subject, and its texts with and without sharing
//! cargo bench --bench prompts -- whole   # all 56,000 prompts, once
//! ```

#![expect(clippy::print_stdout, reason = "what was measured is printed")]

mod workload;

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Instant,
};

use criterion::{Criterion, Throughput};
use surprisal::{
    dataset::{DatasetLocation, Rows},
    hub::Silent,
    infer::{Task, Tokenize, Wanted},
    model::{ModelError, SharedText, Tokenizer, TruncationSide},
    plan::RunPlan,
    prepare,
    prompt::Markup,
    retrieve::{Corpus, NoModels},
};
use workload::{checkpoint, english::Prose, mmlu};

/// Encodes every text whole.
struct Whole<'a>(&'a Tokenizer);

impl Tokenize for Whole<'_> {
    fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        self.0.encode(text, true).map_err(|error: ModelError| error.to_string())
    }

    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
        let cut = self.0.encode_truncated(text, true, max_tokens, TruncationSide::Right);
        cut.map_err(|error| error.to_string())
    }
}

/// Remembers what it has encoded, as runs do.
struct Remembering<'a>(SharedText<'a>);

impl Tokenize for Remembering<'_> {
    fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        self.0.encode(text, true).map_err(|error: ModelError| error.to_string())
    }

    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
        let cut = self.0.encode_truncated(text, true, max_tokens, TruncationSide::Right);
        cut.map_err(|error| error.to_string())
    }
}

fn main() {
    let prose = Prose::new();
    let model = workload::folder().join("checkpoint");
    checkpoint::write(&model, &prose);
    if std::env::args().any(|argument| argument == "whole") {
        whole(&prose, model);
    } else {
        one_subject(&prose, model);
    }
}

/// The prompts of one subject on one thread, with and without remembering.
fn one_subject(prose: &Prose, model: PathBuf) {
    let config = mmlu::write(&workload::folder(), prose, 1);
    let tokenizer = Tokenizer::read(&model).expect("the tokenizer is whole");
    let plan = RunPlan::load(&[config], &[model]).expect("the config is whole");
    let dataset = &plan.datasets[0];
    let DatasetLocation::Local(path) = &dataset.location else {
        unreachable!("the config names a folder")
    };
    let read = Rows::read(path, &dataset.reader.splits()).expect("the rows are whole");
    let rows = dataset.reader.load(read).expect("the rows are whole");
    let corpus = Corpus { dataset: &rows, reader: &dataset.reader, models: &NoModels };
    let examples = dataset.retriever.retrieve(&corpus).expect("there are five examples");
    let inferencer = dataset.inferencer.with_defaults(plan.models[0].defaults);
    let prepare = |tokenizer: &dyn Tokenize| {
        let task = Task {
            train: &rows.train,
            input_columns: dataset.reader.input_columns(),
            test: &rows.test,
            output_column: dataset.reader.output_column(),
            assembly: &dataset.assembly,
            examples: &examples,
            markup: &Markup::Lines,
            tokenizer,
            max_seq_len_tokens: 4096,
            stop_words: &[],
            wanted: Wanted::Nothing,
            found_labels: OnceLock::new(),
        };
        let sample = |sample| inferencer.prepare(&task, sample).expect("the prompts are whole");
        (0..rows.test.len()).map(|index| sample(index).prompts.len()).sum::<usize>()
    };

    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("prompts");
    group.throughput(Throughput::Elements(prepare(&Whole(&tokenizer)) as u64));
    group.bench_function("whole texts", |bencher| bencher.iter(|| prepare(&Whole(&tokenizer))));
    group.bench_function("shared text", |bencher| {
        bencher.iter(|| prepare(&Remembering(SharedText::new(&tokenizer))));
    });
    group.finish();
    criterion.final_summary();
}

/// Everything that `surprisal check` does for all subjects.
fn whole(prose: &Prose, model: PathBuf) {
    let config = mmlu::write(&workload::folder(), prose, mmlu::SUBJECTS);
    let begin = Instant::now();
    let plan = RunPlan::load(&[config], &[model]).expect("the config is whole");
    let loaded = begin.elapsed();
    let now = jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0);
    let begin_check = Instant::now();
    let rows = prepare::check(&plan, None, Path::new("outputs"), now, &Silent)
        .expect("the data sets are whole");
    let checked = begin_check.elapsed();
    let prompts: usize = rows.iter().map(|row| row.prompts).sum();
    let tokens: usize = rows.iter().filter_map(|row| row.prompt_tokens).sum();
    println!(
        "{prompts} prompts, {tokens} tokens: config {:.3} s, the rest {:.3} s; {} prompts/s",
        loaded.as_secs_f64(),
        checked.as_secs_f64(),
        (prompts as f64 / begin.elapsed().as_secs_f64()) as usize
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or(""));
    }
}
