//! `surprisal fetch`: archives of data sets, listed, asked about, fetched and resumed.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value as Json;

use super::{
    fetched_data::{FetchedData, ROWS, said},
    server::{Fault, Files},
    setting::COMMIT,
    zip_file::{Member, zip},
};
use crate::ready_benchmarks;

/// Bytes that do not become shorter.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn what_is_fetched_is_found_by_runs() {
    let data = FetchedData::usual();
    ready_benchmarks::model(data.setting.folder());
    let check = ["check", "config.py", "--model", "models/roomy"];
    let (code, _, stderr) = data.run(&check);
    assert_eq!(code, Some(2));
    for part in ["data/lambada/test.jsonl", "`surprisal fetch config.py` gets it (lambada.zip from"]
    {
        assert!(stderr.contains(part), "{stderr}");
    }
    let (code, stdout, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("lambada.zip") && stdout.contains("to fetch"), "{stdout}");
    assert_eq!(fs::read_to_string(data.place("lambada/test.jsonl")).unwrap(), ROWS);
    assert!(data.unfinished().is_empty(), "{:?}", data.unfinished());
    let (code, _, stderr) = data.run(&check);
    assert_eq!(code, Some(0), "{stderr}");
    let (code, _, stderr) = data.run(&["run", "config.py", "--model", "models/roomy", "-w", "out"]);
    assert_eq!(code, Some(0), "{stderr}");

    let requests = data.setting.lines().len();
    let (code, stdout, _) = data.run(&["fetch", "config.py"]);
    assert_eq!((code, data.setting.lines().len()), (Some(0), requests), "it is here");
    assert!(stdout.contains("nothing to fetch"), "{stdout}");
}

#[test]
fn nothing_is_fetched_without_being_asked() {
    let data = FetchedData::usual();
    let mut asked = data.command(&["fetch", "config.py"]);
    let (code, stdout, stderr) = said(&asked.stdin(Stdio::null()).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stdout.contains("lambada.zip"), "{stdout}");
    assert!(stderr.contains("--yes"), "{stderr}");
    let (code, stdout, stderr) = data.run(&["fetch", "config.py", "--dry-run", "--json"]);
    assert_eq!(code, Some(0), "{stderr}");
    let items: Json = serde_json::from_str(&stdout).unwrap();
    let length = zip(&[Member::new("lambada/test.jsonl", ROWS)]).len();
    assert_eq!(items[0]["name"], "lambada.zip");
    assert_eq!(items[0]["state"], "missing");
    assert_eq!(items[0]["bytes"], length);
    assert_eq!(items[0]["datasets"], serde_json::json!(["words"]));
    assert!(data.downloads().is_empty() && !data.place("").exists());
}

#[test]
fn without_a_folder_for_all_data_it_is_that_of_opencompass() {
    let data = FetchedData::usual();
    let mut command = data.command(&["fetch", "config.py", "--yes"]);
    let (code, _, stderr) = said(&command.env_remove("COMPASS_DATA_CACHE").output().unwrap());
    assert_eq!(code, Some(0), "{stderr}");
    let place = ".cache/opencompass/data/lambada/test.jsonl";
    assert_eq!(fs::read_to_string(data.setting.folder().join(place)).unwrap(), ROWS);
}

#[test]
fn a_download_that_was_killed_goes_on_where_it_was() {
    let members =
        [Member::new("lambada/test.jsonl", ROWS), Member::stored("lambada/x", noise(400_000))];
    let data = FetchedData::new(&members);
    data.setting.hub.fail("GET /archives/", Fault::Stalled(200_000), 1);
    let mut command = data.command(&["fetch", "config.py", "--yes"]);
    command.env("HF_HUB_DOWNLOAD_TIMEOUT", "60").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let incomplete = data.place(".fetch/lambada.zip.incomplete");
    let arrived = || fs::metadata(&incomplete).map_or(0, |found| found.len());
    let begun = Instant::now();
    while arrived() < 200_000 {
        assert!(begun.elapsed() < Duration::from_mins(1), "{} bytes arrived", arrived());
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!data.place("lambada").exists());
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(data.downloads(), [None, Some("bytes=200000-".to_owned())]);
    assert_eq!(fs::read(data.place("lambada/x")).unwrap(), noise(400_000));
    assert!(data.unfinished().is_empty(), "{:?}", data.unfinished());
}

