//! How fast it answers, measured by `surprisal bench --served`.

use std::process::Command;

use serde_json::Value as Json;

use super::server::Server;

#[test]
fn the_program_measures_its_own_server() {
    let server = Server::start("models/pocket", &[]);
    for api in ["chat", "completions"] {
        let output = Command::new(env!("CARGO_BIN_EXE_surprisal"))
            .args([
                "bench",
                "--served",
                &format!("http://{}", server.address),
                "--api",
                api,
                "--json",
            ])
            .args(["--concurrency", "1,3", "--requests", "6", "--warm-up", "1"])
            .args(["--prompt-tokens", "12", "--output-tokens", "8"])
            .output()
            .unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{talk}");
        let report: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["model"], "tiny");
        for load in report["loads"].as_array().unwrap() {
            assert_eq!(load["failed_requests"], 0, "{load}");
            assert_eq!(load["e2el_seconds"]["n"], 6, "{load}");
            let tokens = load["output_tokens"].as_u64().unwrap();
            assert!((6..=48).contains(&tokens), "{load}");
            assert!(load["input_tokens"].as_u64().unwrap() >= 6 * 12, "{load}");
            // The server says with each piece, or by one a token, what it holds.
            if load["ttft_seconds"].is_object() && load["tpot_seconds"].is_object() {
                assert!(load["itl_seconds"].is_object(), "{load}");
            }
        }
    }
}
