//! `surprisal bench`: two builds in turn, and traces.

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

const MEASURE: [&str; 7] =
    ["bench", "--model", "models/tiny-llama-bos", "--workload", "gen", "--limit", "2"];

/// A program that says what the built one says of its version, and then does `line`; `$SURPRISAL` is the built one.
#[cfg(unix)]
fn stand_in(scratch: &Scratch, name: &str, line: &str) {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let text = format!(
        "#!/bin/sh\nSURPRISAL='{}'\n[ \"$1\" != --version ] || exec \"$SURPRISAL\" --version\n{line}\n",
        env!("CARGO_BIN_EXE_surprisal")
    );
    scratch.write(name, &text);
    let path = scratch.path().join(name);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn two_builds_are_measured_in_turn() {
    let scratch = Scratch::new();
    let baseline = ["--baseline", env!("CARGO_BIN_EXE_surprisal"), "--rounds", "3"];
    let output = scratch.run(&[&MEASURE[..], &baseline, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let compared: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let comparison = &compared[0];
    assert_eq!(comparison["workload"], "gen");
    assert_eq!(comparison["rounds"], 3);
    assert_eq!(comparison["version"], comparison["baseline_version"]);
    assert_eq!(comparison["other_settings"], serde_json::json!([]));
    let quantity = |name: &str| {
        let quantities = comparison["quantities"].as_array().unwrap();
        quantities.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    // One program computes the same tokens twice, and never takes exactly as long.
    let tokens = quantity("tokens computed");
    assert!((tokens["ratio"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(tokens["low"], Json::Null);
    let seconds = quantity("wall seconds");
    let of = |key: &str| seconds[key].as_f64().unwrap();
    assert!(of("low") < of("ratio") && of("ratio") < of("high"), "{seconds}");
    assert!((of("now") / of("before") / of("ratio") - 1.0).abs() < 1e-9);
    assert!(stderr(&output).contains("round 3 of 3"), "{}", stderr(&output));

    let output = scratch.run(&[&MEASURE[..], &baseline].concat());
    assert!(stdout(&output).contains("95 % interval"), "{}", stdout(&output));
    assert!(stdout(&output).lines().all(|line| line.chars().count() <= 80));
}

#[cfg(unix)]
#[test]
fn a_baseline_that_measures_something_else_is_refused() {
    let scratch = Scratch::new();
    stand_in(&scratch, "others", "exec \"$SURPRISAL\" \"$@\" --limit 1");
    stand_in(
        &scratch,
        "fewer",
        &format!("exec \"$SURPRISAL\" {} --limit 1", {
            "bench --json --model models/tiny-llama-bos --workload gen"
        }),
    );
    stand_in(&scratch, "rounded", "exec \"$SURPRISAL\" \"$@\" --activations q8");
    stand_in(&scratch, "talker", "echo hello");
    for (baseline, says) in [
        ("nowhere", "cannot find the baseline nowhere"),
        ("/bin/true", "is no build of surprisal"),
        ("models", "cannot start"),
        ("others", "cannot be used multiple times"),
        ("fewer", "measure both with the same questions"),
        ("rounded", "its weights are not quantised"),
        ("talker", "does not print what `bench --json` prints"),
    ] {
        let output = scratch.run(&[&MEASURE[..], &["--baseline", baseline]].concat());
        assert_eq!(output.status.code(), Some(2), "{baseline}");
        assert!(stderr(&output).contains(says), "{baseline}: {}", stderr(&output));
        assert!(!stderr(&output).contains("round 2"), "{baseline}");
    }
    let output = scratch.run(&[&MEASURE[..], &["--rounds", "3"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_trace_holds_every_pass_and_each_event_ends() {
    let scratch = Scratch::new();
    scratch.write("trace.json", &"what was there before ".repeat(10_000));
    let traced = ["--trace", "trace.json", "--json", "--batch-tokens", "64"];
    let output = scratch.run(&[&MEASURE[..], &traced].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let reports: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let report = &reports[0];
    let text = std::fs::read_to_string(scratch.path().join("trace.json")).unwrap();
    let trace: Json = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of_kind =
        |kind: &str| events.iter().filter(|event| event["ph"] == kind).collect::<Vec<_>>();
    let (names, complete) = (of_kind("M"), of_kind("X"));
    assert_eq!(names.len() + complete.len(), events.len(), "no event is begun and left open");
    let tracks: Vec<&Json> = names
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| &event["args"]["name"])
        .collect();
    assert_eq!(tracks, ["host", "cpu"]);
    let number = |event: &Json, key: &str| event[key].as_f64().unwrap();
    // In order of their begin, and on a track one within the other or after it.
    assert!(complete.is_sorted_by(|one, next| number(one, "ts") <= number(next, "ts")));
    for track in [0, 1] {
        let mut open: Vec<f64> = Vec::new();
        for event in complete.iter().filter(|event| event["tid"] == track) {
            let (begin, seconds) = (number(event, "ts"), number(event, "dur"));
            assert!(begin >= 0.0 && seconds >= 0.0, "{event}");
            open.retain(|&end| end > begin + 2e-3);
            assert!(open.iter().all(|&end| begin + seconds <= end + 2e-3), "{event}");
            open.push(begin + seconds);
        }
    }
    let passes: Vec<&&Json> = complete.iter().filter(|event| event["name"] == "compute").collect();
    let sum = |key: &str| passes.iter().map(|pass| number(&pass["args"], key)).sum::<f64>();
    assert!((sum("rows") - number(&report["tokens"], "computed_tokens")).abs() < 0.5);
    assert!((sum("tokens") - number(&report["tokens"], "generated_tokens")).abs() < 0.5);
    let all = number(&report["prefill"], "passes") + number(&report["decode"], "passes");
    assert!((passes.len() as f64 - all).abs() < 0.5, "{} of {all} passes", passes.len());
    for phase in ["plan", "write"] {
        assert!(complete.iter().any(|event| event["name"] == phase), "{phase}");
    }

    for (path, says) in [("nowhere/trace.json", "cannot write nowhere"), ("models", "cannot write")]
    {
        let output = scratch.run(&[&MEASURE[..], &["--trace", path]].concat());
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(stderr(&output).contains(says), "{path}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "nothing was measured for nothing");
    }
}
