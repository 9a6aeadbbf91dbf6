//! What the hub refuses, and who is told a token.

use super::{
    server::Fault,
    setting::{Heard, Setting, ask},
};

#[test]
fn refusals_say_what_to_do() {
    let setting = Setting::new();
    setting.hub.guard("models/org/gated", "secret", 403, "X-Error-Code: GatedRepo");
    setting.hub.guard("models/org/closed", "secret", 401, "X-Error-Code: GatedRepo");
    setting.hub.guard("models/org/private", "secret", 401, "X-Error-Code: RepoNotFound");
    setting.hub.guard("models/org/gone", "secret", 404, "X-Error-Code: RepoNotFound");
    for (name, says) in [
        ("org/gated", "accept its licence at"),
        ("org/closed", "set HF_TOKEN"),
        ("org/private", "HTTP 401): check the spelling; if it is private, set HF_TOKEN"),
        ("org/nothing", "HTTP 401): check the spelling"),
        ("org/gone", "there is no model org/gone"),
        ("org/tiny@v9", "org/tiny has no revision `v9`"),
        ("org/tiny/other.gguf", "has no file `other.gguf` at revision main"),
    ] {
        let error = setting.checkpoint(name).unwrap_err().to_string();
        assert!(error.contains(says), "{name}: {error}");
    }
    let mut settings = setting.settings();
    settings.token = Some("wrong".to_owned());
    let error = ask("org/private", settings, &Heard::default()).unwrap_err().to_string();
    assert!(error.contains("use a token in HF_TOKEN that is valid"), "{error}");
}

#[test]
fn a_token_goes_to_the_hub_alone() {
    let setting = Setting::new();
    setting.hub.guard("models/org/tiny", "secret", 401, "X-Error-Code: GatedRepo");
    let mut settings = setting.settings();
    settings.token = Some("secret".to_owned());
    ask("org/tiny", settings, &Heard::default()).unwrap();
    let seen = setting.hub.seen();
    let (elsewhere, hub): (Vec<_>, Vec<_>) = seen.iter().partition(|seen| seen.is_elsewhere);
    assert!(!elsewhere.is_empty() && elsewhere.iter().all(|seen| seen.authorization.is_none()));
    assert!(hub.iter().all(|seen| seen.authorization.as_deref() == Some("Bearer secret")));
}

#[test]
fn a_token_comes_from_the_environment_or_its_file() {
    for with_file in [false, true] {
        let setting = Setting::new();
        setting.hub.guard("models/org/tiny", "secret", 403, "X-Error-Code: GatedRepo");
        let mut command = setting.command(&["chat-template", "org/tiny"]);
        if with_file {
            std::fs::write(setting.folder().join("token"), "secret\n").unwrap();
        } else {
            command.env("HF_TOKEN", "secret");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn odd_answers_are_told() {
    let setting = Setting::new();
    for (part, fault, says) in [
        ("/api/models/", Fault::Truncated(20), "list of files"),
        ("/api/models/", Fault::Status(200, "X: 1"), "no list of files"),
        ("/api/models/", Fault::Status(302, "Location: ftp://x"), "redirect to nowhere"),
        ("HEAD /org/tiny", Fault::Status(200, "X: 1"), "no etag"),
        ("HEAD /org/tiny", Fault::Status(200, "ETag: \"../../x\""), "no name of a content"),
        (
            "/api/models/",
            Fault::Status(302, "Location: /api/models/org/tiny/revision/main"),
            "without end",
        ),
    ] {
        let times = if says == "without end" { 20 } else { 1 };
        setting.hub.fail(part, fault, times);
        let error = setting.checkpoint("org/tiny").unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn paths_that_leave_the_snapshot_are_refused() {
    let setting = Setting::new();
    for path in ["../config.json", "/etc/config.json", "a/../../b", "C:\\x"] {
        let files = [(path.to_owned(), b"x".to_vec())].into();
        setting.hub.commit("models/org/bad", "main", super::setting::COMMIT, &files);
        let error = setting.checkpoint("org/bad").unwrap_err().to_string();
        assert!(error.contains("is no path of a file"), "{error}");
    }
}

#[test]
fn offline_makes_no_connection_and_says_what_is_missing() {
    let setting = Setting::new();
    for variable in ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"] {
        let mut command = setting.command(&["chat-template", "org/tiny@v1"]);
        let output = command.env(variable, "1").output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr.contains("config.json is missing"), "{stderr}");
        assert!(stderr.contains("`hf download org/tiny --revision v1`"), "{stderr}");
    }
    assert!(setting.lines().is_empty());
}

#[test]
fn a_hub_that_is_not_there_is_told() {
    let setting = Setting::new();
    let mut command = setting.command(&["chat-template", "org/tiny"]);
    let output = command.env("HF_ENDPOINT", "http://127.0.0.1:1").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("cannot reach http://127.0.0.1:1"), "{stderr}");
    assert!(stderr.contains("`org/tiny` is no folder here"), "{stderr}");
}
