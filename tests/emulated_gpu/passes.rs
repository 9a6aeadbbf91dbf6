//! What a forward pass asks of a device: launches, copies, and how often the host waits.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::gpu::EmulatedGpu;
use super::journal::{Call, Journal, Pass};

/// Layers of the checkpoint that is asked.
const LAYERS: usize = 2;
/// Launches of a pass outside of its layers: embedding, rows with a target, last norm, logits, what is made of them.
const OTHER_LAUNCHES: usize = 6;
/// The kernel that moves keys and values to where there is more room.
const GROWTH: &str = "copy2d";
/// Files of our kernels.
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");

/// Tables of angles that are sent once, when the first pass asks for them: cosines and sines.
const TABLE_COPIES: usize = 2;

/// Two long candidates for each of some rows: most passes have no short stretch.
fn long_candidates(gpu: &EmulatedGpu) {
    let mut rows = String::new();
    for row in 0..6 {
        let _ = writeln!(rows, "{{\"text\": \"row {row} of the table\", \"answer\": \"a\"}}");
    }
    std::fs::write(gpu.path().join("rows.jsonl"), rows).unwrap();
    let words = "the cat sat on the mat and the dog sat on the log while the bird sang";
    let config = format!(
        r"from opencompass.models import HuggingFaceCausalLM
long = dict(abbr='long', path='rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template=dict(a='{{text}} yes {words}', b='{{text}} no {words}')),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [long]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
"
    );
    std::fs::write(gpu.path().join("long.py"), config).unwrap();
}

fn scored(gpu: &EmulatedGpu, batch_tokens: &str) -> Journal {
    long_candidates(gpu);
    let arguments =
        ["run", "long.py", "-w", "work", "--device", "cuda", "--batch-tokens", batch_tokens];
    let (output, journal) = gpu.run_with_journal(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    journal
}

#[test]
fn a_layer_has_nine_launches_and_the_host_waits_once_a_pass() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let journal = scored(&gpu, "150");
    let passes = journal.passes();
    assert!(passes.len() > 2, "{} passes", passes.len());
    let own: Vec<String> = std::fs::read_dir(KERNELS)
        .unwrap()
        .filter_map(|entry| {
            let text = std::fs::read_to_string(entry.unwrap().path()).ok()?;
            text.contains("__global__").then_some(text)
        })
        .collect();
    for (number, pass) in passes.iter().enumerate() {
        // Short stretches of a pass are attended to by themselves, and their parts merged.
        let short = pass.launches_of("attention_decode") + pass.launches_of("merge_attention");
        assert!(short <= 2 * LAYERS, "{short}: {:?}", pass.kernels());
        // Where keys and values get more room, what is kept moves there: candle's copies, in few passes.
        let moved = pass.launches_of(GROWTH);
        assert!(moved <= 4 * LAYERS, "{moved}: {:?}", pass.kernels());
        let launches = pass.launches() - short - moved;
        assert!(launches <= 9 * LAYERS + OTHER_LAUNCHES, "{launches}: {:?}", pass.kernels());
        for kernel in pass.kernels().into_iter().filter(|name| !name.starts_with(GROWTH)) {
            let name = kernel.rsplit_once('_').unwrap().0;
            let name = if name.starts_with("attention_") { "attention_" } else { name };
            assert!(own.iter().any(|file| file.contains(name)), "{kernel} is none of ours");
        }
        let blocking = pass.count(|call| matches!(call, Call::ToDevice { waits: true }));
        let once = if number == 0 { TABLE_COPIES } else { 0 };
        assert_eq!(blocking, once, "pass {number} waits for copies to the device");
        let waits = pass.waits() - blocking;
        assert!(waits <= 1, "pass {number} waits {waits} times");
        let copies = pass.count(|call| matches!(call, Call::ToDevice { .. })) - blocking;
        assert!(copies <= 6, "pass {number} has {copies} copies to the device");
    }
    let is_plain =
        |pass: &Pass| pass.launches_of("attention_decode") + pass.launches_of(GROWTH) == 0;
    assert!(passes.iter().any(is_plain), "every pass has a short stretch or more room");
}

#[test]
fn the_next_pass_is_launched_before_the_last_is_read() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let passes = scored(&gpu, "150").passes();
    // The host waits for the first pass after it has asked for all of the second.
    let waits = |pass: &Pass| pass.count(|call| *call == Call::Wait);
    assert_eq!((waits(&passes[0]), waits(&passes[1]), waits(&passes[2])), (0, 0, 1));
}

#[test]
fn rows_go_to_their_experts_without_the_host() {
    let Some(gpu) = EmulatedGpu::new() else { return };
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
    let alone = gpu.path().join("experts");
    std::fs::create_dir(&alone).unwrap();
    for family in ["mixtral", "qwen2_moe", "deepseek_v3", "gpt_oss"] {
        if models.join(family).is_dir() {
            symlink(models.join(family), alone.join(family)).unwrap();
        }
    }
    let arguments = ["selftest", "--device", "cuda", "--checkpoints", "experts", "--json"];
    let (output, journal) = gpu.run_with_journal(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let with_experts = |pass: &&Pass| pass.launches_of("grouped_product") > 0;
    let passes = journal.passes();
    let passes: Vec<_> = passes.iter().filter(with_experts).collect();
    assert!(!passes.is_empty(), "no experts were computed together");
    for pass in passes {
        // Two products of each choice, and nothing is read in between.
        let choices = pass.launches_of("choose_experts");
        assert_eq!(pass.launches_of("grouped_product"), 2 * choices);
        let routed = pass.since("choose_experts");
        assert_eq!(routed.waits(), 0, "{:?}", routed.kernels());
    }
}
