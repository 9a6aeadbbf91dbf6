//! Killing a run and repeating the command ends in the same files as never killing it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::Instant,
};

use super::scratch::{Scratch, stderr};

/// A config with enough samples for several batches of records.
const CONFIG: &str = r"from opencompass.models import HuggingFaceCausalLM
rows = dict(path='data/rows.jsonl', reader_cfg=dict(input_columns=['text'], output_column='answer'))
ppl = dict(abbr='ppl', **rows, infer_cfg=dict(
    prompt_template=dict(type='PromptTemplate', template={'a': '{text} the cat', 'b': '{text} the other dog'}),
    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
gen = dict(abbr='gen', **rows, infer_cfg=dict(
    prompt_template=dict(type='PromptTemplate', template='{text}'),
    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=12)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [ppl, gen]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

const SAMPLES: usize = 1500;

/// How often the run is killed before it may end.
const KILLS: usize = 10;

/// Repeatable random numbers in 0..1 (a linear congruential generator, Knuth's MMIX constants).
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let mut rows = String::new();
    for index in 0..SAMPLES {
        let words = "once upon a time there was a little cat who liked fish ".repeat(1 + index % 3);
        let _ = writeln!(
            rows,
            "{{\"text\": \"{words}{index}\", \"answer\": \"{}\"}}",
            ["a", "b"][index % 2]
        );
    }
    scratch.write("data/rows.jsonl", &rows);
    scratch
}

/// Predictions and results of a run, by file.
fn outcome(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<PathBuf> =
        ["predictions", "results"].iter().map(|kind| run.join(kind)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(run).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_run_killed_ten_times_ends_in_the_same_bytes() {
    let arguments = ["run", "config.py", "-w", "out"];
    let whole = scratch();
    let started = Instant::now();
    let output = whole.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let duration = started.elapsed();
    let expected = outcome(&whole.only_run("out"));
    assert_eq!(expected.len(), 4);

    let mut moments = Moments(0x5eed);
    let mut kills = 0;
    // A run that ends before it is killed says nothing of kills: the next folder is given less time.
    let mut longest = 0.42;
    while kills < KILLS {
        let killed = scratch();
        loop {
            let mut child = killed
                .command(&arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(duration.mul_f64(0.02 + (longest - 0.02) * moments.next()));
            if child.try_wait().unwrap().is_some() {
                longest = f64::max(longest / 2.0, 0.02);
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            if kills >= KILLS {
                break;
            }
        }
        let output = killed.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let got = outcome(&killed.only_run("out"));
        for (file, bytes) in &expected {
            assert!(got.get(file) == Some(bytes), "{} differs", file.display());
        }
    }
}
