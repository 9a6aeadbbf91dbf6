//! `models/NAME`: prompts with images → ids, and the rows that towers make of images.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use serde_json::Value;
use surprisal::image::ProcessedImage;
use surprisal::model::Tokenizer;
use surprisal::model::vision::VisionModel;

use super::processing::named_images;
use super::{Tally, folder, json, seen_image, seen_video};

/// How far a number of a row may be from that of the file.
const TOLERANCE: f64 = 2e-4;

macro_rules! seen {
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

seen! {
    aya_vision gemma3 glm4v idefics3 internvl kimi_k25 llava llava_next llava_onevision mistral3 paligemma phi4_multimodal pixtral
    qwen2_5_vl qwen2_vl qwen3_vl smolvlm
}

#[test]
fn a_video_is_refused_by_models_that_see_none_and_by_towers_of_others() {
    let load = |name: &str| {
        let folder = folder().join("models").join(name);
        let is_there = folder.join("model.safetensors").exists();
        is_there.then(|| VisionModel::load(&folder, &Device::Cpu, DType::F32).unwrap())
    };
    let (Some(blind), Some(patches), Some(pictures)) =
        (load("llava"), load("qwen2_vl"), load("llava_onevision"))
    else {
        println!("models: no weights are in the folder; skipped");
        return;
    };
    let case = json(&folder().join("models/qwen2_vl/expected.json"));
    let cases = case["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["name"] == "video").unwrap();
    let video = seen_video(case);
    let refusal = blind.processed_video(&video).unwrap_err().to_string();
    assert!(refusal.contains("no videos"), "{refusal}");
    let processed = patches.processed_video(&video).unwrap();
    assert!(blind.video_rows(&processed).is_err());
    assert!(pictures.video_rows(&processed).is_err());
    let foreign = pictures.processed_video(&video).unwrap();
    assert!(patches.video_rows(&foreign).is_err());
    let refusal = patches.expanded_with_videos("What moves?", &[], &[processed]).unwrap_err();
    assert!(refusal.to_string().contains("0 places for videos"), "{refusal}");
}

fn compare(folder: &Path) -> Tally {
    let expected = json(&folder.join("expected.json"));
    let model = VisionModel::load(folder, &Device::Cpu, DType::F32)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let tokenizer = Tokenizer::read(folder).unwrap();
    let mut tally = Tally::default();
    for case in expected["cases"].as_array().unwrap() {
        let names = named_images(case);
        let name = case["name"].as_str().unwrap();
        if name == "video" {
            let video = model.processed_video(&seen_video(case)).unwrap();
            let text = case["text"].as_str().unwrap();
            let expanded = model.expanded_with_videos(text, &[], std::slice::from_ref(&video));
            let outcome = expanded.map_err(|error| error.to_string());
            let outcome = outcome.and_then(|text| compare_ids(&model, &tokenizer, case, &text));
            tally.add("video ids", outcome);
            let rows = model.video_rows(&video).map_err(|error| error.to_string());
            let rows = rows.map(|stretches| stretches.into_iter().map(|rows| rows.rows).collect());
            let outcome =
                rows.and_then(|rows: Vec<Tensor>| compare_rows(&case["image_embeds"], &rows));
            tally.add("video rows", outcome);
        }
        if names.is_empty() {
            continue;
        }
        let images: Vec<ProcessedImage> = names
            .iter()
            .map(|image| model.processed(&seen_image(image), names.len()).unwrap())
            .collect();
        let expanded = model.expanded(case["rendered"].as_str().unwrap(), &images);
        let outcome = expanded.map_err(|error| error.to_string());
        let outcome = outcome.and_then(|text| compare_ids(&model, &tokenizer, case, &text));
        tally.add(&format!("{name} ids"), outcome);
        let fields = if case["pil"].is_null() { case } else { &case["pil"] };
        let outcome = compare_image_rows(&model, &fields["image_embeds"], &images);
        tally.add(&format!("{name} rows"), outcome);
        if let ("image", true, [image]) = (name, case["pil"].is_null(), &*images)
            && let Some(image) = with_pixels_of(image, &folder.join("processor_image.safetensors"))
        {
            let outcome = compare_image_rows(&model, &case["image_embeds"], &[image]);
            tally.add(&format!("{name} rows of the file's pixels"), outcome);
        }
    }
    tally
}

/// An image with the numbers of a file in the place of its own, where the file has them.
fn with_pixels_of(image: &ProcessedImage, file: &Path) -> Option<ProcessedImage> {
    let tensors = candle_core::safetensors::load(file, &Device::Cpu).ok()?;
    let values = tensors.get("pixel_values")?.flatten_all().unwrap().to_vec1().unwrap();
    assert_eq!(values.len(), image.values.len(), "{}", file.display());
    Some(ProcessedImage { values, ..image.clone() })
}

fn compare_ids(
    model: &VisionModel,
    tokenizer: &Tokenizer,
    case: &Value,
    expanded: &str,
) -> Result<(), String> {
    // A prompt that already begins with the first token does not get it twice.
    let bos = tokenizer.bos_id().map(|id| tokenizer.token_text(id));
    let adds = model.takes_special_tokens() && bos.is_none_or(|bos| !expanded.starts_with(&bos));
    let mut ids = tokenizer.encode(expanded, adds).unwrap();
    // Where a prompt is a prefix, what follows it is tokenized by itself.
    if let Some(suffix) = case["conversation"]["suffix"].as_str() {
        super::equal(&ids, &serde_json::from_value(case["prefix_ids"].clone()).unwrap())?;
        ids.extend(tokenizer.encode(suffix, false).unwrap());
        ids.extend(tokenizer.token_id("<eos>"));
    }
    let wanted: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
    super::equal(&ids, &wanted)
}

fn compare_image_rows(
    model: &VisionModel,
    expected: &Value,
    images: &[ProcessedImage],
) -> Result<(), String> {
    let rows: Vec<Tensor> = images
        .iter()
        .map(|image| model.rows(image).map(|rows| rows.rows).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    compare_rows(expected, &rows)
}

fn compare_rows(expected: &Value, rows: &[Tensor]) -> Result<(), String> {
    let rows = Tensor::cat(rows, 0).unwrap();
    super::equal(&rows.dims(), &&*shape(expected))?;
    let values: Vec<f32> = rows.flatten_all().unwrap().to_vec1().unwrap();
    let ends = |name: &str| serde_json::from_value::<Vec<f64>>(expected[name].clone()).unwrap();
    let (first, last) = (ends("first"), ends("last"));
    let found = values[..first.len()].iter().chain(&values[values.len() - last.len()..]);
    // Beside numbers of a thousand, f32 has no more digits.
    let largest = values.iter().fold(0f64, |largest, value| largest.max(f64::from(value.abs())));
    let most = TOLERANCE.max(1e-5 * largest);
    for (found, wanted) in found.zip(first.iter().chain(&last)) {
        if (f64::from(*found) - wanted).abs() > most {
            return Err(format!("a row has {found} instead of {wanted}"));
        }
    }
    let sum: f64 = values.iter().map(|value| f64::from(value.abs())).sum();
    let wanted = expected["abs_sum"].as_f64().unwrap();
    let most = wanted * 1e-4;
    if (sum - wanted).abs() > most {
        return Err(format!("the numbers' sizes have the sum {sum} instead of {wanted}"));
    }
    Ok(())
}

fn shape(expected: &Value) -> Vec<usize> {
    serde_json::from_value(expected["shape"].clone()).unwrap()
}
