//! Checkpoints that are damaged or odd.

use super::*;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/models/llama");

/// A copy of a whole checkpoint, to be damaged.
fn copy() -> tempfile::TempDir {
    copy_of(FIXTURE)
}

fn copy_of(fixture: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [CONFIG_FILE, "tokenizer.json", "model.safetensors"] {
        std::fs::copy(Path::new(fixture).join(file), folder.path().join(file)).unwrap();
    }
    folder
}

/// What opening the checkpoint says after `damage` was done to its `file`.
fn refusal(file: &str, damage: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    refusal_in(&copy(), file, damage)
}

fn refusal_in(
    folder: &tempfile::TempDir,
    file: &str,
    damage: impl Fn(Vec<u8>) -> Vec<u8>,
) -> String {
    let path = folder.path().join(file);
    std::fs::write(&path, damage(std::fs::read(&path).unwrap())).unwrap();
    Checkpoint::open_folder(folder.path()).unwrap_err().to_string()
}

fn replace(from: &'static str, to: &'static str) -> impl Fn(Vec<u8>) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "lengths in a weight file must stay");
    move |bytes| {
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    }
}

#[test]
fn damaged_weights_are_refused_with_file_and_tensor() {
    let weights = "model.safetensors";
    for (damage, expected) in [
        (refusal(weights, |bytes| bytes[..bytes.len() - 1].to_vec()), "damaged or incomplete"),
        (refusal(weights, |bytes| bytes[..100].to_vec()), "damaged or incomplete"),
        (refusal(weights, |_| vec![0xff; 64]), "damaged or incomplete"),
        (refusal(weights, |_| Vec::new()), "model.safetensors"),
        (refusal(weights, replace("[320,32]", "[32,320]")), "has shape [32, 320]"),
        (refusal(weights, replace("[64,32]", "[64,31]")), "damaged or incomplete"),
        (refusal(weights, replace("lm_head.weight", "lm_hood.weight")), "`lm_head.weight`"),
        (refusal(weights, replace("\"BF16\"", "\"I16\" ")), "of type I16"),
        (refusal(CONFIG_FILE, replace("\"hidden_size\": 32", "\"hidden_size\": 40")), "[320, 40]"),
        (refusal(CONFIG_FILE, replace("\"vocab_size\": 320", "\"vocab_size\": 300")), "has id 319"),
        (refusal(CONFIG_FILE, |bytes| bytes[..20].to_vec()), "not valid JSON"),
        (refusal("tokenizer.json", |bytes| bytes[..200].to_vec()), "not a tokenizer"),
        (
            refusal(CONFIG_FILE, replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1")),
            "the config does not account for",
        ),
    ] {
        assert!(damage.contains(expected), "{damage:?} does not say {expected:?}");
    }
}

#[test]
fn eight_bit_floats_without_all_that_says_what_they_are_are_refused() {
    let weights = "model.safetensors";
    let fixture = |name: &str| {
        copy_of(&format!("{}/tests/fixtures/models/{name}", env!("CARGO_MANIFEST_DIR")))
    };
    let outputs = || fixture("llama-fp8-outputs");
    let scale = "self_attn.k_proj.weight_scale";
    for (message, expected) in [
        (
            refusal_in(
                &outputs(),
                CONFIG_FILE,
                replace("\"quantization_config\"", "\"quantization_confit\""),
            ),
            "F8_E4M3, of whose scales the config says nothing",
        ),
        (
            refusal_in(&outputs(), CONFIG_FILE, replace("fbgemm_fp8", "fbgemm_fp9")),
            "few bits (`quantization_config.quant_method`",
        ),
        (
            refusal_in(&outputs(), weights, replace(scale, "self_attn.k_proj.weight_scala")),
            "without its scales, `model.layers.0.self_attn.k_proj.weight_scale`",
        ),
        (
            refusal_in(&outputs(), weights, replace("[16,1]", "[1,16]")),
            "has shape [1, 16], but the config implies [16, 1]",
        ),
        (refusal_in(&outputs(), weights, replace("\"F8_E4M3\"", "\"F8_E5M2\"")), "of type F8_E5M2"),
        (
            refusal_in(
                &fixture("mistral-fp8-static"),
                weights,
                replace("k_proj.activation_scale", "k_proj.activation_stale"),
            ),
            "k_proj.activation_stale`, which the config does not account for",
        ),
    ] {
        assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    }
}

#[test]
fn eight_bit_floats_take_a_byte_each() {
    let of = |name: &str| {
        let folder = format!("{}/tests/fixtures/models/{name}", env!("CARGO_MANIFEST_DIR"));
        Checkpoint::open_folder(Path::new(&folder)).unwrap()
    };
    let (rounded, whole) = (of("llama-fp8-outputs"), of("llama"));
    assert_eq!(rounded.parameters(), whole.parameters());
    // In each of two layers query and output 32 × 32, key and value 16 × 32 (in one weight of 64 outputs), gate, up and down
    // 32 × 64; one byte less each, and for every output a scale of four bytes.
    let (codes, outputs) = (64 * 32 + 32 * 32 + 3 * 32 * 64, 64 + 32 + 64 + 64 + 32);
    assert_eq!(whole.weight_bytes() - rounded.weight_bytes(), 2 * (codes - 4 * outputs));
    assert_eq!(rounded.bytes().layers.len(), 2);
    assert_eq!(rounded.bytes().sum(), rounded.weight_bytes());
}

#[test]
fn weights_that_are_shortened_after_they_were_opened_end_with_a_message() {
    let folder = copy();
    let path = folder.path().join("model.safetensors");
    let load = |checkpoint: &Checkpoint| checkpoint.load(&Device::Cpu, DType::F32).map(|_| ());
    let bytes = std::fs::read(&path).unwrap();
    for left in [0, 4096, bytes.len() - 1] {
        std::fs::write(&path, &bytes).unwrap();
        let checkpoint = Checkpoint::open_folder(folder.path()).unwrap();
        load(&checkpoint).unwrap();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(left as u64).unwrap();
        let message = load(&checkpoint).unwrap_err().to_string();
        assert!(message.contains("model.safetensors: had"), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn settings_that_are_no_regular_files_are_refused_and_never_waited_for() {
    for file in [
        CONFIG_FILE,
        "generation_config.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "model.safetensors",
    ] {
        let refusal = |make: &dyn Fn(&Path)| {
            let folder = copy();
            let path = folder.path().join(file);
            let _ = std::fs::remove_file(&path);
            make(&path);
            Checkpoint::open_folder(folder.path()).unwrap_err().to_string()
        };
        let pipe = refusal(&|path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        });
        assert!(pipe.contains(file) && pipe.contains("a named pipe"), "{pipe}");
        let device = refusal(&|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
        assert!(device.contains(file) && device.contains("a device"), "{device}");
        let inner = refusal(&|path| std::fs::create_dir(path).unwrap());
        assert!(inner.contains(file) && inner.contains("a folder"), "{inner}");
        if Path::new(file).extension().is_some_and(|ending| ending == "json") {
            let long = refusal(&|path| {
                std::fs::File::create(path).unwrap().set_len(300 << 20).unwrap();
            });
            assert!(long.contains(file) && long.contains("MB"), "{long}");
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    for file in [CONFIG_FILE, "tokenizer.json", "model.safetensors"] {
        let folder = copy();
        std::fs::remove_file(folder.path().join(file)).unwrap();
        let message = Checkpoint::open_folder(folder.path()).unwrap_err().to_string();
        assert!(message.contains(file), "{message}");
    }
}

#[test]
fn a_tokenizer_may_be_sentencepieces() {
    const MODEL: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sentencepiece/unigram");
    let folder = copy();
    let place = |file: &str| folder.path().join(file);
    std::fs::copy(Path::new(MODEL).join("tokenizer.model"), place("tokenizer.model")).unwrap();
    let used =
        |file: &str| Checkpoint::open_folder(folder.path()).unwrap().files().contains(&place(file));
    assert!(used("tokenizer.json") && !used("tokenizer.model"));
    std::fs::remove_file(place("tokenizer.json")).unwrap();
    assert!(used("tokenizer.model") && !used("tokenizer.json"));
    std::fs::write(place("tokenizer.model"), "not a model").unwrap();
    let message = Checkpoint::open_folder(folder.path()).unwrap_err().to_string();
    assert!(message.contains("tokenizer.model: not a sentencepiece model"), "{message}");
}

#[test]
fn shards_are_read_through_their_index() {
    let folder = copy();
    let place = |file: &str| folder.path().join(file);
    std::fs::rename(place("model.safetensors"), place("model-1.safetensors")).unwrap();
    let bytes = std::fs::read(place("model-1.safetensors")).unwrap();
    let names = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let map: serde_json::Map<String, serde_json::Value> = names
        .names()
        .into_iter()
        .map(|name| (name.to_owned(), "model-1.safetensors".into()))
        .collect();
    let open = |map: &serde_json::Map<String, serde_json::Value>| {
        let index = serde_json::json!({ "weight_map": map });
        std::fs::write(place("model.safetensors.index.json"), index.to_string()).unwrap();
        Checkpoint::open_folder(folder.path()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(open(&map), Ok(()));

    let mut missing = map.clone();
    missing.insert("x".to_owned(), "model-2.safetensors".into());
    assert!(open(&missing).unwrap_err().contains("model-2.safetensors"));
    let mut wrong = map.clone();
    wrong.insert("x".to_owned(), "model-1.safetensors".into());
    assert!(open(&wrong).unwrap_err().contains("`x` is not in"));
    let mut outside = map;
    outside.insert("x".to_owned(), "../model-1.safetensors".into());
    assert!(open(&outside).unwrap_err().contains("no valid file name"));
}
