//! Settings with numbers that no model has: a checkpoint is refused or loads, and what has loaded sees or says why not.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use candle_core::{DType, Device};
use serde_json::{Value, json};
use surprisal::image::{Pixels, Size};
use surprisal::model::Checkpoint;
use surprisal::model::vision::VisionModel;

use super::bad_input::{is_one_line, models};
use super::json as read_json;

/// Changes for each model, unless the environment variable `SURPRISAL_VISION_CHANGES` says another number.
const CHANGES: u64 = 25;

const FILES: [&str; 3] = ["config.json", "preprocessor_config.json", "processor_config.json"];

/// What stands in the place of a number.
fn absurd() -> [Value; 14] {
    [
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(-1),
        json!(1000),
        json!(1_000_000_007_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!(0.5),
        json!("many"),
        Value::Null,
        json!([]),
    ]
}

/// Numbers that look random and are always the same.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 33) as usize) % count
    }
}

/// Where numbers stand in a file, as JSON pointers.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(all) => {
            for (place, value) in all.iter().enumerate() {
                numbers(value, &format!("{at}/{place}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                numbers(value, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn absurd_numbers_are_refused_or_load() {
    let changes = std::env::var("SURPRISAL_VISION_CHANGES");
    let changes = changes.map_or(CHANGES, |changes| changes.parse().unwrap());
    let mut failures = Vec::new();
    for (seed, folder) in (11..).zip(models()) {
        let mut draws = Draws(seed);
        let own = tempfile::tempdir().unwrap();
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            if name == "model.safetensors" {
                std::os::unix::fs::symlink(&path, own.path().join(name)).unwrap();
            } else {
                fs::write(own.path().join(name), fs::read(&path).unwrap()).unwrap();
            }
        }
        let mut places = Vec::new();
        for file in FILES.iter().filter(|file| folder.join(file).exists()) {
            let value = read_json(&folder.join(file));
            let mut found = Vec::new();
            numbers(&value, "", &mut found);
            places.extend(found.into_iter().map(|place| (*file, place)));
        }
        for _ in 0..changes {
            let (file, place) = &places[draws.below(places.len())];
            let value = absurd()[draws.below(absurd().len())].clone();
            let mut changed = read_json(&folder.join(file));
            *changed.pointer_mut(place).unwrap() = value.clone();
            fs::write(own.path().join(file), changed.to_string()).unwrap();
            let what = format!("{}: {file}{place} = {value}", folder.display());
            if std::env::var_os("SURPRISAL_VISION_CHANGES").is_some() {
                println!("{what}");
            }
            if catch_unwind(|| open_and_see(own.path(), &what)).is_err() {
                failures.push(what);
            }
            fs::copy(folder.join(file), own.path().join(file)).unwrap();
        }
    }
    assert!(failures.is_empty(), "a panic with\n{}", failures.join("\n"));
}

fn open_and_see(folder: &Path, what: &str) {
    match Checkpoint::open_folder(folder) {
        Ok(checkpoint) => {
            if let Err(error) = checkpoint.load(&Device::Cpu, DType::F32) {
                is_one_line(what, &error);
            }
        }
        Err(error) => is_one_line(what, &error),
    }
    let model = match VisionModel::load(folder, &Device::Cpu, DType::F32) {
        Ok(model) => model,
        Err(error) => return is_one_line(what, &error),
    };
    let levels = (0..30 * 20 * 3).map(|level| (level * 7 % 251) as u8).collect();
    let pixels = Pixels::new(Size { width: 30, height: 20 }, levels).unwrap();
    let image = match model.processed(&pixels, 1) {
        Ok(image) => image,
        Err(error) => return is_one_line(what, &error),
    };
    // Many pixels are computed by anybody who asks for them.
    if image.values.len() > 1 << 20 {
        return;
    }
    if let Err(error) = model.rows(&image) {
        is_one_line(what, &error);
    }
}
