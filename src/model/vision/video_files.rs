//! A video by where its frames are: a folder of images, or an animation.
//!
//! Containers such as MP4 are not decoded here: nothing that is built into the program can, and another program would have to be
//! trusted with other people's files. `ffmpeg -i in.mp4 -vf fps=2 frames/%04d.png` makes a folder of one.

use std::{cmp::Ordering, fs, io, path::Path};

use crate::image::{
    ImageError, MOST_IMAGE_BYTES, MOST_PIXELS, Pixels, Transparency, Video, decode, decode_frames,
};
use crate::regular_file;

/// Reads the images of a folder in the order of their names, or the frames of a GIF or WebP animation. Numbers in names count as numbers:
/// `frame2.png` is before `frame10.png`. Hidden files are passed over.
///
/// `frames_per_second` says how many of them are a second, if that is known; files do not.
///
/// # Errors
/// A message that names the file which cannot be read or decoded, or the folder whose images make no video.
pub fn read_video(path: &Path, frames_per_second: Option<f64>) -> Result<Video, String> {
    let failed = |problem: String| format!("{}: {problem}", path.display());
    let frames = if path.is_dir() {
        frames_of_folder(path)?
    } else {
        decode_frames(&bytes(path)?).map_err(|error| failed(error.to_string()))?
    };
    Video::new(frames, frames_per_second).map_err(|error| failed(error.to_string()))
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = regular_file::read(path, MOST_IMAGE_BYTES as u64);
    bytes.map_err(|error| format!("{}: {error}", path.display()))
}

fn frames_of_folder(folder: &Path) -> Result<Vec<Pixels>, String> {
    let names = names(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut frames, mut pixels) = (Vec::new(), 0_usize);
    for name in names {
        let path = folder.join(&name);
        let frame = decode(&bytes(&path)?, Transparency::Dropped);
        let frame = frame.map_err(|error| format!("{}: {error}", path.display()))?;
        pixels = pixels.saturating_add(frame.size().pixels());
        // Before the rest is decoded.
        if pixels > MOST_PIXELS {
            let (frames, size) = (frames.len() + 1, frame.size());
            let (width, height, most_pixels) = (size.width, size.height, MOST_PIXELS);
            let error = ImageError::TooManyFrames { frames, width, height, most_pixels };
            return Err(format!("{}: {error}", folder.display()));
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// The names of a folder's files, in order.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string().map_err(|name| {
            let problem = format!("the name {} is not UTF-8", name.display());
            io::Error::new(io::ErrorKind::InvalidData, problem)
        })?;
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort_by(|one, other| in_order(one, other));
    Ok(names)
}

/// Which of two names comes first, where stretches of digits are compared as numbers.
fn in_order(one: &str, other: &str) -> Ordering {
    let parts = |name: &str| {
        let (mut parts, mut is_number) = (Vec::<String>::new(), false);
        for character in name.chars() {
            match parts.last_mut().filter(|_| character.is_ascii_digit() == is_number) {
                Some(part) => part.push(character),
                None => parts.push(character.to_string()),
            }
            is_number = character.is_ascii_digit();
        }
        parts
    };
    let compared = |(one, other): (&String, &String)| {
        let number = |part: &String| {
            let digits = part.trim_start_matches('0').to_owned();
            part.bytes().all(|byte| byte.is_ascii_digit()).then_some((digits.len(), digits))
        };
        match (number(one), number(other)) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => one.cmp(other),
        }
    };
    let (ones, others) = (parts(one), parts(other));
    let unequal = ones.iter().zip(&others).map(compared).find(|order| order.is_ne());
    unequal.unwrap_or_else(|| ones.len().cmp(&others.len()).then_with(|| one.cmp(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn save(path: &Path, level: u8, width: u32) {
        let image = ::image::RgbImage::from_pixel(width, 2, ::image::Rgb([level; 3]));
        image.save_with_format(path, ::image::ImageFormat::Png).unwrap();
    }

    #[test]
    fn frames_of_a_folder_are_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, level) in [("frame10.png", 3), ("frame2.png", 1), ("frame002b.png", 2)] {
            save(&folder.path().join(name), level, 3);
        }
        fs::write(folder.path().join(".thumbnails"), b"no image").unwrap();
        let video = read_video(folder.path(), Some(2.0)).unwrap();
        let levels: Vec<u8> = video.frames().iter().map(|frame| frame.levels()[0]).collect();
        assert_eq!((levels, video.frames_per_second()), (vec![1, 2, 3], Some(2.0)));
    }

    #[test]
    fn what_makes_no_video_is_refused_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |path: &Path| {
            let refusal = read_video(path, None).unwrap_err();
            assert!(!refusal.contains('\n'), "{refusal}");
            refusal
        };
        assert!(refusal(folder.path()).contains("there are none"));
        assert!(refusal(&folder.path().join("no.gif")).contains("no.gif: "));
        save(&folder.path().join("a.png"), 1, 3);
        assert_eq!(read_video(&folder.path().join("a.png"), None).unwrap().frames().len(), 1);
        save(&folder.path().join("b.png"), 1, 4);
        assert!(refusal(folder.path()).contains("another has 4 × 2"));
        fs::write(folder.path().join("b.png"), b"no image").unwrap();
        assert!(refusal(folder.path()).contains("b.png: this is no image"));
        fs::write(folder.path().join("c.mp4"), b"\0\0\0\x20ftypisom").unwrap();
        assert!(refusal(&folder.path().join("c.mp4")).contains("c.mp4: this is no image"));
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["b1", "a10", "a9", "a", "a010", "a1b", "a1"];
        names.sort_by(|one, other| in_order(one, other));
        assert_eq!(names, ["a", "a1", "a1b", "a9", "a010", "a10", "b1"]);
    }
}
