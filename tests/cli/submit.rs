//! `submit`: what a scheduler is given, and that a scheduler which only runs it gets the files of one run.

use std::{fs, path::Path};

use super::{
    scratch::{CHOICES, Scratch, stderr, stdout},
    shards::files,
};

/// A stand-in for sbatch: runs every task, and then the merge, one after the other.
const SBATCH: &str = r#"#!/bin/sh
script=$(mktemp -p .)
cat >"$script"
grep '^#SBATCH' "$script" >>directives.txt
case "$*" in
*dependency=afterany:7*) bash "$script" >merge.out 2>merge.err; echo 8 ;;
*--help*) ;;
*)
    for number in 1 2 3; do
        SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$number SLURM_ARRAY_TASK_COUNT=3 \
            SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 bash "$script" >>tasks.log 2>&1
    done
    echo '7;cluster'
    ;;
esac
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CHOICES);
    let row = |index: usize| {
        format!("{{\"text\": \"once upon {index}\", \"answer\": \"{}\"}}\n", ["a", "b"][index % 2])
    };
    scratch.write("data/rows.jsonl", &(0..12).map(row).collect::<String>());
    scratch
}

/// Puts a program into the folder's `bin`.
fn install(scratch: &Scratch, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    scratch.write(&format!("bin/{name}"), text);
    let path = scratch.path().join("bin").join(name);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The variable PATH with a folder before the usual ones.
fn path_with(folder: &Path) -> String {
    format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display())
}

#[test]
fn an_array_of_slurm_and_its_merge_make_the_files_of_one_run() {
    let scratch = scratch();
    install(&scratch, "sbatch", SBATCH);
    let whole = scratch.run(&["run", "config.py", "-w", "whole dir"]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let arguments = [
        "submit",
        "slurm",
        "config.py",
        "-w",
        "out dir",
        "--shards",
        "3",
        "--cpus=2",
        "--gpus",
        "1",
        "--memory",
        "4G",
        "--time",
        "1:00:00",
        "--set",
        "account=us",
        "--set",
        "exclusive",
    ];
    let output = scratch
        .command(&arguments)
        .env("PATH", path_with(&scratch.path().join("bin")))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("array 7") && stdout(&output).contains("merge 8"));
    let merged = fs::read_to_string(scratch.path().join("merge.out")).unwrap();
    let said = fs::read_to_string(scratch.path().join("merge.err")).unwrap();
    assert_eq!(merged, stdout(&whole), "{said}");
    assert_eq!(files(&scratch.only_run("out dir")), files(&scratch.only_run("whole dir")));
    let directives = fs::read_to_string(scratch.path().join("directives.txt")).unwrap();
    let count = |line: &str| directives.lines().filter(|own| *own == line).count();
    for (line, wanted) in [
        ("#SBATCH --array=1-3", 1),
        ("#SBATCH --gres=gpu:1", 1),
        ("#SBATCH --cpus-per-task=2", 1),
        ("#SBATCH --mem=4G", 1),
        ("#SBATCH --time=1:00:00", 1),
        ("#SBATCH --account=us", 2),
        ("#SBATCH --exclusive", 2),
    ] {
        assert_eq!(count(line), wanted, "{line} in {directives}");
    }
}

#[test]
fn a_manifest_has_every_word_that_was_typed() {
    let scratch = scratch();
    let output = scratch.run(&[
        "submit",
        "kubernetes",
        "config.py",
        "--dataset",
        "c*",
        "--shards",
        "16",
        "--image",
        "registry/it:1",
        "--claim",
        "shared",
        "--gpus",
        "2",
        "--memory",
        "64G",
        "--wait",
        "60",
        "--print",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let manifest = stdout(&output);
    for line in [
        "  completions: 16",
        r#"          command: ["surprisal","run","config.py","--dataset","c*","--shard","auto/16"]"#,
        r#"          command: ["surprisal","merge","outputs","--wait","60"]"#,
        r#"            limits: {"memory":"64G","nvidia.com/gpu":"2"}"#,
        r#"          workingDir: "/work""#,
        "            claimName: shared",
    ] {
        assert!(manifest.lines().any(|own| own == line), "{line} is not in {manifest}");
    }
}

#[test]
fn what_no_shard_would_ask_is_refused_before_it_waits_in_a_queue() {
    let scratch = scratch();
    for (more, said) in [
        (&["--fresh"][..], "--fresh"),
        (&["--json"], "--json is about results"),
        (&["--shard", "1/3"], "leave it out"),
        (&["--set", "array=1-9"], "array"),
        (&["--set", "Bad Name=1"], "sbatch"),
        (&["--memory", "64"], "64G"),
        (&["--time", "0:30"], "minutes"),
        (&["--time", "1"], "two minutes"),
        (&["--gpus", "2", "--set", "gres=gpu:1"], "said twice"),
        (&["--set", "account=a;b"], "letters"),
        (&["--shards", "0"], "100000"),
        (&["--name", "No"], "small letters"),
        (&["--dataset", "nothing-like-it"], "nothing-like-it"),
    ] {
        let shards: &[&str] = if more[0] == "--shards" { &[] } else { &["--shards", "3"] };
        let typed = [&["submit", "slurm", "config.py", "--print"], shards, more].concat();
        let output = scratch.run(&typed);
        assert_eq!(output.status.code(), Some(2), "{typed:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(said), "{typed:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{typed:?}");
    }
    // Without a scheduler nothing is submitted, and that is said.
    let typed = ["submit", "slurm", "config.py", "--shards", "3"];
    let empty = scratch.path().join("empty").display().to_string();
    let output = scratch.command(&typed).env("PATH", empty).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no sbatch here"), "{}", stderr(&output));
}
