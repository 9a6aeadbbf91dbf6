//! What ships inside of the program, found from any folder.

use std::{fs, path::PathBuf};

use serde_json::Value as Json;

use super::scratch::{Scratch, stderr, stdout};

/// A folder with nothing in it that ships.
fn empty() -> Scratch {
    let scratch = Scratch::new();
    fs::remove_dir_all(scratch.path().join("models")).unwrap();
    scratch
}

/// The only folder with shipped files.
fn unpacked(scratch: &Scratch) -> PathBuf {
    let mut folders: Vec<_> = fs::read_dir(scratch.cache()).unwrap().collect();
    assert_eq!(folders.len(), 1);
    folders.remove(0).unwrap().path()
}

/// The commands that the program says to try next.
fn next(said: &str) -> Vec<String> {
    let commands = said.lines().filter_map(|line| line.strip_prefix("  surprisal "));
    commands.map(|line| line.split(" #").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn the_demo_runs_in_an_empty_folder_and_what_it_says_to_try_next_works() {
    let scratch = empty();
    let output = scratch.run(&["demo", "--limit", "20"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stderr(&output);
    let root = unpacked(&scratch);
    assert!(said.contains(&root.display().to_string()), "{said}");
    assert!(root.join("configs/datasets/sums/sums_gen.py").is_file());
    let commands = next(&said);
    assert!(commands.len() >= 4, "{said}");
    for command in commands {
        let arguments: Vec<&str> = command.split(' ').collect();
        let output = scratch.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
    }
    // Again, from the answers that were kept.
    let again = scratch.run(&["demo", "--limit", "20"]);
    assert!(stderr(&again).contains("0 tokens computed"), "{}", stderr(&again));
}

#[test]
fn the_demo_reads_its_own_files_whatever_lies_in_the_folder() {
    let scratch = empty();
    scratch.write("configs/demo.py", "datasets = []\nmodels = []\n");
    scratch.write(
        "configs/datasets/sums/test.jsonl",
        "{\"question\": \"1+1=?\", \"answer\": \"3\"}\n",
    );
    scratch.write("models/pocket/config.json", "{}");
    let output = scratch.run(&["demo", "--limit", "20", "--dataset", "sums", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["results"][0]["value"], 100.0, "{outcome}");
    // A config that is typed is the one that is here.
    let refused = scratch.run(&["check", "configs/demo.py"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stdout(&refused));
}

#[test]
fn names_of_shipped_configs_are_found_and_told() {
    let scratch = empty();
    for name in ["configs/benchmarks/arc_easy.py", "benchmarks/arc_easy", "arc_easy"] {
        let output = scratch.run(&["config", name, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let said = stderr(&output);
        let place = unpacked(&scratch).join("configs/benchmarks/arc_easy.py");
        assert!(said.contains(name) && said.contains(&place.display().to_string()), "{said}");
        assert!(stdout(&output).contains("allenai/ai2_arc"));
    }
    let checked = scratch.run(&["check", "configs/demo.py", "--dataset", "sums"]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    let viewed = scratch.run(&["view", "demo", "--dataset", "sums_chat"]);
    assert!(stdout(&viewed).contains("<|im_start|>"), "{}", stderr(&viewed));
    let mistyped = scratch.run(&["check", "arc_esay"]);
    assert_eq!(mistyped.status.code(), Some(2));
    assert!(stderr(&mistyped).contains("did you mean arc_easy"), "{}", stderr(&mistyped));
    // A dot before it, and it is a file here.
    let here = scratch.run(&["check", "./configs/demo.py"]);
    assert_eq!(here.status.code(), Some(2));
}

#[test]
fn benchmarks_are_listed_without_writing_anything() {
    let scratch = empty();
    let output = scratch.run(&["list", "benchmarks"]);
    assert!(stdout(&output).contains("\nmmlu "), "{}", stdout(&output));
    assert!(stderr(&output).contains("surprisal run NAME --model MODEL"), "{}", stderr(&output));
    assert!(!scratch.cache().exists());
}

#[test]
fn the_shipped_model_is_found_by_its_name() {
    let scratch = empty();
    scratch.write(
        "quiz.jsonl",
        "{\"question\": \"What is 1+1?\", \"A\": \"2\", \"B\": \"3\", \"answer\": \"A\"}\n",
    );
    let arguments = ["run", "quiz.jsonl", "--model", "models/pocket", "--infer-method", "ppl"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("models/pocket is not here"), "{}", stderr(&output));
    let inspected = scratch.run(&["inspect", "models/pocket", "--json"]);
    assert_eq!(inspected.status.code(), Some(0), "{}", stderr(&inspected));
    let listed = scratch.run(&["fetch", "quiz.py", "--model", "models/pocket", "--dry-run"]);
    assert!(!stderr(&listed).contains("huggingface.co"), "{}", stderr(&listed));
    // In a config, too, with its data and its base files.
    scratch.write(
        "own.py",
        "with read_base():\n    from configs.datasets.sums.sums_gen import sums_datasets as datasets\n\
         models = [dict(type='HuggingFaceCausalLM', path='models/pocket', max_seq_len=512)]\n",
    );
    let output = scratch.run(&["run", "own.py", "--limit", "10", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("configs/datasets/sums is not here"), "{said}");
    let outcome: Json = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(outcome["results"][0]["value"], 100.0, "{outcome}");
}

#[test]
fn what_cannot_be_written_or_was_changed_is_one_message_with_what_to_do() {
    let scratch = empty();
    // A file where the folder should be: no rights are needed to try that out.
    scratch.write("cache", "");
    let refused = scratch.run(&["demo"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("set SURPRISAL_CACHE to a folder that can be written"),
        "{}",
        stderr(&refused)
    );
    fs::remove_file(scratch.cache()).unwrap();

    assert_eq!(scratch.run(&["config", "demo"]).status.code(), Some(0));
    let file = unpacked(&scratch).join("configs/datasets/sums/test.jsonl");
    fs::write(&file, "{\"question\": \"1+1=?\", \"answer\": \"3\"}\n").unwrap();
    let refused = scratch.run(&["demo", "--limit", "2"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("sums/test.jsonl was changed") && said.contains("delete it"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
    fs::remove_file(&file).unwrap();
    assert_eq!(scratch.run(&["demo", "--limit", "2", "--json"]).status.code(), Some(0));
}

#[test]
fn a_cache_that_is_complete_need_not_be_writable() {
    let scratch = empty();
    assert_eq!(scratch.run(&["config", "demo"]).status.code(), Some(0));
    let root = unpacked(&scratch);
    let files = || {
        let names = ["configs/demo.py", "models/pocket/model.safetensors"];
        names.map(|name| fs::metadata(root.join(name)).unwrap().modified().unwrap())
    };
    let written = files();
    assert_eq!(scratch.run(&["config", "demo"]).status.code(), Some(0));
    assert_eq!(files(), written);
}

#[test]
fn processes_that_begin_at_once_all_find_whole_files() {
    let scratch = empty();
    let begun: Vec<_> = (0..4)
        .map(|_| {
            let mut command = scratch.command(&["check", "demo", "--json"]);
            let quiet = std::process::Stdio::null;
            command.stdout(quiet()).stderr(quiet()).spawn().unwrap()
        })
        .collect();
    for mut process in begun {
        assert!(process.wait().unwrap().success());
    }
    unpacked(&scratch);
}
