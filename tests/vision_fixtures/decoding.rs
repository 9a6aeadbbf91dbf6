//! `images/decode.json`, and `tests/fixtures/images`, which has other kinds of files: what Pillow makes of them.

use std::{fs, path::Path};

use serde_json::Value;
use surprisal::image::{ImageError, Pixels, Transparency, decode, decode_frames};

use super::{Tally, equal, folder, json, read_image, sha256};

/// How far levels of lossy WebP may be from those of Pillow's decoder.
const MOST_LEVELS: u8 = 2;

/// Kinds of files whose decoders need not agree.
fn is_lossy(name: &str) -> bool {
    name.starts_with("lossy")
}

/// How far the pixels of two images are apart at most.
fn distance(one: &Pixels, other: &Pixels) -> Option<u8> {
    let pairs = one.levels().iter().zip(other.levels());
    (one.size() == other.size()).then(|| pairs.map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0))
}

fn compared(
    path: &Path,
    decoded: &Path,
    transparency: Transparency,
    hash: &Value,
) -> Result<(), String> {
    let found = read_image(path, transparency);
    if !is_lossy(&path.file_name().unwrap_or_default().to_string_lossy()) {
        return equal(&sha256(found.levels()).as_str(), &hash.as_str().unwrap());
    }
    let expected = read_image(decoded, Transparency::Dropped);
    match distance(&found, &expected) {
        Some(0..=MOST_LEVELS) => Ok(()),
        apart => Err(format!("{apart:?} levels from Pillow's, of {}", expected.size())),
    }
}

#[test]
fn vision_fixtures_decoded() {
    let images = folder().join("images");
    let mut tally = Tally::default();
    for (name, expected) in json(&images.join("decode.json"))["images"].as_object().unwrap() {
        let (path, decoded) = (images.join(name), images.join(format!("decoded/{name}.png")));
        for (transparency, hash) in [
            (Transparency::Dropped, &expected["rgb_sha256"]),
            (Transparency::OverWhite, &expected["rgb_over_white_sha256"]),
        ] {
            let outcome = compared(&path, &decoded, transparency, hash);
            tally.add(&format!("{name}, {transparency:?}"), outcome);
        }
    }
    let failures = tally.end("images/decode.json");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn vision_fixtures_of_other_kinds_decoded() {
    let images = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/images"));
    let mut tally = Tally::default();
    for (name, expected) in json(&images.join("decode.json"))["images"].as_object().unwrap() {
        let path = images.join(name);
        for (transparency, hash, kept) in [
            (Transparency::Dropped, &expected["rgb_sha256"], "rgb"),
            (Transparency::OverWhite, &expected["over_white_sha256"], "over_white"),
        ] {
            let decoded = images.join(format!("decoded/{name}.{kept}.png"));
            let outcome = compared(&path, &decoded, transparency, hash);
            tally.add(&format!("{name}, {transparency:?}"), outcome);
        }
        if let Some(hashes) = expected["frames_sha256"].as_array() {
            let frames = decode_frames(&fs::read(&path).unwrap()).unwrap();
            let found: Vec<Value> =
                frames.frames().iter().map(|frame| sha256(frame.levels()).into()).collect();
            tally.add(&format!("{name}, frames"), equal(&found, hashes));
        }
    }
    let failures = tally.end("tests/fixtures/images");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn vision_fixtures_that_are_cut_off_are_refused() {
    let images = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/images"));
    for name in [
        "rgb.png",
        "fine.jpg",
        "progressive.jpg",
        "lossless.webp",
        "lossy.webp",
        "first.gif",
        "rgb.bmp",
    ] {
        let bytes = fs::read(images.join(name)).unwrap();
        for kept in [0, 1, 5, 20, bytes.len() / 3, bytes.len() / 2, bytes.len() - 20] {
            let refusal = decode(&bytes[..kept], Transparency::Dropped).map(|_| ()).unwrap_err();
            let text = refusal.to_string();
            assert!(text.len() < 200 && !text.contains('\n'), "{name}, {kept} bytes: {text}");
        }
        // Whatever is in the bytes, there is an answer.
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = decode(&changed, Transparency::OverWhite);
            let _ = decode_frames(&changed);
        }
    }
}

#[test]
fn vision_fixtures_with_many_pixels_are_refused_before_they_are_decoded() {
    let images = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/images"));
    let mut bmp = fs::read(images.join("rgb.bmp")).unwrap();
    bmp[18..22].copy_from_slice(&30_000_u32.to_le_bytes());
    bmp[22..26].copy_from_slice(&30_000_u32.to_le_bytes());
    let mut gif = fs::read(images.join("frames.gif")).unwrap();
    gif[6..10].fill(0xff);
    for bytes in [&bmp, &gif] {
        for refusal in
            [decode(bytes, Transparency::Dropped).map(|_| ()), decode_frames(bytes).map(|_| ())]
        {
            assert!(matches!(refusal, Err(ImageError::TooManyPixels { .. })), "{refusal:?}");
        }
    }
    assert_eq!(decode(b"", Transparency::Dropped), Err(ImageError::Empty));
    assert_eq!(decode(b"<svg/>", Transparency::Dropped), Err(ImageError::UnknownFormat));
}
