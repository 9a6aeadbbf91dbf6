//! What happens to the files and the disk while a run is at work.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::Value as Json;

use super::scratch::{CHOICES as CONFIG, Scratch, stderr, stdout};

const WEIGHTS: &str = "models/tiny-llama-bos/model.safetensors";

/// The rows with one of two columns of golds.
fn rows(golds: [&str; 3]) -> String {
    let row = |index: usize| {
        format!("{{\"text\": \"once {index} upon\", \"answer\": \"{}\"}}\n", golds[index % 3])
    };
    (0..400).map(row).collect()
}

/// Puts a file in the place of another at once, as careful programs do.
fn put(scratch: &Path, name: &str, content: &[u8]) {
    let new = scratch.join("new");
    fs::write(&new, content).unwrap();
    fs::rename(new, scratch.join(name)).unwrap();
}

fn figures(scratch: &Scratch, work_dir: &str) -> Json {
    let output = scratch.run(&["run", "config.py", "-w", work_dir, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    outcome["results"].clone()
}

#[test]
fn files_that_change_under_a_run_never_leave_a_wrong_figure() {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let golds = [rows(["a", "b", "a"]), rows(["b", "b", "a"])];
    let whole = fs::read(scratch.path().join(WEIGHTS)).unwrap();
    let mut other = whole.clone();
    // Zeros in the last tensors: other figures.
    let length = other.len();
    other[length / 2..].fill(0);
    let weights = [whole, other];
    scratch.write("data/rows.jsonl", &golds[0]);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut state = 0x5eed_u64;
            while !is_over.load(Ordering::Relaxed) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let which = usize::from(state >> 62 & 1 == 1);
                if state >> 61 & 1 == 0 {
                    put(scratch.path(), "data/rows.jsonl", golds[which].as_bytes());
                } else {
                    put(scratch.path(), WEIGHTS, &weights[which]);
                }
                thread::sleep(Duration::from_millis(state >> 58 & 15));
            }
        });
        for _ in 0..12 {
            let output = scratch.run(&["run", "config.py", "-w", "out", "--json"]);
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => (),
                Some(2) => assert!(said.contains("changed while it was read"), "{said}"),
                other => panic!("{other:?}: {said}"),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    for (place, (golds, weights)) in [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(gold, of)| (&golds[gold], &weights[of]))
        .iter()
        .enumerate()
    {
        put(scratch.path(), "data/rows.jsonl", golds.as_bytes());
        put(scratch.path(), WEIGHTS, weights);
        let clean = figures(&scratch, &format!("clean{place}"));
        assert_eq!(figures(&scratch, "out"), clean, "golds and weights {place}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_the_command_goes_on_later() {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    scratch.write("data/rows.jsonl", &rows(["a", "b", "a"]));
    // No file may grow beyond so many blocks: what is computed cannot be written.
    let line = "trap '' XFSZ; ulimit -f 160; surprisal run config.py -w out --json";
    let output = scratch.shell(line).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("out/surprisal.db"), "{said}");
    assert_eq!(figures(&scratch, "out"), figures(&scratch, "clean"));
}
