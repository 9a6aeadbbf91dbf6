//! `surprisal evaluate --rule`: a kept run under other scoring rules.

use serde_json::Value as Json;

use super::scratch::{CHOICES, Scratch, stderr, stdout};

/// Rows of which every third has equal candidates, under `oc_ppl`.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CHOICES);
    let row = |index: usize| {
        format!("{{\"text\": \"once {index}\", \"answer\": \"{}\"}}\n", ["a", "b"][index % 2])
    };
    scratch.write("data/rows.jsonl", &(0..12).map(row).collect::<String>());
    scratch
}

fn json(scratch: &Scratch, arguments: &[&str]) -> Json {
    let output = scratch.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn every_rule_gives_what_a_run_by_it_gives() {
    let scratch = scratch();
    json(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    let rows = json(&scratch, &["evaluate", "latest", "-w", "out", "--rule", "all", "--json"]);
    let rows = rows.as_array().unwrap();
    let rules: Vec<&str> = rows.iter().map(|row| row["rule"].as_str().unwrap()).collect();
    assert_eq!(
        rules,
        ["ais_ppl", "oc_ppl", "per_byte", "per_char", "per_token", "sum", "text_sum"]
    );
    for row in rows {
        let rule = row["rule"].as_str().unwrap();
        assert_eq!(row["is_own"], rule == "oc_ppl");
        let own = CHOICES.replace("eval_cfg=dict(", &format!("eval_cfg=dict(rule='{rule}', "));
        scratch.write("own.py", &own);
        let outcome = json(&scratch, &["run", "own.py", "-w", rule, "--json"]);
        assert_eq!(row["value"], outcome["results"][0]["value"], "{rule}");
        let again = json(&scratch, &["evaluate", "latest", "-w", "out", "--rule", rule, "--json"]);
        assert_eq!(row["value"], again["results"][0]["value"], "{rule}");
        let choices = |folder: &str| -> Vec<Json> {
            let lines = scratch.export(folder, "samples");
            lines.iter().map(|line| line["prediction"].clone()).collect()
        };
        let differ = choices("out").iter().zip(choices(rule)).filter(|(a, b)| *a != b).count();
        assert_eq!(row["other_choices"], differ, "{rule}");
    }
}

#[test]
fn ties_and_answers_of_unequal_length_are_counted() {
    let scratch = scratch();
    let equal = CHOICES.replace("{text} the dog", "{text} the cat");
    scratch.write("config.py", &equal);
    json(&scratch, &["run", "config.py", "-w", "equal", "--json"]);
    let rows = json(&scratch, &["evaluate", "latest", "-w", "equal", "--rule", "all", "--json"]);
    for row in rows.as_array().unwrap() {
        assert_eq!((&row["ties"], &row["near_ties"]), (&12.into(), &0.into()), "{row}");
        assert_eq!(row["unequal_lengths"], 0, "{row}");
    }
    scratch.write("config.py", &CHOICES.replace("{text} the dog", "{text} the dog and a horse"));
    json(&scratch, &["run", "config.py", "-w", "unequal", "--json"]);
    let output = scratch.run(&["evaluate", "latest", "-w", "unequal", "--rule", "all"]);
    let printed = stdout(&output);
    assert!(printed.contains("in 12 of 12 samples the candidates' answers"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

#[test]
fn a_rule_that_cannot_score_a_run_is_refused_by_name() {
    let scratch = scratch();
    // The candidates have nothing in common before them.
    let config =
        CHOICES.replace("{text} the cat", "cat {text}").replace("{text} the dog", "dog {text}");
    scratch.write("config.py", &config);
    json(&scratch, &["run", "config.py", "-w", "out", "--json"]);
    let output = scratch.run(&["evaluate", "latest", "-w", "out", "--rule", "sum"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the rule sum scores the answer"), "{}", stderr(&output));
    let rows = json(&scratch, &["evaluate", "latest", "-w", "out", "--rule", "all", "--json"]);
    let rules: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["ais_ppl", "oc_ppl", "text_sum"]);
    let output = scratch.run(&["evaluate", "latest", "-w", "out", "--rule", "longest"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("longest"), "{}", stderr(&output));
    let generation = CHOICES
        .replace(
            "template={'a': '{text} the cat', 'b': '{text} the dog'}",
            "template='{text} {answer}'",
        )
        .replace("type='PPLInferencer'", "type='GenInferencer', max_out_len=2");
    scratch.write("config.py", &generation);
    json(&scratch, &["run", "config.py", "-w", "gen", "--json"]);
    let output = scratch.run(&["evaluate", "latest", "-w", "gen", "--rule", "all"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("chooses among no candidates"), "{}", stderr(&output));
}
