//! Two models over the same text.

use serde_json::Value as Json;

use super::scratch::{Scratch, copy_folder, stderr, stdout};

/// A model, the same one with its norms softened, and a text that both read.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let models = scratch.path().join("models");
    copy_folder(&models.join("tiny-llama-bos"), &models.join("other"));
    let config = std::fs::read_to_string(models.join("other/config.json")).unwrap();
    let mut config: Json = serde_json::from_str(&config).unwrap();
    config["rms_norm_eps"] = Json::from(0.1);
    scratch.write("models/other/config.json", &config.to_string());
    let words = ["the dog ran home ", "a red box, 17 times; ", "who said so?\n"];
    let text: String = (0..200).map(|index| words[(index * index) % 3]).collect();
    scratch.write("text.txt", &text);
    scratch.write("rows.jsonl", &format!("{}\n", serde_json::json!({ "words": text })));
    scratch
}

fn report(scratch: &Scratch, arguments: &[&str]) -> Json {
    let output = scratch.run(&[&["compare-models", "--json"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn value(report: &Json, name: &str) -> f64 {
    report[name]["value"].as_f64().unwrap()
}

#[test]
fn a_model_is_not_far_from_itself() {
    let scratch = scratch();
    let model = "models/tiny-llama-bos";
    let report = report(&scratch, &[model, model, "text.txt", "--window-tokens", "64"]);
    for (name, expected) in
        [("divergence_nats", 0.0), ("ppl_ratio", 1.0), ("same_top_percent", 100.0)]
    {
        assert_eq!(report[name]["value"], expected, "{name}");
    }
    let windows = report["windows"].as_u64().unwrap();
    assert_eq!(report["scored_tokens"].as_u64().unwrap(), windows * 31);
}

#[test]
fn what_differs_is_measured_however_the_text_is_stored() {
    let scratch = scratch();
    let models = ["models/tiny-llama-bos", "models/other"];
    let found = report(&scratch, &[models[0], models[1], "text.txt", "--window-tokens", "64"]);
    assert!(value(&found, "divergence_nats") > 1e-4, "{found}");
    let ratio = value(&found, "other_ppl") / value(&found, "base_ppl");
    assert!((value(&found, "ppl_ratio") - ratio).abs() < 1e-9 * ratio);
    let spread = &found["divergence_spread_nats"];
    assert!(spread["minimum"].as_f64().unwrap() >= -1e-9);
    assert!(spread["maximum"].as_f64().unwrap() > spread["median"].as_f64().unwrap());
    let rows = ["rows.jsonl", "--column", "words", "--window-tokens", "64"];
    assert_eq!(report(&scratch, &[&models[..], &rows].concat()), found);

    let two = report(&scratch, &[&models[..], &rows, &["--windows", "2"]].concat());
    assert_eq!((two["windows"].as_u64(), two["scored_tokens"].as_u64()), (Some(2), Some(62)));
    let table = scratch.run(&[&["compare-models"], &models[..], &rows].concat());
    for words in ["mean KL divergence", "same top token", "99.9 %"] {
        assert!(stdout(&table).contains(words), "{}", stdout(&table));
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let scratch = scratch();
    scratch.write("short.txt", "the dog");
    let model = "models/tiny-llama-bos";
    let cases: [(&[&str], &str); 5] = [
        (&[model, model, "short.txt"], "reads at most 128 tokens"),
        (&[model, model, "short.txt", "--window-tokens", "64"], "give a longer text"),
        (&[model, model, "missing.txt", "--window-tokens", "64"], "cannot be read"),
        (&[model, model, "rows.jsonl", "--window-tokens", "64"], "name one of: words"),
        (&[model, "models/none", "text.txt"], "models/none"),
    ];
    for (arguments, words) in cases {
        let output = scratch.run(&[&["compare-models"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
}
