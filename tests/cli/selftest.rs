//! A device beside the CPU; here the CPU itself, which shows that everything is tried.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

#[test]
fn every_operation_and_checkpoint_is_compared() {
    let scratch = Scratch::new();
    let output = scratch.run(&["selftest", "--seed", "7", "--checkpoints", "models", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Vec<Json> = serde_json::from_str(&stdout(&output)).unwrap();
    for row in &rows {
        assert!(row["cases"].as_u64() > Some(2), "{row}");
        assert_eq!((&row["furthest"], &row["problem"]), (&Json::from(0.0), &Json::Null), "{row}");
    }
    let subjects: Vec<_> = rows.iter().filter_map(|row| row["subject"].as_str()).collect();
    for subject in ["linear", "token surprisal", "attention, sinks", "tiny-llama-bos"] {
        assert!(subjects.contains(&subject), "{subjects:?}");
    }
}

#[test]
fn what_cannot_be_tested_is_said() {
    let scratch = Scratch::new();
    let cases: [(&[&str], &str); 3] = [
        (&["--dtype", "bf16"], "the CPU computes in f32 only"),
        (&["--dtype", "int8"], "expected f32, bf16 or f16"),
        (&["--checkpoints", "none"], "cannot be read"),
    ];
    for (arguments, words) in cases {
        let output = scratch.run(&[&["selftest"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
}
