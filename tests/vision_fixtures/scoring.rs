//! `models/NAME`: surprisals of prompts with images, and what follows them.

use std::path::Path;

use candle_core::{DType, Device};
use serde_json::Value;
use surprisal::engine::{Engine, EngineOptions, GenerateRequest, ScoreRequest};
use surprisal::image::ProcessedImage;
use surprisal::model::Checkpoint;
use surprisal::model::vision::{VisionError, VisionModel};

use super::processing::named_images;
use super::{Tally, folder, json, seen_image, seen_video};

/// How far a surprisal may be from that of the file, in nats.
const TOLERANCE_NATS: f64 = 2e-4;

/// Continuations are compared where the likeliest token leads by more than this.
const LEAST_MARGIN: f64 = 1e-3;

macro_rules! scored {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            let name = stringify!($name);
            let folder = folder().join("models").join(name);
            if !folder.join("model.safetensors").exists() {
                println!("models/{name}: no weights are in the folder; skipped");
                return;
            }
            let failures = compare(&folder).end(&format!("models/{name}"));
            assert!(failures.is_empty(), "\n{}", failures.join("\n"));
        }
    )* };
}

scored! {
    aya_vision gemma3 glm4v idefics3 internvl kimi_k25 llava llava_next llava_onevision mistral3 paligemma phi4_multimodal pixtral
    qwen2_5_vl qwen2_vl qwen3_vl smolvlm
}

struct Model {
    engine: Engine,
    vision: VisionModel,
    image_id: u32,
    video_id: Option<u32>,
    sees_prompt_both_ways: bool,
}

fn compare(folder: &Path) -> Tally {
    let expected = json(&folder.join("expected.json"));
    let checkpoint = Checkpoint::open_folder(folder).unwrap();
    let sees_prompt_both_ways = checkpoint.spec().sees_prompt_both_ways;
    let model = checkpoint.load(&Device::Cpu, DType::F32).unwrap();
    let vision = VisionModel::load(folder, &Device::Cpu, DType::F32);
    let vision = vision.unwrap();
    let image_id = vision.image_id(&model.tokenizer).unwrap();
    let video_id = vision.video_id(&model.tokenizer);
    let options = EngineOptions { ignore_eos: true, ..EngineOptions::default() };
    let engine = Engine::new(model, options);
    let model = Model { engine, vision, image_id, video_id, sees_prompt_both_ways };
    let mut tally = Tally::default();
    for case in expected["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let images = named_images(case);
        if name == "video" {
            let own = model.video_ids(case);
            let outcome = model.compare_nlls(case, &case["nll"], &own);
            tally.add("video nll", outcome);
            tally.add("video greedy", model.compare_greedy(case, case, &own));
            continue;
        }
        let processed: Vec<ProcessedImage> = images
            .iter()
            .map(|image| model.vision.processed(&seen_image(image), images.len()).unwrap())
            .collect();
        if let Some(fed) = (name == "image").then(|| stored_pixels(folder, &processed)).flatten() {
            let own = model.image_ids(&[fed]);
            let outcome = model.compare_nlls(case, &case["nll"], &own);
            tally.add("image nll of stored pixels", outcome);
        }
        let fields = if case["pil"].is_null() { case } else { &case["pil"] };
        let own = model.image_ids(&processed);
        let outcome = model.compare_nlls(case, &fields["nll"], &own);
        tally.add(&format!("{name} nll"), outcome);
        tally.add(&format!("{name} greedy"), model.compare_greedy(case, fields, &own));
    }
    tally
}

impl Model {
    /// The ids of images, in order.
    fn image_ids(&self, images: &[ProcessedImage]) -> Vec<u32> {
        let both = self.vision.sees_both_ways();
        images
            .iter()
            .enumerate()
            .flat_map(|(place, image)| {
                let key = format!("{place} {}", super::sha256(bytes(image).as_slice()));
                self.engine.image_ids(&key, both, || self.vision.rows(image)).unwrap()
            })
            .collect()
    }

