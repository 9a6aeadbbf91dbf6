//! `models/NAME` of models that hear: prompts with sounds → features, ids, and the rows that towers make of sounds.

use std::{fs, path::Path};

use candle_core::{DType, Device, Tensor};
use serde_json::{Value, json};
use surprisal::audio::{ProcessedAudio, Sound, decode};
use surprisal::engine::{Engine, EngineOptions, ScoreRequest};
use surprisal::model::audio::AudioModel;
use surprisal::model::vision::ImageRows;
use surprisal::model::{Checkpoint, Tokenizer};

use super::{Tally, equal, folder, json as read_json};

/// How far a number of a row may be from that of the file.
const ROW_TOLERANCE: f64 = 2e-4;

/// How far features may be from those of a file, which has six digits.
const FEATURE_TOLERANCE: f32 = 1e-5;

macro_rules! heard {
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

heard! { qwen2_audio voxtral }

#[test]
fn sound_that_makes_no_row_is_refused() {
    let folder = folder().join("models/qwen2_audio");
    if !folder.join("model.safetensors").exists() {
        println!("models/qwen2_audio: no weights are in the folder; skipped");
        return;
    }
    let model = AudioModel::load(&folder, &Device::Cpu, DType::F32).unwrap();
    let processed = |samples| {
        let sound = Sound::new(vec![0.1; samples], 1, 16_000).unwrap();
        model.processed(&sound).unwrap()
    };
    let short = processed(320);
    assert!(model.rows(&short).unwrap_err().to_string().contains("too short"));
    let rendered = model.placeholder();
    assert!(model.expanded(rendered, &[short]).unwrap_err().to_string().contains("too short"));
    let enough = processed(321);
    assert_eq!(model.rows(&enough).unwrap().dims(), [1, 32]);
    let none = model.expanded("", &[enough]).unwrap_err().to_string();
    assert!(none.contains("0 places for audio"), "{none}");
}

#[test]
fn configs_that_are_not_computed_are_refused_by_their_field() {
    for (name, file, field, value) in [
        ("qwen2_audio", "config.json", "/audio_config/encoder_attention_heads", json!(5)),
        ("qwen2_audio", "config.json", "/audio_config/max_source_positions", json!(50)),
        ("qwen2_audio", "config.json", "/audio_config/num_mel_bins", json!(80)),
        ("qwen2_audio", "config.json", "/audio_config/scale_embedding", json!(true)),
        ("qwen2_audio", "config.json", "/audio_config/activation_function", json!("sine")),
        ("qwen2_audio", "config.json", "/audio_config/model_type", json!("whisper")),
        ("qwen2_audio", "config.json", "/audio_config", json!(null)),
        ("qwen2_audio", "config.json", "/text_config", json!(null)),
        ("qwen2_audio", "config.json", "/audio_token_index", json!(-1)),
        ("qwen2_audio", "config.json", "/model_type", json!("qwen2")),
        ("qwen2_audio", "processor_config.json", "/audio_token", json!("")),
        ("qwen2_audio", "processor_config.json", "/feature_extractor/dither", json!(0.5)),
        ("voxtral", "config.json", "/audio_token_id", json!(null)),
        ("voxtral", "config.json", "/projector_hidden_act", json!("sine")),
        ("voxtral", "preprocessor_config.json", "/padding_side", json!("left")),
    ] {
        let from = folder().join("models").join(name);
        if !from.join("model.safetensors").exists() {
            println!("models/{name}: no weights are in the folder; skipped");
            continue;
        }
        let scratch = tempfile::tempdir().unwrap();
        for entry in from.read_dir().unwrap().map(Result::unwrap) {
            let bytes = fs::read(entry.path()).unwrap();
            fs::write(scratch.path().join(entry.file_name()), bytes).unwrap();
        }
        let mut settings = read_json(&from.join(file));
        *settings.pointer_mut(field).unwrap() = value;
        fs::write(scratch.path().join(file), settings.to_string()).unwrap();
        let error = AudioModel::load(scratch.path(), &Device::Cpu, DType::F32);
        let error = error.unwrap_err().to_string();
        let last = field.rsplit('/').next().unwrap();
        // The usual names of Whisper's fields.
        let last = last.trim_start_matches("encoder_");
        let told = if field == "/model_type" { "hears no audio" } else { last };
        assert!(error.contains(told), "{field}: {error}");
    }
}

fn compare(models: &Path) -> Tally {
    let expected = read_json(&models.join("expected.json"));
    let model = AudioModel::load(models, &Device::Cpu, DType::F32)
        .unwrap_or_else(|error| panic!("{}: {error}", models.display()));
    let tokenizer = Tokenizer::read(models).unwrap();
    let decoder = Checkpoint::open_folder(models).unwrap().load(&Device::Cpu, DType::F32).unwrap();
    let engine = Engine::new(decoder, EngineOptions::default());
    let mut tally = Tally::default();
    for case in expected["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let audios: Vec<ProcessedAudio> =
            sounds(case).iter().map(|sound| model.processed(sound).unwrap()).collect();
        tally.add(&format!("{name} ids"), compare_ids(&model, &tokenizer, case, &audios));
        if audios.is_empty() {
            continue;
        }
        tally.add(&format!("{name} features"), compare_features(case, &audios));
        tally.add(&format!("{name} rows"), compare_rows(&model, case, &audios));
        tally.add(&format!("{name} nll"), compare_nlls(&engine, &model, case, &audios));
        tally.add(&format!("{name} remarks"), compare_remarks(&model, case, &audios));
        if name == "audio" {
            let outcome = compare_file(&models.join("processor_audio.safetensors"), &audios[0]);
            tally.add("processor_audio.safetensors", outcome);
        }
    }
    tally
}

/// The surprisals of a case whose sounds stand in their places.
fn compare_nlls(
    engine: &Engine,
    model: &AudioModel,
    case: &Value,
    audios: &[ProcessedAudio],
) -> Result<(), String> {
    let audio_id = model.audio_id(engine.tokenizer()).unwrap();
    let mut own = Vec::new();
    for (place, audio) in audios.iter().enumerate() {
        let rows = || {
            let rows =
                model.rows(audio).map_err(|error| candle_core::Error::msg(error.to_string()))?;
            Ok::<_, candle_core::Error>(ImageRows { rows, added: Vec::new(), grid: None })
        };
        own.extend(engine.image_ids(&format!("{} {place}", case["name"]), false, rows).unwrap());
    }
    let mut own = own.into_iter();
    let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
    let ids = ids.into_iter().map(|id| if id == audio_id { own.next().unwrap() } else { id });
    let request = ScoreRequest { ids: ids.collect(), first_target: 1 };
    let score = engine.score(&[request], &mut |_| ()).remove(0);
    let found = score.map_err(|error| error.to_string())?.nlls;
    let wanted: Vec<Option<f64>> = serde_json::from_value(case["nll"].clone()).unwrap();
    equal(&found.len(), &wanted.len())?;
    let apart = found
        .iter()
        .zip(&wanted)
        .filter_map(|(found, wanted)| wanted.map(|wanted| (f64::from(*found) - wanted).abs()));
    let most = apart.fold(0f64, f64::max);
    if most > ROW_TOLERANCE { Err(format!("{most} nats apart")) } else { Ok(()) }
}

/// The sounds of a case, in the order of its conversation.
fn sounds(case: &Value) -> Vec<Sound> {
    let names: Vec<String> = serde_json::from_value(case["audio"].clone()).unwrap();
    let sound = |name: &String| {
        let bytes = fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    names.iter().map(sound).collect()
}

fn compare_ids(
    model: &AudioModel,
    tokenizer: &Tokenizer,
    case: &Value,
    audios: &[ProcessedAudio],
) -> Result<(), String> {
    let rendered = if let Some(rendered) = case["rendered"].as_str() {
        rendered.to_owned()
    } else {
        // Prompts of Voxtral come from no template.
        let places = model.placeholder().repeat(audios.len());
        format!("<s>[INST]{places}{}[/INST]", case["text"].as_str().unwrap())
    };
    let expanded = model.expanded(&rendered, audios).map_err(|error| error.to_string())?;
    // A prompt that already begins with the first token does not get it twice.
    let bos = tokenizer.bos_id().map(|id| tokenizer.token_text(id));
    let adds = bos.is_none_or(|bos| !expanded.starts_with(&bos));
    let ids = tokenizer.encode(&expanded, adds).unwrap();
    let wanted: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
    equal(&ids, &wanted)?;
    let Some(count) = case["image_embeds"]["count"].as_u64() else { return Ok(()) };
    let audio_id = model.audio_id(tokenizer).map_err(|error| error.to_string())?;
    equal(&(ids.iter().filter(|id| **id == audio_id).count() as u64), &count)
}

fn compare_features(case: &Value, audios: &[ProcessedAudio]) -> Result<(), String> {
    let expected = &case["processor"]["input_features"];
    let [_, bins, frames] = audios[0].shape;
    let chunks: usize = audios.iter().map(|audio| audio.shape[0]).sum();
    equal(&json!([chunks, bins, frames]), &expected["shape"])?;
    if let Some(heard) = case["processor"].get("feature_attention_mask") {
        let counts: Vec<usize> = audios.iter().map(|audio| audio.heard_frames).collect();
        equal(&json!(counts), &heard["row_sums"])?;
    }
    let values: Vec<f32> = audios.iter().flat_map(|audio| audio.values.clone()).collect();
    let (found, wanted) = ends(&values, expected);
    near(&found, &wanted, FEATURE_TOLERANCE)?;
    compare_sums(&values, expected, 1e-5)
}

fn compare_rows(model: &AudioModel, case: &Value, audios: &[ProcessedAudio]) -> Result<(), String> {
    let expected = &case["image_embeds"];
    let rows: Vec<Tensor> = audios
        .iter()
        .map(|audio| model.rows(audio).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let rows = Tensor::cat(&rows, 0).unwrap();
    equal(&json!(rows.dims()), &expected["shape"])?;
    let values: Vec<f32> = rows.flatten_all().unwrap().to_vec1().unwrap();
    let (found, wanted) = ends(&values, expected);
    near(&found, &wanted, ROW_TOLERANCE as f32)?;
    compare_sums(&values, expected, 1e-4)
}

/// Something is told of sounds that are longer than a chunk, and of no other.
fn compare_remarks(
    model: &AudioModel,
    case: &Value,
    audios: &[ProcessedAudio],
) -> Result<(), String> {
    let told: Vec<bool> = audios.iter().map(|audio| model.remark(audio).is_some()).collect();
    let is_long = |name: &Value| name == "audio/over.wav";
    equal(&told, &case["audio"].as_array().unwrap().iter().map(is_long).collect())
}

/// The whole tensor of the case `audio`.
fn compare_file(path: &Path, audio: &ProcessedAudio) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let tensor = file.tensor("input_features").unwrap();
    equal(&tensor.shape(), &&audio.shape[..])?;
    let (numbers, _) = tensor.data().as_chunks::<4>();
    let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    near(&audio.values, &numbers, FEATURE_TOLERANCE)
}

/// The first and the last numbers, and what they should be.
fn ends(values: &[f32], expected: &Value) -> (Vec<f32>, Vec<f32>) {
    let end = |name: &str| serde_json::from_value::<Vec<f32>>(expected[name].clone()).unwrap();
    let (first, last) = (end("first"), end("last"));
    let found = [&values[..first.len()], &values[values.len() - last.len()..]].concat();
    (found, [first, last].concat())
}

fn near(found: &[f32], expected: &[f32], most: f32) -> Result<(), String> {
    equal(&found.len(), &expected.len())?;
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    if apart <= most { Ok(()) } else { Err(format!("numbers are {apart} apart")) }
}

/// The sums of the numbers and of their sizes, which may be a share of the latter apart.
fn compare_sums(values: &[f32], expected: &Value, share: f64) -> Result<(), String> {
    let sum = |size: fn(f64) -> f64| values.iter().map(|value| size(f64::from(*value))).sum();
    let sums: [f64; 2] = [sum(|value| value), sum(f64::abs)];
    let wanted = ["sum", "abs_sum"].map(|name| expected[name].as_f64().unwrap());
    let most = wanted[1] * share;
    if sums.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= most) {
        return Ok(());
    }
    Err(format!("the sums are {sums:?} instead of {wanted:?}"))
}
