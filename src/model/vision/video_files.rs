//! A video by where its frames are: a folder of images, an animation, or a film, which `ffmpeg` cuts into images.
//!
//! `ffmpeg -i film.mp4 -vf fps=2 frames/%05d.png` makes a folder of a film where it is to be kept.

use std::{cmp::Ordering, fs, io, io::Read as _, path::Path};

use sha2::{Digest as _, Sha256};

use super::film;
use crate::image::{
    ImageError, MOST_IMAGE_BYTES, MOST_PIXELS, Pixels, Transparency, Video, decode, decode_frames,
};
use crate::model::media::{Digest, MediaAddress};
use crate::regular_file;

/// Images of a film that are a second where nothing else is said: what Qwen-VL and GLM-4.1V are given.
const USUAL_FILM_RATE: f64 = 2.0;

/// Bytes that tell an image from a film.
const HEAD_BYTES: u64 = 32;

/// Reads the images of a folder in the order of their names, the frames of a GIF or WebP animation, or what `ffmpeg` cuts a film into.
/// Numbers in names count as numbers: `frame2.png` is before `frame10.png`. Hidden files are passed over.
///
/// `frames_per_second` says how many of the images are a second, and how many of a film are taken; without it that is not known of a folder, an
/// animation says it, and of a film two are taken.
///
/// # Errors
/// A message that names the file which cannot be read or decoded, or the folder whose images make no video.
pub fn read_video(path: &Path, frames_per_second: Option<f64>) -> Result<Video, String> {
    let read = addressed_video(&MediaAddress::File(path.to_owned()), frames_per_second);
    read.map(|(video, _)| video).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// The same by an address, and the SHA-256 of what the frames were made of; of a film that is the frames.
///
/// # Errors
/// As [`read_video`], where the address itself is not named.
pub(in crate::model) fn addressed_video(
    address: &MediaAddress,
    frames_per_second: Option<f64>,
) -> Result<(Video, Digest), String> {
    let (video, digest) = match address {
        MediaAddress::File(path) if path.is_dir() => {
            let (frames, digest) = frames_of_folder(path)?;
            (Video::new(frames, frames_per_second), digest)
        }
        MediaAddress::File(path) if is_film(path)? => {
            let rate = frames_per_second.unwrap_or(USUAL_FILM_RATE);
            let frames = film::cut(path, rate)?;
            let mut digest = Sha256::new();
            for frame in &frames {
                digest.update(frame.size().to_string());
                digest.update(frame.levels());
            }
            (Video::new(frames, Some(rate)), digest)
        }
        _ => {
            let bytes = address.bytes(MOST_IMAGE_BYTES as u64)?;
            let video = decode_frames(&bytes);
            if matches!(video, Err(ImageError::UnknownFormat)) {
                let problem = "a video within a message is a GIF or WebP animation; of a film, give the path of its file";
                return Err(problem.to_owned());
            }
            (video, Sha256::new_with_prefix(&bytes))
        }
    };
    let video = match (video, frames_per_second) {
        (Ok(video), Some(rate)) => video.at(rate),
        (video, _) => video,
    };
    Ok((video.map_err(|error| error.to_string())?, digest.finalize().into()))
}

/// Whether a file is no image and so may be a film.
fn is_film(path: &Path) -> Result<bool, String> {
    let mut head = Vec::new();
    let opened = regular_file::open(path);
    let read = opened.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.map_err(|error| error.to_string())?;
    Ok(matches!(decode(&head, Transparency::Dropped), Err(ImageError::UnknownFormat)))
}

fn frames_of_folder(folder: &Path) -> Result<(Vec<Pixels>, Sha256), String> {
    let names = names(folder).map_err(|error| error.to_string())?;
    let (mut frames, mut pixels, mut digest) = (Vec::new(), 0_usize, Sha256::new());
    for name in names {
        let failed = |problem: &dyn std::fmt::Display| format!("{name}: {problem}");
        let bytes = regular_file::read(&folder.join(&name), MOST_IMAGE_BYTES as u64);
        let bytes = bytes.map_err(|error| failed(&error))?;
        let frame = decode(&bytes, Transparency::Dropped).map_err(|error| failed(&error))?;
        // The length in front keeps files apart.
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
        pixels = pixels.saturating_add(frame.size().pixels());
        // Before the rest is decoded.
        if pixels > MOST_PIXELS {
            let (frames, size) = (frames.len() + 1, frame.size());
            let (width, height, most_pixels) = (size.width, size.height, MOST_PIXELS);
            let error = ImageError::TooManyFrames { frames, width, height, most_pixels };
            return Err(error.to_string());
        }
        frames.push(frame);
    }
    Ok((frames, digest))
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
        let mut animated = fs::read(folder.path().join("a.png")).unwrap();
        // Two frames, for ever, behind the header.
        let control = [b"acTL".as_slice(), &[0, 0, 0, 2, 0, 0, 0, 0]].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&control);
        let chunk = [&[0, 0, 0, 8], control.as_slice(), &sum.sum().to_be_bytes()].concat();
        animated.splice(33..33, chunk);
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("d.png"), animated).unwrap();
        assert!(refusal(&other.path().join("d.png")).contains("those of an animated PNG"));
        save(&folder.path().join("b.png"), 1, 4);
        assert!(refusal(folder.path()).contains("another has 4 × 2"));
        fs::write(folder.path().join("b.png"), b"no image").unwrap();
        assert!(refusal(folder.path()).contains("b.png: this is no image"));
        // With `ffmpeg` or without.
        fs::write(folder.path().join("c.mp4"), b"\0\0\0\x20ftypisom").unwrap();
        let film = refusal(&folder.path().join("c.mp4"));
        assert!(film.contains("c.mp4: ") && film.contains("ffmpeg"), "{film}");
        let data = addressed_video(&MediaAddress::Data("AAAA".to_owned()), None).unwrap_err();
        assert!(data.contains("the path of its file"), "{data}");
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["b1", "a10", "a9", "a", "a010", "a1b", "a1"];
        names.sort_by(|one, other| in_order(one, other));
        assert_eq!(names, ["a", "a1", "a1b", "a9", "a010", "a10", "b1"]);
    }
}
