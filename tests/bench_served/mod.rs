//! `surprisal bench --served`: the built binary against servers on this machine.
//!
//! Nothing here depends on how fast the machine is: what is held against the figures are counts, how figures depend on each
//! other, and waits of the server, below which no time can fall.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod server;

use std::{fs, process::Output, sync::Mutex, thread, time::Duration};

use serde_json::Value as Json;

use self::server::{Reply, ScriptedServer, Usage};
use crate::cli::scratch::{Scratch, stderr, stdout};

/// Measures a server.
fn bench(scratch: &Scratch, server: &ScriptedServer, more: &[&str]) -> Output {
    let fixed = ["bench", "--served", server.address.as_str(), "--seed", "1"];
    let output = scratch.run(&[&fixed, more].concat());
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    output
}

/// The report of a measurement with this exit code.
fn report(server: &ScriptedServer, code: i32, more: &[&str]) -> Json {
    let output = bench(&Scratch::new(), server, &[more, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn number(value: &Json, path: &str) -> f64 {
    value.pointer(path).and_then(Json::as_f64).unwrap_or_else(|| panic!("{path} of {value}"))
}

/// What is said on one line, however it was folded.
fn unfolded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn tokens_are_counted_and_not_pieces() {
    for api in ["chat", "completions"] {
        let server = ScriptedServer::start(|_| Reply::Pieces {
            wait: Duration::from_millis(30),
            tokens: vec![3, 3, 3, 3],
            pause: Duration::from_millis(12),
            usage: Usage::AsItGoes,
        });
        let more =
            ["--api", api, "--concurrency", "1,4", "--requests", "8", "--output-tokens", "12"];
        let report = report(&server, 0, &more);
        assert_eq!(report["model"], "only");
        assert_eq!(report["loads"].as_array().unwrap().len(), 2);
        for load in report["loads"].as_array().unwrap() {
            assert_eq!((&load["requests"], &load["failed_requests"]), (&8.into(), &0.into()));
            assert_eq!((&load["output_tokens"], &load["input_tokens"]), (&96.into(), &40.into()));
            assert_eq!(load["tokens_per_piece"], 3.0);
            // A server that takes its time is seen to: 30 ms to the first piece, three pauses behind it.
            assert!(number(load, "/ttft_seconds/min") >= 0.03, "{load}");
            assert!(number(load, "/e2el_seconds/min") >= 0.066, "{load}");
            assert!(number(load, "/tpot_seconds/min") >= 0.036 / 9.0 * 0.5, "{load}");
            // Nine tokens come behind those of the first piece, in three pieces.
            let [ttft, e2el, tpot, itl, gap] = ["ttft", "e2el", "tpot", "itl", "piece_gap"]
                .map(|own| number(load, &format!("/{own}_seconds/mean")));
            assert!((tpot - (e2el - ttft) / 9.0).abs() < 1e-9, "{load}");
            assert!((itl - tpot).abs() < 1e-9 && (gap - 3.0 * itl).abs() < 1e-9, "{load}");
            assert_eq!(load["itl_seconds"]["n"], 72);
            assert_eq!(load["piece_gap_seconds"]["n"], 24);
            let (seconds, rate) = (number(load, "/seconds"), number(load, "/requests_per_second"));
            assert!((rate * seconds - 8.0).abs() < 1e-6, "{load}");
            let tokens = number(load, "/output_tokens_per_second");
            assert!((tokens - 12.0 * rate).abs() < 1e-6, "{load}");
            assert_eq!(load["notes"], serde_json::json!([]));
        }
        // Four at once take less than one after the other: both wait for the same server.
        let seconds = |load: usize| number(&report, &format!("/loads/{load}/mean_under_way"));
        assert!(seconds(0) <= 1.0 + 1e-9 && seconds(1) > 1.0, "{report}");
        // Twice eight requests, and four before each eight.
        let bodies = server.bodies();
        assert_eq!(bodies.len(), 24);
        assert!(bodies.iter().all(|own| own["stream"] == true && own["max_tokens"] == 12));
        assert!(bodies.iter().all(|own| own["stream_options"]["include_usage"] == true));
        let texts: std::collections::BTreeSet<String> =
            bodies.iter().map(Json::to_string).collect();
        assert_eq!(texts.len(), 24, "no prompt is sent twice");
    }
}

#[test]
fn failures_are_counted_apart_and_are_in_no_figure() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\" a\"}}]}\n\n";
    let server = ScriptedServer::start(move |number| match number % 10 {
        1 => Reply::Status(429, "come back later"),
        3 | 4 => Reply::Status(500, "out of memory"),
        6 => Reply::stream(half),
        8 => Reply::Bytes(Vec::new()),
        _ => Reply::pieces(&[1, 1, 1], Usage::AtEnd),
    });
    let scratch = Scratch::new();
    let more = ["--concurrency", "3", "--requests", "40", "--warm-up", "0"];
    let output = bench(&scratch, &server, &[&more[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    // Nothing is sent twice.
    assert_eq!(server.bodies().len(), 40);
    let report: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let load = &report["loads"][0];
    assert_eq!((&load["requests"], &load["failed_requests"]), (&40.into(), &20.into()));
    let failures = load["failures"].as_array().unwrap();
    let of = |words: &str| {
        let found = failures.iter().filter(|own| own["what"].as_str().unwrap().contains(words));
        found.map(|own| own["requests"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(of("HTTP 500: out of memory"), 8, "{failures:?}");
    assert_eq!(of("HTTP 429: come back later"), 4, "{failures:?}");
    assert_eq!(of("did not end"), 4, "{failures:?}");
    assert_eq!(of(""), 20, "{failures:?}");
    assert_eq!(failures[0]["requests"], 8);
    for figure in ["ttft", "tpot", "e2el"] {
        assert_eq!(load[format!("{figure}_seconds")]["n"], 20);
    }
    assert_eq!(load["output_tokens"], 60);
    let rate = number(load, "/requests_per_second") * number(load, "/seconds");
    assert!((rate - 20.0).abs() < 1e-6, "{load}");
    let output = bench(&scratch, &server, &more);
    assert_eq!(output.status.code(), Some(1));
    let said = unfolded(&stdout(&output));
    assert!(said.contains("8 of 40 requests failed: HTTP 500: out of memory"), "{said}");
}

#[test]
fn latencies_count_from_when_a_request_was_to_be_sent() {
    // One after the other, 20 ms each, while one comes every 10 ms: the last of 50 ends after a second and was to be sent
    // after half of one. Whoever counts from sending sees 20 ms.
    let one = Mutex::new(());
    let server = ScriptedServer::start(move |_| {
        let _one = one.lock().unwrap();
        thread::sleep(Duration::from_millis(20));
        Reply::pieces(&[1, 1], Usage::AtEnd)
    });
    let rate = ["--rate", "100", "--arrivals", "constant", "--requests", "50", "--warm-up", "1"];
    for most in ["1", "64"] {
        let report = report(&server, 0, &[&rate[..], &["--most-at-once", most]].concat());
        let load = &report["loads"][0];
        assert_eq!(load["arrivals"], "constant");
        assert!(number(load, "/ttft_seconds/max") >= 0.5, "{load}");
        assert!(number(load, "/e2el_seconds/max") >= 0.5, "{load}");
        assert!(number(load, "/requests_per_second") <= 50.0, "{load}");
        // The wait for the others is told apart from this program's own lag.
        let waited = load["client"]["waited_seconds"]["max"].as_f64().unwrap_or_default();
        assert!(most != "1" || waited >= 0.4, "{load}");
        assert!(load["client"]["sent_late_seconds"]["n"] == 50, "{load}");
    }
}

#[test]
fn a_request_that_takes_too_long_failed() {
    let server = ScriptedServer::start(|number| {
        let wait = Duration::from_secs(if number == 2 { 30 } else { 0 });
        let pause = Duration::from_secs(if number == 3 { 30 } else { 0 });
        Reply::Pieces { wait, tokens: vec![1, 1], pause, usage: Usage::AtEnd }
    });
    let more = ["--requests", "6", "--concurrency", "2", "--warm-up", "1", "--timeout", "2"];
    let report = report(&server, 1, &more);
    let load = &report["loads"][0];
    assert_eq!(load["failed_requests"], 2, "{load}");
    assert!(load["failures"].to_string().contains("timeout"), "{load}");
    assert_eq!(load["e2el_seconds"]["n"], 4);
    assert!(number(load, "/e2el_seconds/max") < 30.0);
}

#[test]
fn what_a_server_does_not_tell_is_not_made_up() {
    let notes = |load: &Json| load["notes"].to_string();
    // Pieces of three words, and nobody says how many tokens that is.
    let server = ScriptedServer::start(|_| Reply::pieces(&[3, 3], Usage::Untold));
    let more = ["--requests", "5", "--concurrency", "1"];
    let untold = report(&server, 0, &more);
    let load = &untold["loads"][0];
    for figure in ["output_tokens", "output_tokens_per_second", "tpot_seconds", "itl_seconds"] {
        assert!(load[figure].is_null(), "{figure}: {load}");
    }
    assert_eq!(load["ttft_seconds"]["n"], 5);
    assert!(notes(load).contains("own --tokenizer counts them"), "{load}");
    let counted =
        report(&server, 0, &[&more[..], &["--tokenizer", "models/tiny-llama-bos"]].concat());
    let load = &counted["loads"][0];
    assert!(number(load, "/output_tokens") >= 30.0, "{load}");
    assert!(number(load, "/itl_seconds/n") >= 15.0, "{load}");
    // Six tokens in two pieces: their number is known, and not which piece has how many.
    let server = ScriptedServer::start(|_| Reply::pieces(&[2, 4], Usage::AtEnd));
    let load = &report(&server, 0, &more)["loads"][0];
    assert_eq!(load["output_tokens"], 30);
    assert!(load["itl_seconds"].is_null() && load["tpot_seconds"].is_object(), "{load}");
    assert!(notes(load).contains("which piece holds how many tokens"), "{load}");
    // An answer without text has no first text; the others have.
    let server = ScriptedServer::start(|number| {
        Reply::pieces(if number % 2 == 0 { &[1, 1] } else { &[0] }, Usage::AtEnd)
    });
    let load = &report(&server, 0, &["--requests", "6", "--warm-up", "2"])["loads"][0];
    assert_eq!(load["ttft_seconds"]["n"], 3);
    assert_eq!(load["e2el_seconds"]["n"], 6);
    assert!(notes(load).contains("3 of 6 answers have no text"), "{load}");
    // One that does not stream.
    let server = ScriptedServer::start(|_| Reply::Whole);
    let load = &report(&server, 0, &more)["loads"][0];
    assert!(load["ttft_seconds"].is_null() && load["tpot_seconds"].is_null(), "{load}");
    assert_eq!(load["output_tokens"], 10);
    assert!(notes(load).contains("5 of 5 answers have no text that came in pieces"), "{load}");
}

#[test]
fn no_answer_ends_the_program() {
    let odd: [Vec<u8>; 9] = [
        b"SSH-2.0-OpenSSH\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\n<html>hello</html>".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\ndata: {\"choices\": [{\"delta\": \"\xff\xfe".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\ndata: 7\n\ndata: [DONE]\n\n".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\ndata: {\"choices\": {}, \"usage\": []}\n\ndata: [DONE]\n\n"
            .to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\ndata: {\"error\": {\"message\": \"overloaded\"}}\n\n".to_vec(),
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
            .to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\ndata: {}\n\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec(),
    ];
    let count = odd.len();
    let server = ScriptedServer::start(move |number| Reply::Bytes(odd[number % count].clone()));
    let requests = count.to_string();
    let load = &report(&server, 1, &["--requests", &requests, "--warm-up", "0"])["loads"][0];
    assert_eq!(load["failed_requests"], count);
    assert_eq!(load["requests_per_second"], 0.0);
    assert!(load["e2el_seconds"].is_null() && load["ttft_seconds"].is_null(), "{load}");
    let output = bench(&Scratch::new(), &server, &["--requests", "9", "--warm-up", "0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("failed"), "{}", stdout(&output));
    // Counts that cannot be are no reason to end either.
    let event = r#"data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}], "usage": {"completion_tokens": 18446744073709551615}}"#;
    let lines = format!("{event}\n\ndata: [DONE]\n\n");
    let server = ScriptedServer::start(move |_| Reply::stream(&lines));
    bench(&Scratch::new(), &server, &["--requests", "3"]);
}

#[test]
fn a_server_that_does_not_answer_is_named() {
    let scratch = Scratch::new();
    let says = |address: &str, more: &[&str], words: &[&str]| {
        let output = scratch.run(&[&["bench", "--served", address], more].concat());
        let said = unfolded(&stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{more:?}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{more:?}: {said}");
        assert!(stdout(&output).is_empty() && !said.contains("panicked"), "{said}");
    };
    // Nothing listens behind a port that was free a moment ago.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    says(&format!("http://{gone}"), &[], &[&gone.to_string()]);
    says("ftp://somewhere", &[], &["http://"]);
    let server = ScriptedServer::start(|_| Reply::Status(404, "no such model"));
    let address = server.address.as_str();
    says(
        address,
        &["--served-model", "m"],
        &["none of 4 requests", "no such model", "--served-model"],
    );
    for (more, words) in [
        (&["--limit", "3"][..], "--requests"),
        (&["--model", "models/tiny-llama-bos"], "--served"),
        (&["--concurrency", "0"], "from 1 to"),
        (&["--rate", "inf"], "requests a second"),
        (&["--requests", "99999999999"], "from 1 to"),
        (&["--extra-body", "[1]"], "JSON object"),
        (&["--extra-body", "{\"n\": 2}"], "n is 1"),
        (&["--extra-body", "{\"stream\": false}"], "stream"),
        (&["--requests", "1000000", "--prompt-tokens", "1000000"], "choose fewer"),
        (&["--page", "no/such/folder/page.html"], "cannot write"),
        (&["--tokenizer", "nowhere"], "nowhere"),
        (&["--api-key-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
    ] {
        says(address, more, &[words]);
    }
    let output = scratch.run(&["bench", "--rate", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--served"), "{}", stderr(&output));
}

#[test]
fn what_is_printed_fits_and_the_page_has_plots() {
    let server = ScriptedServer::start(|number| match number % 7 {
        5 => Reply::Status(
            500,
            "<script>alert(1)</script> and \u{1b}[31m a-word-that-is-far-too-long-to-stand-in-one-line-of-a-terminal-of-eighty-columns-whatever-it-means",
        ),
        _ => Reply::pieces(&[2, 2, 1], Usage::AsItGoes),
    });
    let scratch = Scratch::new();
    let loads = ["--concurrency", "1,16", "--rate", "40,200", "--requests", "30"];
    let more =
        [&loads[..], &["--page", "page.html", "--served-model", "a model & <more>"]].concat();
    let output = bench(&scratch, &server, &more);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    for word in
        ["TTFT", "TPOT", "ITL", "E2EL", "p50", "p90", "p99", "16 at once", "200/s", "sent late"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains('\u{1b}'));
    let page = fs::read_to_string(scratch.path().join("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    // Six figures over numbers at once, and the same over rates.
    assert_eq!(page.matches("<svg").count(), 12);
    assert!(!page.contains("<script") && !page.contains("<more>") && page.contains("&lt;more&gt;"));
    // The key of a server is nowhere.
    let output = scratch
        .command(&["bench", "--served", &server.address, "--requests", "8", "--page", "key.html"])
        .args(["--api-key-env", "MY_KEY", "--json"])
        .env("MY_KEY", "sk-own-secret")
        .output()
        .unwrap();
    let page = fs::read_to_string(scratch.path().join("key.html")).unwrap();
    assert!(!(stdout(&output) + &stderr(&output) + &page).contains("own-secret"));
}

#[test]
fn prompts_of_a_config_are_sent() {
    let scratch = Scratch::new();
    scratch.write("rows.jsonl", "{\"q\": \"one\", \"a\": \"1\"}\n{\"q\": \"two\", \"a\": \"2\"}\n{\"q\": \"three\", \"a\": \"3\"}\n");
    let config = |inferencer: &str| {
        format!(
            "reader = dict(input_columns=['q'], output_column='a')\n\
datasets = [dict(abbr='d', path='rows.jsonl', reader_cfg=reader, infer_cfg=dict(\n\
    prompt_template=dict(type='PromptTemplate', template=dict(round=[dict(role='HUMAN', prompt='{{q}}?')])),\n\
    retriever=dict(type='ZeroRetriever'), inferencer=dict({inferencer})),\n\
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))]\n\
models = []\n"
        )
    };
    scratch.write("config.py", &config("type='GenInferencer', max_out_len=20"));
    let server = ScriptedServer::start(|_| Reply::pieces(&[1, 1], Usage::AtEnd));
    let more = ["config.py", "--limit", "2", "--requests", "3", "--warm-up", "1"];
    let output = bench(&scratch, &server, &more);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let asked: Vec<Json> =
        server.bodies().iter().map(|own| own["messages"][0]["content"].clone()).collect();
    assert_eq!(asked, ["one?", "two?", "one?", "two?"]);
    assert!(server.bodies().iter().all(|own| own["max_tokens"] == 20));
    let said = unfolded(&stdout(&output));
    assert!(said.contains("the configs have 2 prompts, and some were sent before"), "{said}");
    scratch.write(
        "config.py",
        &config("type='PPLOnlyInferencer'").replace("output_column='a'", "output_column=None"),
    );
    let output = bench(&scratch, &server, &more);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("scores given texts"), "{}", stderr(&output));
}
