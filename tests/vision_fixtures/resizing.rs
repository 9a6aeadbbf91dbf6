//! `resize/expected.json`: hashes of Pillow's `Image.resize`.

use surprisal::image::{Filter, Size, Transparency, resize};

use super::{Tally, equal, folder, json, read_image, sha256};

#[test]
fn vision_fixtures_resized() {
    let expected = json(&folder().join("resize/expected.json"));
    let mut tally = Tally::default();
    for case in expected["cases"].as_array().unwrap() {
        let text = |name: &str| case[name].as_str().unwrap();
        let side = |name: &str| case[name].as_u64().unwrap() as usize;
        let to = Size { width: side("width"), height: side("height") };
        let (filter, mode) = (filter(text("filter")), text("mode"));
        let path = folder().join("images").join(text("image"));
        let resized = match mode {
            "RGBA" => resized_with_alpha(&path, to, filter),
            "L" => {
                let image = read_image(&path, Transparency::Dropped);
                let gray: Vec<u8> = image.levels().chunks(3).map(|pixel| pixel[0]).collect();
                resize::<1>(&gray, image.size(), to, filter).unwrap()
            }
            _ => {
                let image = read_image(&path, Transparency::Dropped);
                image.resized(to, filter).unwrap().levels().to_vec()
            }
        };
        let what = format!("{} {mode} {} {to}", text("image"), text("filter"));
        tally.add(&what, equal(&sha256(&resized).as_str(), &text("sha256")));
    }
    let failures = tally.end("resize/expected.json");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn filter(name: &str) -> Filter {
    match name {
        "nearest" => Filter::Nearest,
        "lanczos" => Filter::Lanczos,
        "bilinear" => Filter::Bilinear,
        "bicubic" => Filter::Bicubic,
        "box" => Filter::Box,
        "hamming" => Filter::Hamming,
        _ => panic!("no filter is called {name}"),
    }
}

/// The program resizes no image with transparency. Here the four channels are, as Pillow does it: colours multiplied by their opacity, and divided
/// by it afterwards.
fn resized_with_alpha(path: &std::path::Path, to: Size, filter: Filter) -> Vec<u8> {
    let image = image::open(path).unwrap().into_rgba8();
    let from = Size { width: image.width() as usize, height: image.height() as usize };
    let mut levels = image.into_raw();
    if filter == Filter::Nearest {
        return resize::<4>(&levels, from, to, filter).unwrap();
    }
    for pixel in levels.chunks_exact_mut(4) {
        for at in 0..3 {
            let product = u32::from(pixel[at]) * u32::from(pixel[3]) + 128;
            pixel[at] = (((product >> 8) + product) >> 8) as u8;
        }
    }
    let mut resized = resize::<4>(&levels, from, to, filter).unwrap();
    for pixel in resized.chunks_exact_mut(4).filter(|pixel| !matches!(pixel[3], 0 | 255)) {
        for at in 0..3 {
            pixel[at] = (255 * u32::from(pixel[at]) / u32::from(pixel[3])).min(255) as u8;
        }
    }
    resized
}
