//! Connections that break, stall or bring something else.

use std::{fs, path::PathBuf, time::Duration};

use super::{
    server::{Fault, sha256},
    setting::{Heard, Setting, ask, checkpoint_files},
};

fn weights() -> Vec<u8> {
    checkpoint_files().remove("model.safetensors").unwrap()
}

/// Where a part of the weights waits for the rest.
fn partial(setting: &Setting) -> PathBuf {
    let blobs = setting.cache().join("models--org--tiny/blobs");
    blobs.join(format!("{}.incomplete", sha256(&weights())))
}

/// The ranges that the host of large files was asked for.
fn ranges(setting: &Setting) -> Vec<Option<String>> {
    let seen = setting.hub.seen().into_iter();
    let large = sha256(&weights());
    seen.filter(|seen| seen.is_elsewhere && seen.line.contains(&large))
        .map(|seen| seen.range)
        .collect()
}

fn fetched(setting: &Setting) -> Vec<u8> {
    let folder = setting.checkpoint("org/tiny").unwrap();
    fs::read(folder.join("model.safetensors")).unwrap()
}

#[test]
fn what_breaks_off_goes_on_where_it_was() {
    for fault in [Fault::Truncated(30_000), Fault::Stalled(30_000)] {
        let setting = Setting::new();
        let sum: &'static str = sha256(&weights()).leak();
        setting.hub.fail(sum, fault, 1);
        assert_eq!(fetched(&setting), weights());
        assert_eq!(ranges(&setting), [None, Some("bytes=30000-".to_owned())]);
    }
}

#[test]
fn what_a_process_left_is_gone_on_with_by_the_next() {
    let setting = Setting::new();
    let sum: &'static str = sha256(&weights()).leak();
    setting.hub.fail(sum, Fault::Truncated(10), 1);
    setting.hub.fail(sum, Fault::Truncated(0), 3);
    let mut settings = setting.settings();
    settings.waits = vec![Duration::ZERO];
    let error = ask("org/tiny", settings, &Heard::default()).unwrap_err().to_string();
    assert!(error.contains("only 10 of 80264 bytes arrived"), "{error}");
    assert!(!setting.cache().join("models--org--tiny/refs/main").exists(), "it is not complete");
    assert_eq!(fs::metadata(partial(&setting)).unwrap().len(), 10);
    let heard = Heard::default();
    let folder = ask("org/tiny", setting.settings(), &heard).unwrap();
    assert_eq!(fs::read(folder.join("model.safetensors")).unwrap(), weights());
    let begun = heard.files.lock().unwrap().clone();
    assert_eq!(begun.last().unwrap(), &("model.safetensors".to_owned(), 80264, 10));
}

#[test]
fn small_files_are_fetched_anew() {
    let setting = Setting::new();
    setting.hub.fail("GET /api/resolve-cache/org/tiny/resolve", Fault::Truncated(5), 1);
    assert_eq!(fetched(&setting), weights());
    let asked = setting.hub.seen();
    assert!(asked.iter().filter(|seen| !seen.is_elsewhere).all(|seen| seen.range.is_none()));
}

#[test]
fn a_server_without_ranges_sends_everything_again() {
    let setting = Setting::new();
    let sum: &'static str = sha256(&weights()).leak();
    setting.hub.fail(sum, Fault::Truncated(30_000), 1);
    setting.hub.fail(sum, Fault::Whole, 1);
    assert_eq!(fetched(&setting), weights());
}

#[test]
fn wrong_contents_are_deleted_and_told() {
    let setting = Setting::new();
    let sum: &'static str = sha256(&weights()).leak();
    setting.hub.fail(sum, Fault::Damaged, 1);
    let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
    assert!(error.contains("model.safetensors") && error.contains(sum), "{error}");
    assert!(!partial(&setting).exists());
    assert!(!setting.cache().join("models--org--tiny/blobs").join(sum).exists());
    assert_eq!(fetched(&setting), weights(), "the next try is a fresh one");
}

#[test]
fn what_was_left_damaged_is_thrown_away_once() {
    let setting = Setting::new();
    fs::create_dir_all(partial(&setting).parent().unwrap()).unwrap();
    for left in [vec![7; 500], vec![7; 80_264], vec![7; 100_000]] {
        fs::write(partial(&setting), left).unwrap();
        assert_eq!(fetched(&setting), weights());
        fs::remove_dir_all(setting.cache().join("models--org--tiny/snapshots")).unwrap();
        fs::remove_file(setting.cache().join("models--org--tiny/blobs").join(sha256(&weights())))
            .unwrap();
    }
}

#[test]
fn more_than_promised_is_refused() {
    let setting = Setting::new();
    let sum: &'static str = sha256(&weights()).leak();
    setting.hub.fail(sum, Fault::Longer, 1);
    let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
    assert!(error.contains("more than the promised 80264 bytes"), "{error}");
    assert_eq!(fetched(&setting), weights());
}

#[test]
fn a_busy_hub_is_waited_for() {
    for (status, header) in [(429, "Retry-After: 0"), (500, "X: 1"), (503, "X: 1"), (504, "X: 1")] {
        let setting = Setting::new();
        setting.hub.fail("/api/models/", Fault::Status(status, header), 2);
        setting.hub.fail("config.json", Fault::Status(status, header), 1);
        let heard = Heard::default();
        ask("org/tiny", setting.settings(), &heard).unwrap();
        let waits = heard.waits.lock().unwrap();
        assert!(waits.len() == 3 && waits[0].contains(&status.to_string()), "{waits:?}");
    }
}

#[test]
fn the_hub_says_how_long_to_wait() {
    let setting = Setting::new();
    setting.hub.fail("/api/models/", Fault::Status(429, "Retry-After: 0"), 1);
    let mut settings = setting.settings();
    // Whoever waits this long has not heeded it.
    settings.waits = vec![Duration::from_secs(100_000)];
    ask("org/tiny", settings.clone(), &Heard::default()).unwrap();
    setting.hub.fail("/api/models/", Fault::Status(429, "Retry-After: 4000"), 1);
    let error = ask("org/tiny@v2", settings, &Heard::default()).unwrap_err().to_string();
    assert!(error.contains("HTTP 429 and asks to be left alone for 4000 s"), "{error}");
}

#[test]
fn a_hub_that_stays_busy_is_told() {
    let setting = Setting::new();
    setting.hub.fail("/api/models/", Fault::Status(500, "X: 1"), 9);
    let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
    assert!(error.contains("HTTP 500 4 times"), "{error}");
}

#[test]
fn the_binary_goes_on_after_a_stall() {
    let setting = Setting::new();
    setting.hub.fail("GET /api/resolve-cache", Fault::Stalled(3), 1);
    let mut command = setting.command(&["chat-template", "org/tiny"]);
    let output = command.env("HF_HUB_DOWNLOAD_TIMEOUT", "1").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("trying again in 1 s"), "{stderr}");
}