    /// The ids of a case's video.
    fn video_ids(&self, case: &Value) -> Vec<u32> {
        let video = self.vision.processed_video(&seen_video(case)).unwrap();
        let stretches = self.vision.video_rows(&video).unwrap();
        let ids = stretches.into_iter().enumerate().flat_map(|(place, rows)| {
            let rows = || Ok::<_, VisionError>(rows);
            self.engine.image_ids(&format!("video {place}"), false, rows).unwrap()
        });
        ids.collect()
    }

    /// The ids of a case with these in the places of its images or its video.
    fn ids(&self, ids: &Value, own: &[u32]) -> Vec<u32> {
        let ids: Vec<u32> = serde_json::from_value(ids.clone()).unwrap();
        let mut own = own.iter();
        let is_given = |id: u32| id == self.image_id || Some(id) == self.video_id;
        let ids = ids
            .into_iter()
            .map(|id| if is_given(id) { *own.next().unwrap() } else { id })
            .collect();
        assert!(own.next().is_none(), "more rows than places");
        ids
    }

    fn compare_nlls(&self, case: &Value, expected: &Value, own: &[u32]) -> Result<(), String> {
        let mut ids = self.ids(&case["ids"], own);
        let mut first_target = 1;
        if self.sees_prompt_both_ways {
            let prefix = case["prefix_ids"].as_array().unwrap().len();
            ids.splice(..prefix, self.engine.two_way_prompt(&ids[..prefix]).unwrap());
            first_target = prefix;
        }
        let request = ScoreRequest { ids: ids.into(), first_target };
        let score = self.engine.score(&[request], &mut |_| ()).remove(0);
        let found = score.map_err(|error| error.to_string())?.nlls;
        let wanted: Vec<Option<f64>> = serde_json::from_value(expected.clone()).unwrap();
        let wanted = &wanted[first_target - 1..];
        super::equal(&found.len(), &wanted.len())?;
        let compared = found
            .iter()
            .zip(wanted)
            .filter_map(|(found, wanted)| wanted.map(|wanted| (f64::from(*found) - wanted).abs()));
        let most = compared.fold(0f64, f64::max);
        if most > TOLERANCE_NATS { Err(format!("{most} nats apart")) } else { Ok(()) }
    }

    fn compare_greedy(&self, case: &Value, fields: &Value, own: &[u32]) -> Result<(), String> {
        // Where only torchvision's pixels were continued, the margin is wider by what pixels change.
        let (least, fields) = if fields.get("greedy").is_some() {
            (LEAST_MARGIN, fields)
        } else {
            let change = fields["nll_max_abs_vs_torchvision"].as_f64().unwrap_or_default();
            (LEAST_MARGIN + 2.0 * change, case)
        };
        if fields["greedy_margin"].as_f64().is_none_or(|margin| margin <= least) {
            return Ok(());
        }
        let prompt = case.get("prefix_ids").filter(|_| self.sees_prompt_both_ways);
        let mut ids = self.ids(prompt.unwrap_or(&case["ids"]), own);
        if self.sees_prompt_both_ways {
            ids = self.engine.two_way_prompt(&ids).unwrap();
        }
        let wanted: Vec<u32> = serde_json::from_value(fields["greedy"].clone()).unwrap();
        let request = GenerateRequest {
            ids: ids.into(),
            max_new_tokens: wanted.len(),
            min_new_tokens: 0,
            stop: Vec::new(),
            shown: Vec::new(),
            sampling: None,
        };
        let found = self.engine.generate(&[request], &mut |_| ()).remove(0);
        super::equal(&found.map_err(|error| error.to_string())?.ids, &wanted)
    }
}

/// The pixels that transformers made of a case's only image, by its default class.
fn stored_pixels(folder: &Path, processed: &[ProcessedImage]) -> Option<ProcessedImage> {
    let [own] = processed else { return None };
    let bytes = std::fs::read(folder.join("processor_image.safetensors")).ok()?;
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let (values, _) = file.tensor("pixel_values").unwrap().data().as_chunks::<4>();
    let values: Vec<f32> = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    assert_eq!(values.len(), own.values.len());
    Some(ProcessedImage { values, ..own.clone() })
}

fn bytes(image: &ProcessedImage) -> Vec<u8> {
    image.values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
