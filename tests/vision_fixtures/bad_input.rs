//! Images, prompts and configs that nobody can do anything with: one message each, and no panic.

use std::fs;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use surprisal::engine::{Engine, EngineOptions, GenerateRequest, RequestError, ScoreRequest};
use surprisal::image::{Pixels, ProcessedImage, Size};
use surprisal::model::Checkpoint;
use surprisal::model::vision::{VisionError, VisionModel};

use super::processing::named_images;
use super::{folder, json, seen_image};

/// The folders of all models that see.
pub(super) fn models() -> Vec<PathBuf> {
    let entries = folder().join("models").read_dir().unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| {
        let sees = json(&folder.join("expected.json")).get("image_processor_class").is_some();
        sees && folder.join("model.safetensors").exists()
    });
    folders.sort();
    folders
}

pub(super) fn open(folder: &Path) -> VisionModel {
    VisionModel::load(folder, &Device::Cpu, DType::F32)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

/// That an error is a line that can be shown.
pub(super) fn is_one_line(what: &str, error: &dyn std::error::Error) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 400 && !text.contains('\n'), "{what}: {text}");
}

fn gray(width: usize, height: usize) -> Pixels {
    Pixels::new(Size { width, height }, vec![90; width * height * 3]).unwrap()
}

#[test]
fn an_image_of_any_size_has_rows_or_a_message() {
    for folder in models() {
        let (model, name) = (open(&folder), folder.display());
        for (width, height) in [(1, 1), (1, 2), (100_000, 1), (1, 100_000), (700, 3)] {
            let what = format!("{name}, {width} × {height}");
            let image = match model.processed(&gray(width, height), 1) {
                Ok(image) => image,
                Err(error) => {
                    is_one_line(&what, &error);
                    assert!(width.max(height) > 200, "{what}: {error}");
                    continue;
                }
            };
            // What a long strip becomes may be more than this tiny model is worth.
            if image.values.len() > 1 << 22 {
                continue;
            }
            match model.rows(&image) {
                Ok(rows) => {
                    let rows = rows.rows.flatten_all().unwrap().to_vec1::<f32>().unwrap();
                    assert!(rows.iter().all(|number| number.is_finite()), "{what}");
                }
                Err(error) => {
                    is_one_line(&what, &error);
                    assert!(width.max(height) > 200, "{what}: {error}");
                }
            }
        }
    }
}

/// The rendered prompt of a model's case "image", and its image.
fn case(folder: &Path, model: &VisionModel) -> (String, ProcessedImage) {
    let expected = json(&folder.join("expected.json"));
    let mut cases = expected["cases"].as_array().unwrap().iter();
    let case = cases.find(|case| case["name"] == "image").unwrap();
    let image = model.processed(&seen_image(&named_images(case)[0]), 1).unwrap();
    (case["rendered"].as_str().unwrap().to_owned(), image)
}

#[test]
fn a_prompt_has_as_many_placeholders_as_images() {
    for folder in models() {
        let (model, name) = (open(&folder), folder.display().to_string());
        let (rendered, image) = case(&folder, &model);
        let images = [image.clone(), image.clone()];
        assert!(model.expanded(&rendered, &images[..1]).is_ok(), "{name}");
        for images in [&images[..0], &images[..]] {
            is_one_line(&name, &model.expanded(&rendered, images).unwrap_err());
        }
        // PaliGemma puts images in front of a prompt that has no place for any.
        if !name.ends_with("paligemma") {
            is_one_line(&name, &model.expanded("no image", &images[..1]).unwrap_err());
            is_one_line(&name, &model.expanded("", &images[..1]).unwrap_err());
        }
        // What another family's processor made is refused or taken for what it is.
        let other = ProcessedImage { values: Vec::new(), shape: vec![0, 3, 0, 0], ..image };
        if let Err(error) = model.rows(&other) {
            is_one_line(&name, &error);
        }
    }
}

#[test]
fn what_one_processor_made_is_no_other_towers() {
    let models: Vec<(String, VisionModel, ProcessedImage)> = models()
        .iter()
        .map(|folder| {
            let model = open(folder);
            let (_, image) = case(folder, &model);
            (folder.display().to_string(), model, image)
        })
        .collect();
    for (name, model, _) in &models {
        for (other, _, image) in &models {
            let outcomes = [model.expanded("", std::slice::from_ref(image)).map(|_| ())];
            let rows = model.rows(image).map(|_| ());
            for outcome in outcomes.into_iter().chain([rows]) {
                if let Err(error) = outcome {
                    is_one_line(&format!("{name} with an image of {other}"), &error);
                }
            }
        }
    }
}

