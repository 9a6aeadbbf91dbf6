//! Images at addresses of the web: fetched from a server on this machine where that is allowed, and not otherwise.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    process::Output,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::json;

use super::scratch::{Scratch, fixtures, stderr};

const CONFIG: &str = r"seen = dict(abbr='seen', type='ImageQuestionDataset', path='seen.jsonl',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='MMPromptTemplate', template=dict(round=[dict(role='HUMAN', prompt_mm=dict(
            text=dict(type='text', text='{question}'),
            image=dict(type='image_url', image_url=dict(url='{image}'))))])),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [seen]
";

/// A server of files that may be changed; it ends with the test process.
struct FileServer {
    address: String,
    files: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl FileServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let own = Self { address, files: Arc::default(), asked: Arc::default() };
        let (files, asked) = (Arc::clone(&own.files), Arc::clone(&own.asked));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
                let path = first.split(' ').nth(1).unwrap().to_owned();
                let found = files.lock().unwrap().get(&path).cloned();
                asked.lock().unwrap().push(path);
                let (status, body) =
                    found.map_or(("404 Not Found", Vec::new()), |own| ("200 OK", own));
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
                );
                _ = stream.write_all(&[head.as_bytes(), &body].concat());
            }
        });
        own
    }

    fn put(&self, path: &str, fixture: &str) {
        let bytes = fs::read(fixtures().join("vision/images").join(fixture)).unwrap();
        self.files.lock().unwrap().insert(path.to_owned(), bytes);
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// A folder whose only row shows what is at an address.
fn scratch(image: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("config.py", CONFIG);
    let row = json!({"image": image, "question": "What is this?", "answer": "x"});
    scratch.write("seen.jsonl", &row.to_string());
    scratch
}

fn run(scratch: &Scratch, more: &[&str], offline: &str) -> Output {
    let model = fixtures().join("vision/models/llava");
    let arguments = ["run", "config.py", "--model", model.to_str().unwrap(), "-w", "work"];
    let mut command = scratch.command(&[&arguments[..], more].concat());
    command.env("HF_HUB_OFFLINE", offline).output().unwrap()
}

/// The last ids of the newest run's only sample.
fn answer(scratch: &Scratch) -> Vec<u64> {
    let tokens = scratch.export("work", "tokens");
    let ids: Vec<u64> = tokens.iter().map(|token| token["id"].as_u64().unwrap()).collect();
    ids[ids.len() - 4..].to_vec()
}

#[test]
fn an_image_is_fetched_where_that_is_allowed_and_answered_as_a_file_is() {
    let server = FileServer::start();
    server.put("/cat.png?a=b", "rgb.png");
    let scratch = scratch(&format!("{}/cat.png?a=b", server.address));
    let refused = run(&scratch, &[], "0");
    assert_eq!((refused.status.code(), server.asked()), (Some(2), 0));
    assert!(stderr(&refused).contains("give --allow-download"), "{}", stderr(&refused));
    let output = run(&scratch, &["--allow-download"], "0");
    assert_eq!((output.status.code(), server.asked()), (Some(0), 1), "{}", stderr(&output));
    let fetched = answer(&scratch);

    let picture = fixtures().join("vision/images/rgb.png");
    let beside = self::scratch(picture.to_str().unwrap());
    let output = run(&beside, &[], "1");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(answer(&beside), fetched);

    // What is in the cache needs no connection, and consent all the same.
    let again = run(&scratch, &["--allow-download"], "1");
    assert!(stderr(&again).contains("the same run is finished and kept"), "{}", stderr(&again));
    assert_eq!((run(&scratch, &[], "1").status.code(), server.asked()), (Some(2), 1));
}

#[test]
fn another_image_at_the_same_address_is_another_run() {
    let server = FileServer::start();
    server.put("/a", "rgb.png");
    let scratch = scratch(&format!("{}/a", server.address));
    assert_eq!(run(&scratch, &["--allow-download"], "0").status.code(), Some(0));
    let first = answer(&scratch);
    server.put("/a", "wide.png");
    // What was fetched stays until it is taken out of the cache.
    let kept = run(&scratch, &["--allow-download"], "0");
    assert!(stderr(&kept).contains("the same run is finished and kept"), "{}", stderr(&kept));
    fs::remove_dir_all(scratch.cache().join("images/addresses")).unwrap();
    let other = run(&scratch, &["--allow-download"], "0");
    assert!(!stderr(&other).contains("finished and kept"), "{}", stderr(&other));
    assert_ne!(answer(&scratch), first);
    assert_eq!(server.asked(), 2);
}

#[test]
fn what_cannot_be_fetched_is_named_and_ends_the_run() {
    let server = FileServer::start();
    server.files.lock().unwrap().insert("/page".to_owned(), b"<html>no image</html>".to_vec());
    for (path, offline, expected) in [
        ("/page", "0", "do not begin as a PNG"),
        ("/gone", "0", "HTTP 404"),
        ("/gone", "1", "HF_HUB_OFFLINE"),
    ] {
        let address = format!("{}{path}", server.address);
        let output = run(&scratch(&address), &["--allow-download"], offline);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected) && told.contains(&address), "{told}");
    }
    assert_eq!(server.asked(), 2);
}