#[test]
fn a_connection_that_breaks_is_made_again_and_a_server_may_begin_anew() {
    for (second, expected) in [(None, "bytes=200000-"), (Some(Fault::Whole), "bytes=200000-")] {
        let members =
            [Member::new("lambada/test.jsonl", ROWS), Member::stored("lambada/x", noise(300_000))];
        let data = FetchedData::new(&members);
        data.setting.hub.fail("GET /archives/", Fault::Truncated(200_000), 1);
        if let Some(fault) = second {
            data.setting.hub.fail("GET /archives/", fault, 1);
        }
        let (code, _, stderr) = data.fetch();
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(data.downloads(), [None, Some(expected.to_owned())]);
        assert_eq!(fs::read(data.place("lambada/x")).unwrap(), noise(300_000));
    }
}

#[test]
fn another_md5_is_one_message_and_nothing_is_unpacked() {
    let data = FetchedData::usual();
    data.setting.hub.fail("GET /archives/", Fault::Damaged, 1);
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(2));
    assert!(stderr.contains("what arrived from") && stderr.contains("md5"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(!data.place("lambada").exists() && data.unfinished().is_empty());
    assert_eq!(data.fetch().0, Some(0));
}

#[test]
fn what_an_earlier_process_left_may_be_what_is_wrong() {
    let data = FetchedData::usual();
    fs::create_dir_all(data.place(".fetch")).unwrap();
    fs::write(data.place(".fetch/lambada.zip.incomplete"), "odd").unwrap();
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(data.downloads(), [Some("bytes=3-".to_owned()), None]);
}

#[test]
fn a_server_that_fails_is_told_with_what_to_do() {
    let data = FetchedData::usual();
    let archive = zip(&[Member::new("lambada/test.jsonl", ROWS)]);
    for (url, offline, expected) in [
        (
            format!("{}/archives/none.zip", data.setting.hub.endpoint),
            false,
            "no such archive (HTTP 404)",
        ),
        ("http://127.0.0.1:9/lambada.zip".to_owned(), false, "cannot reach http://127.0.0.1:9"),
        (
            format!("{}/archives/lambada.zip", data.setting.hub.endpoint),
            true,
            "forbids to fetch it",
        ),
    ] {
        data.table(&url, &archive);
        let mut command = data.command(&["fetch", "config.py", "--yes"]);
        if offline {
            command.env("HF_HUB_OFFLINE", "1");
        }
        let (code, _, stderr) = said(&command.output().unwrap());
        assert_eq!(code, Some(2), "{expected}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    assert!(data.downloads().is_empty());
}

#[test]
fn a_mirror_takes_the_place_of_every_address() {
    let data = FetchedData::usual();
    data.table("http://127.0.0.1:9/lambada.zip", &zip(&[Member::new("lambada/test.jsonl", ROWS)]));
    let mirror = format!("{}/archives/", data.setting.hub.endpoint);
    let mut command = data.command(&["fetch", "config.py", "--yes"]);
    let (code, _, stderr) = said(&command.env("SURPRISAL_DATA_MIRROR", mirror).output().unwrap());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(data.place("lambada/test.jsonl").is_file());
    let mut command = data.command(&["fetch", "config.py", "--yes"]);
    fs::remove_dir_all(data.place("lambada")).unwrap();
    let (code, _, stderr) = said(&command.env("SURPRISAL_DATA_MIRROR", "odd").output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stderr.contains("SURPRISAL_DATA_MIRROR"), "{stderr}");
}

#[test]
fn what_has_no_address_is_named_with_what_to_do() {
    let data = FetchedData::usual();
    data.config("NaturalQuestionDataset", "opencompass/natural_question");
    let (code, stdout, stderr) = data.fetch();
    assert_eq!(code, Some(2));
    assert!(stdout.contains("cannot be had"), "{stdout}");
    assert!(
        stderr.contains("data/nq/ is not here") && stderr.contains("COMPASS_DATA_CACHE"),
        "{stderr}"
    );
}

#[test]
fn an_archive_without_what_is_looked_for_is_told() {
    let data = FetchedData::new(&[Member::new("lambada/other.jsonl", ROWS)]);
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(2));
    assert!(stderr.contains("there is no data/lambada/test.jsonl in it"), "{stderr}");
}

#[test]
fn files_that_lie_there_stay_and_that_is_told() {
    let members =
        [Member::new("lambada/test.jsonl", ROWS), Member::new("lambada/dev.jsonl", "theirs")];
    let data = FetchedData::new(&members);
    fs::create_dir_all(data.place("lambada")).unwrap();
    fs::write(data.place("lambada/dev.jsonl"), "mine").unwrap();
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("dev.jsonl") && stderr.contains("other content"), "{stderr}");
    assert_eq!(fs::read_to_string(data.place("lambada/dev.jsonl")).unwrap(), "mine");
    assert!(data.place("lambada/test.jsonl").is_file());
}

#[test]
fn what_was_unpacked_before_a_kill_moves_to_its_place() {
    let data = FetchedData::usual();
    let place = data.place(".fetch/lambada.zip.unpacked/lambada/test.jsonl");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, ROWS).unwrap();
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(data.downloads().is_empty() && data.unfinished().is_empty());
    assert!(data.place("lambada/test.jsonl").is_file());
}

