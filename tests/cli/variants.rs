//! The same rows in other words: one entry, several data sets.

use serde_json::Value as Json;

use crate::scratch::{CHOICES, Scratch, stderr, stdout};

/// What makes three data sets of one.
const VARIANTS: &str = r"
    variants=dict(
        long={'prompt_template.template': {'a': '{text} the old cat'}},
        same=dict()))
datasets";

fn config() -> String {
    CHOICES.replacen(")\ndatasets", &format!(",{VARIANTS}"), 1)
}

const SAMPLES: usize = 12;

fn run(scratch: &Scratch, config: &str) -> Json {
    scratch.write("config.py", config);
    let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn variants_are_data_sets_that_ask_only_what_differs() {
    let scratch = Scratch::new();
    let row = |index| format!("{{\"text\": \"once {index} upon\", \"answer\": \"a\"}}\n");
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());
    let outcome = run(&scratch, &config());
    let names: Vec<&str> = outcome["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["dataset"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["choices", "choices@long", "choices@same"]);
    assert_eq!(outcome["results"][0]["value"], outcome["results"][2]["value"]);
    // Two questions of the base and one of `long`; `same` has none of its own.
    assert_eq!(outcome["work"]["questions"], 3 * SAMPLES);
    let folder = scratch.only_run("out");
    assert!(folder.join("predictions/tiny/choices@long.json").is_file());
    let samples = scratch.export("out", "samples");
    let columns = |dataset: &str| -> Vec<Json> {
        let own = samples.iter().filter(|line| line["dataset"] == dataset);
        own.map(|line| line["columns"].clone()).collect()
    };
    assert_eq!(columns("choices"), columns("choices@long"));

    let more = config().replace(
        "same=dict()",
        "same=dict(), other={'prompt_template.template.b': '{text} the fish'}",
    );
    let outcome = run(&scratch, &more);
    assert_eq!(outcome["work"]["questions"], 4 * SAMPLES);
    assert_eq!(outcome["work"]["reused_questions"], 3 * SAMPLES);
}

#[test]
fn a_variant_that_cannot_be_is_an_error_with_its_place() {
    let scratch = Scratch::new();
    scratch.write("data/rows.jsonl", "{\"text\": \"x\", \"answer\": \"a\"}\n");
    let cases = [
        ("same=dict()", "base=dict()", "base"),
        ("same=dict()", "same=3", "must be a dict"),
        ("same=dict()", "same=dict(retreiver=dict(type='ZeroRetriever'))", "retreiver"),
        ("'prompt_template.template'", "'prompt_template.type.x'", "cannot reach into"),
    ];
    for (from, to, said) in cases {
        scratch.write("config.py", &config().replace(from, to));
        let output = scratch.run(&["run", "config.py", "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(stderr(&output).contains(said), "{to}: {}", stderr(&output));
        assert!(stderr(&output).contains("config.py:"), "{to}: {}", stderr(&output));
    }
}
