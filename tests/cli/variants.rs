//! The same rows in other words: one entry, several data sets.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value as Json;

use super::scratch::{CHOICES, Scratch, stderr, stdout};

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

/// How many tokens have to be computed at least for these texts: a token after the same ones before it once.
fn distinct_tokens(tokens: &[Json], is_wanted: impl Fn(&str) -> bool) -> usize {
    let mut texts: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for line in tokens.iter().filter(|line| is_wanted(line["dataset"].as_str().unwrap())) {
        let text = format!("{} {} {}", line["dataset"], line["row"], line["candidate"]);
        let token = ["position", "id"].map(|column| line[column].as_u64().unwrap());
        texts.entry(text).or_default().push(token.into());
    }
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    for mut tokens in texts.into_values() {
        tokens.sort_unstable();
        let ids: Vec<u64> = tokens.into_iter().map(|(_, id)| id).collect();
        seen.extend((1..=ids.len()).map(|length| ids[..length].to_vec()));
    }
    seen.len()
}

#[test]
fn six_wordings_cost_what_they_differ_in_and_a_seventh_its_own() {
    let wording = |name: &str, between: &str, before: &str| {
        format!(
            "{name}={{'prompt_template.template': {{label: '{before}{{text}}{between}' + word for label, word in words}}}}"
        )
    };
    let six = [
        wording("dots", " ... ", ""),
        wording("sat", " sat the ", ""),
        wording("then", " and then the ", ""),
        wording("once", " the ", "once upon a time "),
        wording("long", " was a little ", "once upon a time "),
    ];
    let config = |variants: &str| {
        let template = "template={label: '{text} the ' + word for label, word in words}";
        format!("words = [('a', 'cat'), ('b', 'dog')]\n{CHOICES}")
            .replace("template={'a': '{text} the cat', 'b': '{text} the dog'}", template)
            .replacen(")\ndatasets", &format!(",\n    variants=dict({variants}))\ndatasets"), 1)
    };
    let scratch = Scratch::new();
    let story = "there was a little cat who liked fish and a big dog who liked the cat ";
    let row = |index| format!("{{\"text\": \"{index} {story}\", \"answer\": \"a\"}}\n");
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());

    let outcome = run(&scratch, &config(&six.join(", ")));
    assert_eq!(outcome["results"].as_array().unwrap().len(), 6);
    let computed = outcome["work"]["computed_tokens"].as_u64().unwrap() as f64;
    let distinct = distinct_tokens(&scratch.export("out", "tokens"), |_| true);
    assert!(computed <= 1.05 * distinct as f64, "{computed} computed, {distinct} distinct");
    assert!(computed > 0.5 * distinct as f64, "{computed} computed, {distinct} distinct");

    let seventh = wording("seventh", " likes the ", "");
    let outcome = run(&scratch, &config(&format!("{}, {seventh}", six.join(", "))));
    let computed = outcome["work"]["computed_tokens"].as_u64().unwrap() as f64;
    let tokens = scratch.export("out", "tokens");
    let own = distinct_tokens(&tokens, |dataset| dataset == "choices@seventh");
    assert!(computed <= 1.05 * own as f64, "{computed} computed, {own} of the seventh");
    assert_eq!(outcome["work"]["reused_questions"], 6 * 2 * SAMPLES);
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

#[test]
fn labels_may_be_numbers_and_an_evaluation_holds_for_every_variant() {
    let scratch = Scratch::new();
    let row = |index| format!("{{\"text\": \"once {index} upon\", \"answer\": {}}}\n", index % 2);
    scratch.write("data/rows.jsonl", &(0..SAMPLES).map(row).collect::<String>());
    let plain = CHOICES.replace("{'a': '{text} the cat', 'b':", "{0: '{text} the cat', 1:");
    let variants = "variants=dict(old={'prompt_template.template': {0: '{text} the old cat'}})";
    run(&scratch, &plain.replacen(")\ndatasets", &format!(",\n    {variants})\ndatasets"), 1));
    let candidates = scratch.export("out", "candidates");
    let ends = |dataset: &str, label: &str, end: &str| {
        let mut own =
            candidates.iter().filter(|one| one["dataset"] == dataset && one["label"] == label);
        own.all(|one| one["prompt"].as_str().unwrap().ends_with(end))
    };
    assert!(candidates.len() == 4 * SAMPLES && ends("choices", "0", "the cat"));
    assert!(ends("choices@old", "0", "the old cat") && ends("choices@old", "1", "the dog"));

    scratch.write("other.py", &plain.replace("eval_cfg=dict(", "eval_cfg=dict(rule='sum', "));
    let output = scratch.run(&["evaluate", "latest", "other.py", "-w", "out", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let name = serde_json::from_str::<Json>(&stdout(&output)).unwrap()["name"].clone();
    let name = name.as_str().unwrap();
    let exported = scratch.run(&["export", name, "-w", "out", "--table", "candidates"]);
    let lines = stdout(&exported);
    assert!(lines.lines().count() == 4 * SAMPLES, "{lines}");
    assert!(lines.lines().all(|line| line.contains("\"rule\":\"sum\"")), "{lines}");
}