#[test]
fn an_archive_that_somebody_brought_is_unpacked() {
    let data = FetchedData::usual();
    fs::create_dir_all(data.place("")).unwrap();
    fs::write(data.place("lambada.zip"), zip(&[Member::new("lambada/test.jsonl", ROWS)])).unwrap();
    let mut command = data.command(&["fetch", "config.py", "--yes"]);
    let (code, _, stderr) = said(&command.env("HF_HUB_OFFLINE", "1").output().unwrap());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(data.place("lambada/test.jsonl").is_file() && data.place("lambada.zip").is_file());
}

#[test]
fn repositories_and_checkpoints_come_from_the_hub_into_its_cache() {
    let data = FetchedData::usual();
    let rows = ("train.jsonl".to_owned(), b"{\"text\": \"learn\", \"answer_idx\": 1}\n".to_vec());
    let files: Files = [rows, ("README.md".to_owned(), b"# Words".to_vec())].into();
    data.setting.hub.commit("datasets/org/words", "main", COMMIT, &files);
    for class in ["HFDataset", "MedQADataset"] {
        data.config(class, "org/words");
        if class == "HFDataset" {
            let text = fs::read_to_string(data.setting.folder().join("config.py")).unwrap();
            let text = text.replace("train_split='test'", "test_split='train'");
            fs::write(data.setting.folder().join("config.py"), text).unwrap();
        }
        let (code, stdout, stderr) = data.run(&["fetch", "config.py", "--dry-run"]);
        assert_eq!(code, Some(0), "{class}: {stderr}");
        assert!(stdout.contains("org/words") && stdout.contains("to fetch"), "{class}: {stdout}");
        assert!(!data.setting.lines().iter().any(|line| line.contains("train.jsonl")));
    }
    let arguments = ["fetch", "config.py", "--yes", "--model", "org/tiny"];
    let (code, _, stderr) = data.run(&arguments);
    assert_eq!(code, Some(0), "{stderr}");
    let mut again = data.command(&arguments);
    let (code, stdout, stderr) = said(&again.env("HF_HUB_OFFLINE", "1").output().unwrap());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("nothing to fetch"), "{stdout}");
}
