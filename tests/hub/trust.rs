//! What a hub says about a file, and what is believed of it.

use std::{fs, process::Command, time::Duration};

use serde_json::json;

use super::{
    server::{Fault, sha256},
    setting::{Heard, Setting, ask, checkpoint_files},
};

const WEIGHTS: &str = "model.safetensors";

fn weights() -> Vec<u8> {
    checkpoint_files().remove(WEIGHTS).unwrap()
}

#[test]
fn weights_without_a_sha256_are_refused_unless_that_is_allowed() {
    let setting = Setting::new();
    setting.hub.fail(WEIGHTS, Fault::Unsummed, 99);
    let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
    assert!(error.contains("model.safetensors: the hub tells no sha256"), "{error}");
    assert!(error.contains("--allow-unverified"), "{error}");
    let mut settings = setting.settings();
    settings.allow_unverified = true;
    let folder = ask("org/tiny", settings, &Heard::default()).unwrap();
    assert!(fs::read(folder.join(WEIGHTS)).unwrap() == weights());
}

#[test]
fn the_command_line_allows_it() {
    for (flag, code) in [(None, 2), (Some("--allow-unverified"), 0)] {
        let setting = Setting::new();
        setting.hub.fail(WEIGHTS, Fault::Unsummed, 99);
        let mut command = setting.command(&["inspect", "org/tiny"]);
        let output = command.args(flag).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
    }
}

#[test]
fn the_list_of_files_vouches_for_a_content() {
    let setting = Setting::new();
    setting.hub.fail(WEIGHTS, Fault::Unsummed, 99);
    let (size, sum) = (weights().len(), sha256(&weights()));
    setting.hub.list(WEIGHTS, json!({"size": size, "lfs": {"sha256": sum, "size": size}}));
    let folder = setting.checkpoint("org/tiny").unwrap();
    assert!(fs::read(folder.join(WEIGHTS)).unwrap() == weights());
    let damaged = Setting::new();
    damaged.hub.fail(WEIGHTS, Fault::Unsummed, 99);
    damaged.hub.list(WEIGHTS, json!({"size": size, "lfs": {"sha256": "0".repeat(64)}}));
    let error = damaged.checkpoint("org/tiny").unwrap_err().to_string();
    assert!(error.contains("what arrived has sha256"), "{error}");
}

#[test]
fn a_hub_that_contradicts_its_list_is_refused() {
    let size = weights().len();
    for (entry, says) in [
        (json!({"size": size - 1}), "80263 bytes in its list of files and 80264 bytes"),
        (json!({"size": size, "lfs": {"size": size, "sha256": "0".repeat(64)}}), "sha256 0000"),
    ] {
        let setting = Setting::new();
        setting.hub.list(WEIGHTS, entry);
        let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
        assert!(error.contains(WEIGHTS) && error.contains(says), "{error}");
    }
}

#[test]
fn a_download_that_drips_is_dropped_and_can_go_on() {
    let setting = Setting::new();
    let sum: &'static str = sha256(&weights()).leak();
    setting.hub.fail(sum, Fault::Dripping, 1);
    let mut settings = setting.settings();
    settings.slow = Duration::from_millis(500);
    let error = ask("org/tiny", settings, &Heard::default()).unwrap_err().to_string();
    assert!(error.contains("model.safetensors: the download was dropped after"), "{error}");
    assert!(error.contains("less than 1000 a second"), "{error}");
    let folder = setting.checkpoint("org/tiny").unwrap();
    assert!(fs::read(folder.join(WEIGHTS)).unwrap() == weights());
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_is_synced_before_the_next_is_given() {
    let setting = Setting::new();
    let trace = setting.folder().join("trace");
    let binary = env!("CARGO_BIN_EXE_surprisal");
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=fsync,rename,renameat,renameat2,symlink,symlinkat", "-o"]);
    command.arg(&trace).args([binary, "inspect", "org/tiny"]).env_clear();
    command.env("HF_ENDPOINT", &setting.hub.endpoint).env("HF_HOME", setting.folder());
    // Where there is no strace, or it may not trace, nothing can be seen.
    if command.output().is_err()
        || !fs::read_to_string(&trace).is_ok_and(|text| text.contains("rename"))
    {
        return;
    }
    let calls = fs::read_to_string(&trace).unwrap();
    let calls: Vec<&str> = calls.lines().filter(|line| line.contains('(')).collect();
    let names = calls.iter().enumerate().filter(|(_, call)| !call.contains("fsync("));
    for (at, call) in names {
        assert!(calls.get(at + 1).is_some_and(|next| next.contains("fsync(")), "{call}");
    }
}
