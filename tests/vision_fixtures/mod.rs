//! Images against Pillow and the processors of transformers.
//!
//! The folder is `tests/fixtures/vision` or the one named by the environment variable `SURPRISAL_VISION_FIXTURES`. It was made with random images and
//! random tiny checkpoints, by transformers 5.23 and Pillow 13.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]
#![expect(clippy::print_stdout, reason = "a test says what it compared, and what it skips")]

mod absurd_configs;
mod bad_input;
mod decoding;
mod hearing;
mod invariants;
mod processing;
mod resizing;
mod scoring;
mod seeing;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use sha2::{Digest, Sha256};
use surprisal::image::{Pixels, Size, Transparency, Video, decode};

/// What was compared and what was wrong, file by file.
#[derive(Default)]
struct Tally {
    passed: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(problem) => self.failures.push(format!("{what}: {problem}")),
        }
    }

    /// Says what a file came to.
    fn end(self, file: &str) -> Vec<String> {
        println!("{file}: {} passed, {} failed", self.passed, self.failures.len());
        assert!(self.passed + self.failures.len() > 0, "{file}: nothing was compared");
        self.failures.iter().map(|failure| format!("{file}: {failure}")).collect()
    }
}

fn folder() -> PathBuf {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/vision");
    env::var_os("SURPRISAL_VISION_FIXTURES").map_or_else(|| own.into(), PathBuf::from)
}

fn json(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn read_image(path: &Path, transparency: Transparency) -> Pixels {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    decode(&bytes, transparency).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pixels that transformers saw of `images/NAME`, whatever the decoder of JPEG here makes of it.
fn seen_image(name: &str) -> Pixels {
    let is_jpeg = Path::new(name).extension().is_some_and(|ending| ending == "jpg");
    let file = if is_jpeg { format!("decoded/{name}.png") } else { name.to_owned() };
    read_image(&folder().join("images").join(file), Transparency::Dropped)
}

/// The video of a case as its `frames` and `fps` say: a part of `photo.jpg` that moves to the right by five pixels a frame.
fn seen_video(case: &Value) -> Video {
    let said = "4 frames: images/photo.jpg (decoded) cropped to box (0,0,84,60), frame k rolled right by 5k pixels (numpy.roll, axis=1)";
    assert_eq!(case["frames"], said);
    let photo = seen_image("photo.jpg");
    let size = Size { width: 84, height: 60 };
    let frame = |number: usize| {
        let places = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
        let pixel = |(x, y): (usize, usize)| {
            let from = (x + size.width - 5 * number) % size.width;
            let first = (y * photo.size().width + from) * 3;
            photo.levels()[first..first + 3].iter().copied()
        };
        Pixels::new(size, places.flat_map(pixel).collect()).unwrap()
    };
    Video::new((0..4).map(frame).collect(), case["fps"].as_f64()).unwrap()
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}")) }
}