#[test]
fn a_part_of_an_image_is_refused() {
    for name in ["llava", "qwen2_vl", "gemma3", "idefics3"] {
        let folder = folder().join("models").join(name);
        if !folder.join("model.safetensors").exists() {
            println!("models/{name}: no weights are in the folder; skipped");
            continue;
        }
        let vision = open(&folder);
        let checkpoint = Checkpoint::open_folder(&folder).unwrap();
        let model = checkpoint.load(&Device::Cpu, DType::F32).unwrap();
        let vocabulary = model.decoder.spec().vocabulary_size as u32;
        let engine = Engine::new(model, EngineOptions::default());
        let (_, image) = case(&folder, &vision);
        let both = vision.sees_both_ways();
        let own = engine.image_ids("image", both, || vision.rows(&image)).unwrap();
        let (first, last) = (own[0], own[own.len() - 1]);
        let refused = [
            (own[..own.len() - 1].to_vec(), RequestError::CutImage),
            (own[1..].to_vec(), RequestError::CutImage),
            (vec![last, first], RequestError::CutImage),
            ([&own[..1], &own].concat(), RequestError::CutImage),
            (
                vec![u32::MAX],
                RequestError::UnknownToken { id: u32::MAX, vocabulary_size: vocabulary as usize },
            ),
            (
                vec![last + 1],
                RequestError::UnknownToken { id: last + 1, vocabulary_size: vocabulary as usize },
            ),
        ];
        for (ids, refusal) in refused {
            let ids: std::sync::Arc<[u32]> = [&[1], ids.as_slice(), &[2]].concat().into();
            let request = ScoreRequest { ids: ids.clone(), first_target: 1 };
            let found = engine.score(&[request], &mut |_| ()).remove(0).unwrap_err();
            assert_eq!(found, refusal, "{name}");
            let request = GenerateRequest {
                ids,
                max_new_tokens: 2,
                min_new_tokens: 0,
                stop: Vec::new(),
                shown: Vec::new(),
                sampling: None,
            };
            let found = engine.generate(&[request], &mut |_| ()).remove(0).unwrap_err();
            assert_eq!(found, refusal, "{name}");
            is_one_line(name, &found);
        }
        let request = ScoreRequest { ids: own.into(), first_target: 1 };
        let found = engine.score(&[request], &mut |_| ()).remove(0);
        assert_eq!(found, Err(RequestError::EndsWithImage), "{name}");
    }
}

#[test]
fn a_part_of_an_image_is_refused_within_a_prompt_seen_both_ways() {
    let folder = folder().join("models/paligemma");
    if !folder.join("model.safetensors").exists() {
        println!("models/paligemma: no weights are in the folder; skipped");
        return;
    }
    let vision = open(&folder);
    let model = Checkpoint::open_folder(&folder).unwrap().load(&Device::Cpu, DType::F32).unwrap();
    let engine = Engine::new(model, EngineOptions::default());
    let (_, image) = case(&folder, &vision);
    let both = vision.sees_both_ways();
    let own = engine.image_ids("image", both, || vision.rows(&image)).unwrap();
    let prompt = |ids: &[u32]| engine.two_way_prompt(&[ids, &[1, 2]].concat());
    assert!(prompt(&own).is_ok());
    assert_eq!(prompt(&own[1..]), Err(RequestError::CutImage));
    assert_eq!(prompt(&own[..1]), Err(RequestError::CutImage));
    assert!(matches!(prompt(&[u32::MAX]), Err(RequestError::UnknownToken { .. })));
    // An image alone is no prompt that is seen both ways, and neither is text.
    for ids in [[&own, [1, 2].as_slice()].concat(), vec![1, 2, 3]] {
        let request = ScoreRequest { ids: ids.into(), first_target: 1 };
        let refusal = engine.score(&[request], &mut |_| ()).remove(0).unwrap_err();
        assert_eq!(refusal, RequestError::NoImage);
    }
}

#[test]
fn a_model_of_text_alone_is_blind() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pocket");
    let error = VisionModel::load(&folder, &Device::Cpu, DType::F32).unwrap_err();
    assert!(matches!(error, VisionError::Blind { .. }), "{error}");
    is_one_line("pocket", &error);
    let folder = tempfile::tempdir().unwrap();
    for config in ["", "[]", "{}", r#"{"model_type": 7}"#, r#"{"model_type": "llava"}"#] {
        fs::write(folder.path().join("config.json"), config).unwrap();
        let error = VisionModel::load(folder.path(), &Device::Cpu, DType::F32).unwrap_err();
        is_one_line(config, &error);
    }
}
