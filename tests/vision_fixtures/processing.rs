//! `models/NAME/expected.json`: what processors make of images.

use std::path::Path;

use serde_json::{Value, json};
use surprisal::image::{ImageProcessor, Layout, ProcessedImage, VideoProcessor};

use super::{Tally, equal, folder, json as read_json, seen_image, seen_video, sha256};

/// How far numbers may be from those of a file, which has six digits.
const TOLERANCE: f32 = 1e-5;

#[test]
fn vision_fixtures_processed() {
    let mut failures = Vec::new();
    let mut folders: Vec<_> =
        folder().join("models").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let expected = read_json(&folder.join("expected.json"));
        if expected.get("image_processor_class").is_none() {
            continue;
        }
        let file =
            format!("models/{}/expected.json", folder.file_name().unwrap().to_string_lossy());
        let mut tally = Tally::default();
        let model = Model::open(&folder);
        for case in expected["cases"].as_array().unwrap() {
            let names = named_images(case);
            if !names.is_empty() {
                model.compare(&names, reference(case), case["name"].as_str().unwrap(), &mut tally);
            }
        }
        for (name, backends) in expected["images"].as_object().unwrap() {
            let reference = match &backends["pil"] {
                Value::Null => &backends["torchvision"],
                fields => fields,
            };
            model.compare(std::slice::from_ref(name), reference, name, &mut tally);
        }
        if let Some(outcome) = model.compare_file(&folder) {
            tally.add("processor_image.safetensors", outcome);
        }
        failures.extend(tally.end(&file));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// What is expected of a case: what the class on Pillow makes, or where there is none the one on torchvision.
fn reference(case: &Value) -> &Value {
    match &case["pil"] {
        Value::Null => &case["processor"],
        pil => &pil["processor"],
    }
}

/// Names of the images of a case, in the order of its conversation.
pub(super) fn named_images(case: &Value) -> Vec<String> {
    let conversation = &case["conversation"];
    let messages = conversation.as_array().into_iter().flatten();
    let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
    let inside = parts.filter(|part| part["type"] == "image").map(|part| &part["path"]);
    let beside = conversation.get("images").and_then(Value::as_array).into_iter().flatten();
    let name = |path: &Value| path.as_str().unwrap().trim_start_matches("images/").to_owned();
    inside.chain(beside).map(name).collect()
}

#[test]
fn vision_fixtures_of_videos_processed() {
    let mut failures = Vec::new();
    for name in ["glm4v", "internvl", "llava_onevision", "qwen2_5_vl", "qwen2_vl", "qwen3_vl"] {
        let folder = folder().join("models").join(name);
        let file = format!("models/{name}/expected.json");
        if !folder.join("expected.json").exists() {
            println!("{file} is not in the folder; skipped");
            continue;
        }
        let mut tally = Tally::default();
        let expected = read_json(&folder.join("expected.json"));
        let cases = expected["cases"].as_array().unwrap().iter();
        for case in cases.filter(|case| case["name"] == "video") {
            compare_video(&folder, case, &mut tally);
        }
        failures.extend(tally.end(&file));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn compare_video(folder: &Path, case: &Value, tally: &mut Tally) {
    let file = |name: &str| {
        let path = folder.join(name);
        path.exists().then(|| read_json(&path))
    };
    let (own, around) = (file("video_preprocessor_config.json"), file("processor_config.json"));
    let processor = VideoProcessor::parse(own.as_ref(), None, around.as_ref(), "").unwrap();
    let nested = around.as_ref().and_then(|around| around.get("video_processor"));
    let scale = Scale::of(nested.or(own.as_ref()).unwrap());
    let video = processor.process(&seen_video(case)).unwrap();
    for (field, expected) in case["processor"].as_object().unwrap() {
        let outcome = match field.as_str() {
            "pixel_values_videos" | "pixel_values" => {
                let (mut shape, values) = batch(&video.moments, &json!({"shape": [0, 0]}));
                if expected["shape"].as_array().unwrap().len() == 5 {
                    shape.insert(0, 1);
                }
                scale.compare(&(shape, values), expected)
            }
            "video_grid_thw" => match video.moments[0].layout {
                Layout::Patches { rows, columns, .. } => {
                    equal(&json!([[video.moments.len(), rows, columns]]), expected)
                }
                _ => Err("no patches".to_owned()),
            },
            "second_per_grid_ts" => {
                let seconds = video.frames_of_moment as f64 / video.frames_per_second;
                equal(&json!([seconds]), &expected["first"])
            }
            _ => Err("nothing here knows what that is".to_owned()),
        };
        tally.add(&format!("video {field}"), outcome);
    }
}

struct Model {
    processor: ImageProcessor,
    scale: Scale,
}

/// What levels were made numbers with.
struct Scale {
    mean: Vec<f64>,
    std: Vec<f64>,
}

impl Model {
    fn open(folder: &Path) -> Self {
        let file = |name: &str| {
            let path = folder.join(name);
            path.exists().then(|| read_json(&path))
        };
        let (own, around) = (file("preprocessor_config.json"), file("processor_config.json"));
        let processor = ImageProcessor::parse(own.as_ref(), around.as_ref())
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let nested = around.as_ref().and_then(|around| around.get("image_processor"));
        let fields = nested.or(own.as_ref()).unwrap();
        Self { processor, scale: Scale::of(fields) }
    }

    fn process(&self, names: &[String]) -> Vec<ProcessedImage> {
        let process = |name: &String| {
            let processed = self.processor.process(&seen_image(name), names.len());
            processed.unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        names.iter().map(process).collect()
    }

    fn compare(&self, names: &[String], reference: &Value, case: &str, tally: &mut Tally) {
        let images = self.process(names);
        for (field, expected) in reference.as_object().unwrap() {
            let outcome = match field.as_str() {
                "pixel_values" | "image_pixel_values" => {
                    self.scale.compare(&batch(&images, expected), expected)
                }
                _ => told(field, &images, names, expected).and_then(|told| equal(&told, expected)),
            };
            tally.add(&format!("{case} {field}"), outcome);
        }
    }
}

impl Scale {
    fn of(fields: &Value) -> Self {
        let numbers = |name: &str| serde_json::from_value(fields[name].clone()).unwrap();
        Self { mean: numbers("image_mean"), std: numbers("image_std") }
    }

    fn compare(
        &self,
        (shape, values): &(Vec<usize>, Vec<f32>),
        expected: &Value,
    ) -> Result<(), String> {
        equal(&json!(shape), &expected["shape"])?;
        let ends = |name: &str| serde_json::from_value::<Vec<f32>>(expected[name].clone()).unwrap();
        let (first, last) = (ends("first"), ends("last"));
        let found = [&values[..first.len()], &values[values.len() - last.len()..]].concat();
        near(&found, &[first, last].concat(), TOLERANCE)?;
        let digest = sha256(&self.levels(shape, values));
        equal(&digest.as_str(), &expected["u8_sha256"].as_str().unwrap())?;
        let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
        // The last bits of a million numbers add up.
        let most = f64::max(0.01, values.len() as f64 * 3e-8);
        let apart = (sum - expected["sum"].as_f64().unwrap()).abs();
        if apart <= most { Ok(()) } else { Err(format!("the sum is {apart} away")) }
    }

    /// The levels that the numbers were made of, in their own order.
    fn levels(&self, shape: &[usize], values: &[f32]) -> Vec<u8> {
        let channel = |at: usize| match shape {
            [_, columns] => at % columns / (columns / 3),
            _ => at / shape[shape.len() - 2..].iter().product::<usize>() % 3,
        };
        let level = |(at, value): (usize, &f32)| {
            let number = f64::from(*value) * self.std[channel(at)] + self.mean[channel(at)];
            (number * 255.0).round_ties_even().clamp(0.0, 255.0) as u8
        };
        values.iter().enumerate().map(level).collect()
    }
}

impl Model {
    /// The whole tensor of the case `image`, if there is one of the class that is followed.
    fn compare_file(&self, folder: &Path) -> Option<Result<(), String>> {
        let bytes = std::fs::read(folder.join("processor_image.safetensors")).ok()?;
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let expected = read_json(&folder.join("expected.json"));
        let case = expected["cases"]
            .as_array()
            .unwrap()
            .iter()
            .find(|case| case["name"] == "image")
            .unwrap();
        let tensor = file.tensor("pixel_values.pil");
        let tensor = match tensor {
            Ok(tensor) => tensor,
            Err(_) if case["pil"].is_null() => file.tensor("pixel_values").unwrap(),
            Err(_) => return None,
        };
        let numbers: Vec<f32> = tensor
            .data()
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        let images = self.process(&named_images(case));
        let (_, values) = batch(&images, &json!({"shape": tensor.shape()}));
        Some(near(&values, &numbers, 1e-6))
    }
}

fn near(found: &[f32], expected: &[f32], most: f32) -> Result<(), String> {
    equal(&found.len(), &expected.len())?;
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    if apart <= most { Ok(()) } else { Err(format!("numbers are {apart} apart")) }
}

/// Images as the tensor of their batch: in a row, or filled up with zeros to the longest list and the largest sides.
fn batch(images: &[ProcessedImage], expected: &Value) -> (Vec<usize>, Vec<f32>) {
    let rank = expected["shape"].as_array().unwrap().len();
    let own = &images[0].shape;
    if rank == own.len() && own.len() == 4 {
        let side = |axis: usize| images.iter().map(|image| image.shape[axis]).max().unwrap();
        let (height, width) = (side(2), side(3));
        let mut values = Vec::new();
        for image in images {
            for row in image.values.chunks(image.shape[3] * image.shape[2]) {
                let rows = row.chunks(image.shape[3]);
                let before = values.len();
                for row in rows {
                    values.extend(row);
                    values.extend(vec![0.0; width - row.len()]);
                }
                values.resize(before + height * width, 0.0);
            }
        }
        let pictures = images.iter().map(|image| image.shape[0]).sum();
        return (vec![pictures, 3, height, width], values);
    }
    let lists = if rank == own.len() + 1 && !matches!(images[0].layout, Layout::Tiles { .. }) {
        images.len()
    } else {
        1
    };
    let longest = images.iter().map(|image| image.shape[0]).max().unwrap();
    let item: usize = own[1..].iter().product();
    let mut values = Vec::new();
    for image in images {
        values.extend(&image.values);
        if lists > 1 {
            values.extend(vec![0.0; (longest - image.shape[0]) * item]);
        }
    }
    let mut shape = vec![values.len() / item / lists];
    shape.extend(&own[1..]);
    if rank > own.len() {
        shape.insert(0, lists);
    }
    (shape, values)
}

/// What layouts say of a field that has no pixels.
fn told(
    field: &str,
    images: &[ProcessedImage],
    names: &[String],
    expected: &Value,
) -> Result<Value, String> {
    let each = |tell: fn(&ProcessedImage) -> Value| Ok(images.iter().map(tell).collect::<Value>());
    match field {
        "image_grid_thw" => each(|image| match image.layout {
            Layout::Patches { rows, columns, .. } => json!([1, rows, columns]),
            _ => Value::Null,
        }),
        "image_sizes" => each(|image| match image.layout {
            Layout::WholeThenTiles { height, width, .. } => json!([height, width]),
            Layout::Masked { rows, columns, .. } => {
                json!([rows * image.shape[2], columns * image.shape[3]])
            }
            _ => json!([image.shape[2], image.shape[3]]),
        }),
        "num_patches" => each(|image| json!(image.shape[0])),
        "num_crops" => each(|image| json!(image.shape[0] - 1)),
        "num_img_tokens" => each(|image| match image.layout {
            Layout::Masked { tokens, .. } => json!(tokens),
            _ => Value::Null,
        }),
        "batch_num_images" => Ok(json!([names.len()])),
        "rows" | "cols" => {
            let sides = images.iter().map(|image| match image.layout {
                // transformers says 0 of an image without tiles.
                Layout::Tiles { rows: 1, columns: 1 } => 0,
                Layout::Tiles { rows, columns } => {
                    if field == "rows" {
                        rows
                    } else {
                        columns
                    }
                }
                _ => usize::MAX,
            });
            Ok(json!([sides.collect::<Vec<_>>()]))
        }
        "pixel_attention_mask" => {
            let pictures: usize = images.iter().map(|image| image.shape[0]).sum();
            let shape = [1, pictures, images[0].shape[2], images[0].shape[3]];
            let ones: usize = shape.iter().product();
            let bytes = 1_i64.to_le_bytes().repeat(ones);
            Ok(json!({"shape": shape, "sum": ones, "sha256_i64": sha256(&bytes)}))
        }
        "image_attention_mask" => {
            let sides = expected["shape"].as_array().unwrap();
            let picture = (sides[2].as_u64().unwrap() * sides[3].as_u64().unwrap()) as usize;
            let longest = images.iter().map(|image| image.shape[0]).max().unwrap();
            let mut ones = Vec::new();
            for image in images {
                let Layout::Masked { is_image, .. } = &image.layout else {
                    return Err("no mask".into());
                };
                ones.extend(is_image.iter().map(|one| f64::from(u8::from(*one))));
                ones.extend(vec![1.0; (longest - image.shape[0]) * picture]);
            }
            let sum: f64 = ones.iter().sum();
            let shown = expected["first"].as_array().unwrap().len();
            let (first, last) = (&ones[..shown], &ones[ones.len() - shown..]);
            let shape = json!([images.len(), longest, sides[2], sides[3]]);
            Ok(json!({"shape": shape, "first": first, "last": last, "sum": sum, "abs_sum": sum}))
        }
        _ => Err("nothing here knows what that is".to_owned()),
    }
}
