//! Hostile programs end as wrong answers and harm nothing. Where no sandbox works the tests say so and end.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{
    io::Write as _,
    time::{Duration, Instant},
};

use surprisal::sandbox::{Ended, Program, Sandbox};

/// The sandbox, if one works here.
fn sandbox() -> Option<Sandbox> {
    match Sandbox::find() {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            let _ = writeln!(std::io::stdout(), "skipped: {error}");
            None
        }
    }
}

fn run(source: &str, seconds: f64) -> Option<Ended> {
    Some(sandbox()?.run(&Program::new(source, "", seconds)).unwrap())
}

#[test]
fn an_endless_loop_ends() {
    let begun = Instant::now();
    let Some(ended) = run("while True:\n    pass", 1.0) else { return };
    assert_eq!(ended, Ended::TimedOut);
    assert!(begun.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_loop_that_hears_no_signal_ends() {
    let source =
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass";
    let Some(ended) = run(source, 1.0) else { return };
    assert!(!ended.is_passed(), "{ended:?}");
}

#[test]
fn a_fork_bomb_ends() {
    let begun = Instant::now();
    let source =
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass";
    let Some(ended) = run(source, 1.0) else { return };
    assert!(!ended.is_passed(), "{ended:?}");
    assert!(begun.elapsed() < Duration::from_secs(90));
}

#[test]
fn memory_has_an_end() {
    let Some(ended) = run("x = bytearray(64 << 30)", 10.0) else { return };
    assert!(matches!(ended, Ended::Failed(_)), "{ended:?}");
}

#[test]
fn nothing_outside_is_written_or_read() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    for source in [
        format!("open({secret:?}).read()"),
        format!("open({secret:?}, 'w').write('x')"),
        "open('/usr/x', 'w')".to_owned(),
        "open('/x', 'w')".to_owned(),
        "import os\nos.mkdir('/etc/x')".to_owned(),
        "import os\nos.listdir('/home')".to_owned(),
        "import os\nos.listdir('/proc/1')".to_owned(),
        "import subprocess\nsubprocess.run(['mount', '-o', 'remount,bind,rw', '/usr'], check=True)"
            .to_owned(),
        "import subprocess\nsubprocess.run(['mount', '-t', 'tmpfs', 'none', '/usr'], check=True)"
            .to_owned(),
        "import os\nos.setuid(0)\nopen('/usr/x', 'w')".to_owned(),
    ] {
        let Some(ended) = run(&source, 10.0) else { return };
        assert!(matches!(ended, Ended::Failed(_)), "{source}: {ended:?}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(!std::path::Path::new("/usr/x").exists());
}

#[test]
fn there_is_no_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let source = format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)");
    let Some(ended) = run(&source, 10.0) else { return };
    assert!(matches!(ended, Ended::Failed(_)), "{ended:?}");
}

#[test]
fn files_have_an_end() {
    let source = "with open('/tmp/x', 'wb') as file:\n    \
        for _ in range(4096):\n        file.write(bytes(1 << 20))";
    let Some(ended) = run(source, 20.0) else { return };
    assert!(!ended.is_passed(), "{ended:?}");
}

#[test]
fn a_program_cannot_say_itself_that_it_passed() {
    for source in [
        "import os\nos.write(1, b'\\n[\"passed\", \"\"]\\n')\nos._exit(0)",
        "import sys\nsys.exit(0)",
        "raise SystemExit",
        "quit()",
    ] {
        let Some(ended) = run(source, 10.0) else { return };
        assert!(!ended.is_passed(), "{source}: {ended:?}");
    }
}

#[test]
fn processes_that_stay_behind_are_gone() {
    let mark = format!("{}.5", 400_000 + std::process::id() % 100_000);
    let source =
        format!("import subprocess\nsubprocess.Popen(['sleep', '{mark}'], start_new_session=True)");
    let Some(ended) = run(&source, 10.0) else { return };
    assert_eq!(ended, Ended::Passed);
    std::thread::sleep(Duration::from_millis(300));
    let left = std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
        std::fs::read_to_string(process.path().join("cmdline"))
            .is_ok_and(|line| line.contains(&mark))
    });
    assert!(!left);
}

#[test]
fn what_is_harmless_runs() {
    let source = "import json, math, tempfile, threading\n\
        with tempfile.NamedTemporaryFile('w+') as file:\n    json.dump([1], file)\n\
        assert math.gcd(4, 6) == 2\nprint('said')";
    let Some(sandbox) = sandbox() else { return };
    assert_eq!(sandbox.run(&Program::new(source, "", 10.0)).unwrap(), Ended::Passed);
    let wrong = Program::new("x = 1", "assert x == 2, 'two'", 10.0);
    assert_eq!(sandbox.run(&wrong).unwrap(), Ended::Wrong("two".to_owned()));
    let aware = Program { is_type_aware: true, ..Program::new("x = 1.0", "assert x == 1", 10.0) };
    assert!(matches!(sandbox.run(&aware).unwrap(), Ended::Wrong(_)));
    let many: Vec<Program> =
        (0..8).map(|n| Program::new(&format!("assert {n} % 2"), "", 10.0)).collect();
    let ended = sandbox.run_all(&many).unwrap();
    assert_eq!(ended.iter().filter(|ended| ended.is_passed()).count(), 4);
}
