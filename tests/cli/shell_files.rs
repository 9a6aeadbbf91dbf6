//! `surprisal completions` and `surprisal man`: every command and option is in what they write.

use std::fs;

use super::scratch::{Scratch, stderr, stdout};

/// Commands and an option each.
const TYPED: [(&str, &str); 4] =
    [("run", "model"), ("compare", "resamples"), ("export", "format"), ("completions", "help")];

#[test]
fn completions_know_commands_and_options() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = scratch.run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let script = stdout(&output);
        for (command, option) in TYPED {
            assert!(script.contains(command), "{shell}: {command}");
            assert!(script.contains(option), "{shell}: {option}");
        }
        // What is made visible for a terminal would no longer be a script.
        assert!(!script.contains("\\x"), "{shell}");
    }
    assert_eq!(scratch.run(&["completions", "vi"]).status.code(), Some(2));
}

#[test]
fn manual_pages_tell_every_command() {
    let scratch = Scratch::new();
    let folder = scratch.path().join("share/man");
    let output = scratch.run(&["man", "share/man"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let program = fs::read_to_string(folder.join("surprisal.1")).unwrap();
    for (command, option) in TYPED {
        assert!(program.contains(command), "{command}");
        let page = fs::read_to_string(folder.join(format!("surprisal-{command}.1"))).unwrap();
        assert!(page.starts_with(".ie"), "{command}: no page of troff");
        assert!(page.contains(option), "{command}: {option}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let scratch = Scratch::new();
    scratch.write("taken", "a file");
    let output = scratch.run(&["man", "taken"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("cannot write manual pages into taken"),
        "{}",
        stderr(&output)
    );
}
