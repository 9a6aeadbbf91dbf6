//! Films: containers such as MP4, which the program `ffmpeg` decodes.
//!
//! Nothing that is built in decodes films. `ffmpeg` is asked where it is installed; it is told which containers a film may be in, so that a file
//! which names others is not followed, and to read nothing but the file. What it writes are images in PPM, one behind the other through a pipe,
//! counted in pixels before they are held.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
    process::{ChildStderr, Command, Stdio},
    thread,
};

use crate::image::{ImageError, MOST_PIXELS, Pixels, Size};

/// Most images of a film.
const MOST_FRAMES: usize = 768;

/// Most images of a second.
const MOST_RATE: f64 = 240.0;

/// Containers that are opened, by `FFmpeg`'s names.
const CONTAINERS: &str = "mov,matroska,avi,mpegts,mpeg,flv,ogg,asf";

/// Seconds of a processor that decoding may take.
const MOST_SECONDS: &str = "600";

/// Bytes that are kept of what `ffmpeg` says.
const MOST_SAID_BYTES: u64 = 1 << 14;

/// Longest line of an image's header, in bytes.
const MOST_LINE_BYTES: u64 = 64;

/// Cuts a film into images, of which so many are a second.
///
/// # Errors
/// A message without the film's name: `ffmpeg` is not installed or does not decode it, or it has too many images.
pub(super) fn cut(film: &Path, frames_per_second: f64) -> Result<Vec<Pixels>, String> {
    if !(frames_per_second > 0.0 && frames_per_second <= MOST_RATE) {
        return Err(format!(
            "{frames_per_second} images of a film are to be a second; give a number above 0 and up to {MOST_RATE}"
        ));
    }
    let mut source = std::ffi::OsString::from("file:");
    source.push(film);
    let mut child = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-timelimit", MOST_SECONDS])
        .args(["-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-i"])
        .arg(source)
        .args(["-an", "-sn", "-dn", "-vf", &format!("fps={frames_per_second}")])
        .args(["-frames:v", &(MOST_FRAMES + 1).to_string()])
        .args(["-f", "image2pipe", "-pix_fmt", "rgb24", "-c:v", "ppm", "pipe:1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(&error, frames_per_second))?;
    let said = child.stderr.take().map(|pipe| thread::spawn(move || said(pipe)));
    let frames = match child.stdout.take() {
        Some(pipe) => images(BufReader::new(pipe)),
        None => Err("ffmpeg has no output".to_owned()),
    };
    if frames.is_err() {
        // It may have ended by itself.
        _ = child.kill();
    }
    let ended = child.wait().map_err(|error| format!("ffmpeg: {error}"))?;
    let said = said.and_then(|thread| thread.join().ok()).unwrap_or_default();
    let frames = frames?;
    match (ended.success(), said.as_str()) {
        (true, "") if frames.is_empty() => Err("this film has no images".to_owned()),
        (true, "") => Ok(frames),
        // A film that is cut off has images, too.
        (true, why) => Err(format!(
            "ffmpeg finds this film broken: {why}; copy it again, or make a folder of images of it"
        )),
        (false, why) => Err(format!("ffmpeg does not decode this film: {why}")),
    }
}

fn not_started(error: &io::Error, frames_per_second: f64) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return format!(
            "this is no image, and films are decoded by ffmpeg, which is not installed; install it, or make a folder of images of the film \
             elsewhere, as with `ffmpeg -i FILM -vf fps={frames_per_second} FOLDER/%05d.png`"
        );
    }
    format!("ffmpeg, which decodes films, does not start: {error}")
}

/// The first line of what is said, without the part of the program that says it.
fn said(pipe: ChildStderr) -> String {
    let mut pipe = pipe.take(MOST_SAID_BYTES);
    let mut bytes = Vec::new();
    // Whatever was said until it broke off.
    _ = pipe.read_to_end(&mut bytes);
    _ = io::copy(&mut pipe.into_inner(), &mut io::sink());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let of_part = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    of_part.map_or(line, |(_, what)| what).to_owned()
}

/// Images in PPM of 8 bits, one behind the other.
fn images(mut from: impl BufRead) -> Result<Vec<Pixels>, String> {
    let mut images: Vec<Pixels> = Vec::new();
    let mut pixels = 0_usize;
    while let Some(size) = header(&mut from)? {
        if images.len() == MOST_FRAMES {
            return Err(format!(
                "the film has more than {MOST_FRAMES} images; give a lower `fps`, or cut it"
            ));
        }
        pixels = pixels.saturating_add(size.pixels());
        if pixels > MOST_PIXELS {
            let Size { width, height } = size;
            let (frames, most_pixels) = (images.len() + 1, MOST_PIXELS);
            let error = ImageError::TooManyFrames { frames, width, height, most_pixels };
            return Err(format!("{error}, or give a lower `fps`"));
        }
        let mut levels = vec![0; 3 * size.pixels()];
        from.read_exact(&mut levels).map_err(|_| broken())?;
        images.push(Pixels::new(size, levels).ok_or_else(broken)?);
    }
    Ok(images)
}

/// The size of the next image, if there is one.
fn header(from: &mut impl BufRead) -> Result<Option<Size>, String> {
    let mut line = || -> Result<String, String> {
        let mut line = Vec::new();
        let read = from.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut line);
        read.map_err(|error| format!("ffmpeg: {error}"))?;
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    };
    match line()?.as_str() {
        "" => return Ok(None),
        "P6" => {}
        _ => return Err(broken()),
    }
    let (size, most) = (line()?, line()?);
    let sides = size.split_once(' ').and_then(|(width, height)| {
        Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
    });
    let is_possible =
        |size: &Size| (1..=MOST_PIXELS).contains(&size.width.saturating_mul(size.height));
    match sides.filter(is_possible) {
        Some(size) if most == "255" => Ok(Some(size)),
        _ => Err(broken()),
    }
}

fn broken() -> String {
    "what ffmpeg writes is no row of images in PPM".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_read_one_behind_the_other() {
        let two = b"P6\n2 1\n255\nabcdefP6\n1 1\n255\n\n\n\n".as_slice();
        let found = images(two).unwrap();
        assert_eq!(
            (found.len(), found[0].levels(), found[1].levels()),
            (2, &b"abcdef"[..], &b"\n\n\n"[..])
        );
        assert!(images(&b""[..]).unwrap().is_empty());
        for bytes in [
            &b"P5\n1 1\n255\nabc"[..],
            b"P6\n1 1\n65535\nabcdef",
            b"P6\n1\n255\nabc",
            b"P6\n2 1\n255\nabc",
            b"P6\n9999999999 9999999999\n255\n",
        ] {
            assert!(images(bytes).unwrap_err().contains("PPM"));
        }
        let many = b"P6\n1 1\n255\nabc".repeat(MOST_FRAMES + 1);
        assert!(images(&many[..]).unwrap_err().contains("lower `fps`"));
    }

    #[test]
    fn a_rate_is_above_zero() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(cut(Path::new("film.mp4"), rate).unwrap_err().contains("above 0"));
        }
    }
}
