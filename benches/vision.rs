//! What questions on images cost: the other side of `benches/vision/peer.py`.
//!
//! ```sh
//! cargo bench --bench vision -- FOLDER OUT.json
//! ```
//!
//! FOLDER is what `benches/vision/workload.py` made. All candidates of all questions are scored as one list. Written are the sum of surprisals of
//! each candidate, passes of the tower, tokens that the decoder computed, and CPU and wall seconds, loading excluded. Without a
//! folder there is nothing to do.

#![expect(clippy::print_stdout, reason = "what is missing is said")]

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use candle_core::{DType, Device};
use mimalloc::MiMalloc;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use surprisal::engine::{Engine, EngineOptions, ScoreRequest};
use surprisal::image::{Transparency, decode};
use surprisal::model::Checkpoint;
use surprisal::model::vision::VisionModel;

// As the program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Deserialize)]
struct Question {
    image: String,
    prompt: String,
    candidates: Vec<String>,
}

/// CPU seconds of all threads so far.
fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cargo adds an option of its own.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (Some(folder), Some(out)) = (arguments.next(), arguments.next()) else {
        println!("vision: name the folder of the questions and the file to write");
        return Ok(());
    };
    let folder = Path::new(&folder);
    let checkpoint = Checkpoint::open_folder(&folder.join("model"))?;
    let model = checkpoint.load(&Device::Cpu, DType::F32)?;
    let vision = VisionModel::load(&folder.join("model"), &Device::Cpu, DType::F32)?;
    let engine = Engine::new(model, EngineOptions::default());
    let lines = std::fs::read_to_string(folder.join("questions.jsonl"))?;
    let questions: Vec<Question> =
        lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;

    let (began, cpu_before) = (Instant::now(), cpu_seconds());
    let mut seeing = Duration::ZERO;
    let mut tower_passes = 0;
    let mut images = HashMap::new();
    let mut requests = Vec::new();
    for question in &questions {
        let tokenizer = engine.tokenizer();
        if !images.contains_key(&question.image) {
            let bytes = std::fs::read(folder.join(&question.image))?;
            let pixels = decode(&bytes, Transparency::Dropped)?;
            images.insert(&question.image, vision.processed(&pixels, 1)?);
        }
        let image = std::slice::from_ref(&images[&question.image]);
        let prompt = tokenizer
            .encode(&vision.expanded(&question.prompt, image)?, vision.takes_special_tokens())?;
        let own = engine.image_ids(&question.image, vision.sees_both_ways(), || {
            tower_passes += 1;
            let began = Instant::now();
            let rows = vision.rows(&image[0]);
            seeing += began.elapsed();
            rows
        })?;
        let image_id = vision.image_id(tokenizer);
        let mut own = own.into_iter();
        let placed = |id| if Some(id) == image_id { own.next().unwrap_or(id) } else { id };
        let prompt: Vec<u32> = prompt.into_iter().map(placed).collect();
        for candidate in &question.candidates {
            let ids = [&*prompt, &tokenizer.encode(candidate, false)?].concat().into();
            requests.push(ScoreRequest { ids, first_target: prompt.len() });
        }
    }
    let mut sums = Vec::new();
    for score in engine.score(&requests, &mut |_| ()) {
        sums.push(score?.nlls.iter().map(|nll| f64::from(*nll)).sum::<f64>());
    }
    let (cpu, wall) = (cpu_seconds() - cpu_before, began.elapsed());

    let mut sums = sums.into_iter();
    let of_question = |question: &Question| -> Vec<f64> {
        sums.by_ref().take(question.candidates.len()).collect()
    };
    let nlls: Vec<Vec<f64>> = questions.iter().map(of_question).collect();
    let told = serde_json::json!({
        "tower_passes": tower_passes,
        "tokens": engine.statistics().computed_tokens,
        "nominal_tokens": engine.statistics().nominal_tokens,
        "cpu_s": cpu,
        "wall_s": wall.as_secs_f64(),
        "tower_wall_s": seeing.as_secs_f64(),
        "nlls": nlls,
    });
    std::fs::write(out, told.to_string())?;
    Ok(())
}
