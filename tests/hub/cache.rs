//! The cache is laid out as other programs expect it, and shared with them.

use std::{fs, sync::Arc, thread};

use super::{
    server::sha256,
    setting::{COMMIT, Setting, checkpoint_files},
};

#[test]
fn the_layout_is_that_of_the_python_library() {
    let setting = Setting::new();
    let folder = setting.checkpoint("org/tiny").unwrap();
    let repository = setting.cache().join("models--org--tiny");
    assert_eq!(folder, repository.join("snapshots").join(COMMIT));
    assert_eq!(fs::read_to_string(repository.join("refs/main")).unwrap(), COMMIT);
    let weights = &checkpoint_files()["model.safetensors"];
    let link = fs::read_link(folder.join("model.safetensors")).unwrap();
    assert_eq!(link.to_str().unwrap(), format!("../../blobs/{}", sha256(weights)));
    let nested = fs::read_link(folder.join("additional_chat_templates/tool use.jinja")).unwrap();
    assert!(nested.starts_with("../../../blobs"), "{}", nested.display());
    let left: Vec<_> = fs::read_dir(repository.join("blobs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("incomplete"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_branch_that_moved_is_used_as_it_was_fetched_until_something_is_missing() {
    let setting = Setting::new();
    let before = setting.checkpoint("org/tiny").unwrap();
    let mut files = checkpoint_files();
    files.insert("generation_config.json".to_owned(), b"{}".to_vec());
    let moved = "b".repeat(40);
    setting.hub.commit("models/org/tiny", "main", &moved, &files);
    assert_eq!(setting.checkpoint("org/tiny").unwrap(), before);
    fs::remove_file(before.join("tokenizer.json")).unwrap();
    let after = setting.checkpoint("org/tiny").unwrap();
    assert!(after.ends_with(&moved) && after.join("generation_config.json").is_file());
    let reference = setting.cache().join("models--org--tiny/refs/main");
    assert_eq!(fs::read_to_string(reference).unwrap(), moved);
    // What both commits have was not fetched again.
    let weights = sha256(&files["model.safetensors"]);
    let fetched = setting.lines().iter().filter(|line| line.contains(&weights)).count();
    assert_eq!(fetched, 1);
}

#[test]
fn a_content_that_is_gone_is_fetched_again() {
    let setting = Setting::new();
    let folder = setting.checkpoint("org/tiny").unwrap();
    let weights = folder.join("model.safetensors");
    fs::remove_file(weights.canonicalize().unwrap()).unwrap();
    assert!(!weights.exists() && weights.is_symlink());
    setting.checkpoint("org/tiny").unwrap();
    assert!(weights.is_file());
}

#[test]
fn many_at_once_fetch_each_file_once() {
    let setting = Arc::new(Setting::new());
    let together: Vec<_> = (0..6)
        .map(|_| {
            let setting = Arc::clone(&setting);
            thread::spawn(move || {
                setting.checkpoint("org/tiny").map(|folder| folder.join("model.safetensors"))
            })
        })
        .collect();
    let expected = &checkpoint_files()["model.safetensors"];
    for path in together {
        assert_eq!(&fs::read(path.join().unwrap().unwrap()).unwrap(), expected);
    }
    let fetched = setting.lines().iter().filter(|line| line.contains(&sha256(expected))).count();
    assert_eq!(fetched, 1);
}

#[test]
fn processes_at_once_do_not_disturb_each_other() {
    let setting = Setting::new();
    let mut running: Vec<_> =
        (0..3).map(|_| setting.command(&["chat-template", "org/tiny"]).spawn().unwrap()).collect();
    assert!(running.iter_mut().all(|process| process.wait().unwrap().success()));
}
