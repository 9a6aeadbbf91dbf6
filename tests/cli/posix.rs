//! Prompt sensitivity: asked on request, its cost told first, its figure that of the formula.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::scratch::{CHOICES, Scratch, stderr, stdout};

const SAMPLES: usize = 6;

/// Σ nll and tokens of the answer of each candidate, and which of them is chosen.
type Wording = (Vec<(f64, f64)>, usize);

/// Three wordings of a choice, or of a question that is continued.
fn scratch(is_generated: bool) -> Scratch {
    let scratch = Scratch::new();
    let template = "template={'a': '{text} the cat', 'b': '{text} the dog'}";
    assert!(CHOICES.contains(template));
    let mut config = CHOICES.to_owned();
    let variants = if is_generated {
        config = config.replace(template, "template='{text} the'").replace(
            "inferencer=dict(type='PPLInferencer')",
            "inferencer=dict(type='GenInferencer', max_out_len=3)",
        );
        "far={'prompt_template.template': 'once {text} the'}, \
         near={'prompt_template.template': '{text} a'}"
    } else {
        "far={'prompt_template.template': {'a': 'once {text} the cat', 'b': 'once {text} the dog'}}, \
         near={'prompt_template.template': {'a': '{text} a cat', 'b': '{text} a dog'}}"
    };
    let config =
        config.replacen(")\ndatasets", &format!(",\n    variants=dict({variants}))\ndatasets"), 1);
    scratch.write("config.py", &config);
    let row = |index| format!("{{\"text\": \"time {index} upon\", \"answer\": \"a\"}}\n");
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());
    scratch
}

fn compared(scratch: &Scratch) -> (Json, String) {
    let output = scratch.run(&["compare", "config.py", "-w", "out", "--posix", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found: Json = serde_json::from_str(&stdout(&output)).unwrap();
    (found["comparisons"][0].clone(), stderr(&output))
}

#[test]
fn the_index_is_that_of_the_formula() {
    let scratch = scratch(false);
    let (comparison, said) = compared(&scratch);
    let cost = said.find("POSIX of choices, model tiny: 0 scores").expect(&said);
    assert!(said[cost..].contains("3 variants"), "{said}");
    // Every wording ends in the same two answers, so that the run has scored all of it.
    let candidates = scratch.export("out", "candidates");
    let mut rows: BTreeMap<u64, Vec<Wording>> = BTreeMap::new();
    for dataset in ["choices", "choices@far", "choices@near"] {
        for row in 0..SAMPLES as u64 {
            let own: Vec<&Json> = candidates
                .iter()
                .filter(|one| one["dataset"] == dataset && one["row"] == row)
                .collect();
            let number = |one: &Json, column: &str| one[column].as_f64().unwrap();
            let nats = own
                .iter()
                .map(|one| (number(one, "answer_nll_nats"), number(one, "answer_tokens")))
                .collect();
            let chosen = own.iter().position(|one| one["is_chosen"] == true).unwrap();
            rows.entry(row).or_default().push((nats, chosen));
        }
    }
    let index = |wordings: &Vec<Wording>| {
        let mut total = 0.0;
        for (own, chosen) in wordings {
            let (nats, tokens) = own[*chosen];
            total += wordings
                .iter()
                .map(|(other, _)| (other[*chosen].0 - nats).abs() / tokens)
                .sum::<f64>();
        }
        total / 6.0
    };
    let expected = rows.values().map(index).sum::<f64>() / SAMPLES as f64;
    let posix = &comparison["posix"];
    let found = posix["nats_per_token"].as_f64().unwrap();
    assert!((found - expected).abs() < 1e-5, "{found}, expected {expected}");
    assert_eq!((&posix["samples"], &posix["left_out"]), (&Json::from(SAMPLES), &Json::from(0)));
}

#[test]
fn answers_are_scored_after_each_others_wording_and_kept() {
    let scratch = scratch(true);
    let (comparison, said) = compared(&scratch);
    // Three answers after three wordings each.
    let scores = format!("POSIX of choices, model tiny: {} scores", 9 * SAMPLES);
    assert!(said.contains(&scores), "{said}");
    assert!(comparison["posix"]["nats_per_token"].as_f64().unwrap() > 0.0);
    let (again, said) = compared(&scratch);
    assert!(said.contains("0 tokens computed"), "{said}");
    assert_eq!(again["posix"], comparison["posix"]);
    // Without it the run is another one, and says nothing of it.
    let output = scratch.run(&["compare", "config.py", "-w", "out", "--json"]);
    let found: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(found["comparisons"][0]["posix"].is_null());
}

#[test]
fn without_variants_or_a_config_it_is_refused() {
    let scratch = Scratch::new();
    scratch.write("config.py", CHOICES);
    scratch.write("data/rows.jsonl", "{\"text\": \"once\", \"answer\": \"a\"}\n");
    let output = scratch.run(&["run", "config.py", "-w", "out", "--posix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("variants of a data set"), "{}", stderr(&output));
    let output = scratch.run(&["compare", "latest", "-w", "out", "--posix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--posix says how a config is run"), "{}", stderr(&output));
}
