//! Local models that see videos, run by the program.

use std::{fs, path::Path};

use ::image::{Rgb, RgbImage};

use super::{
    media_runs::{Asked, case, greedy, last_ids, refused, run, said},
    scratch::{Scratch, fixtures},
};

const PART: &str = "video=dict(type='video_url', video_url=dict(url='file://{video}', fps=2))";

const SEEN: &str =
    "<AIS_VIDEO_START>frames<AIS_CONTENT_TAG><AIS_TEXT_START>What moves?<AIS_CONTENT_TAG>";

/// The models that see videos.
const MODELS: [&str; 6] =
    ["glm4v", "internvl", "llava_onevision", "qwen2_5_vl", "qwen2_vl", "qwen3_vl"];

/// A template that writes the text of the case, which none of the checkpoints' own does.
fn template(model: &str) -> String {
    let text = case(model, "video")["text"].as_str().unwrap().to_owned();
    let video = text.strip_suffix("What moves?").unwrap().replace('\n', "\\\\n");
    format!(
        "chat_template='{{% for part in messages[0].content %}}{{% if part.type == \"video\" %}}{{{{ \"{video}\" }}}}{{% else %}}\
         {{{{ part.text }}}}{{% endif %}}{{% endfor %}}'"
    )
}

/// The four frames of the case: a part of a photo that moves to the right by five pixels a frame.
fn frames(model: &str) -> Vec<RgbImage> {
    let said = "4 frames: images/photo.jpg (decoded) cropped to box (0,0,84,60), frame k rolled right by 5k pixels (numpy.roll, axis=1)";
    assert_eq!(case(model, "video")["frames"], said);
    let photo = fixtures().join("vision/images/decoded/photo.jpg.png");
    let photo = ::image::load_from_memory(&fs::read(photo).unwrap()).unwrap().to_rgb8();
    let frame = |number: u32| {
        RgbImage::from_fn(84, 60, |x, y| -> Rgb<u8> {
            *photo.get_pixel((x + 84 - 5 * number) % 84, y)
        })
    };
    (0..4).map(frame).collect()
}

fn save(folder: &Path, frames: &[RgbImage]) {
    fs::create_dir_all(folder).unwrap();
    for (number, frame) in frames.iter().enumerate() {
        frame.save(folder.join(format!("{number}.png"))).unwrap();
    }
}

fn answered(model: &str) -> Scratch {
    let options = template(model);
    let asked = Asked { model, part: PART, question: SEEN, options: &options };
    let scratch = asked.answered();
    save(&scratch.path().join("frames"), &frames(model));
    scratch
}

#[test]
fn a_run_answers_as_transformers_does() {
    for model in MODELS {
        let scratch = answered(model);
        run(&scratch);
        let wanted = greedy(&case(model, "video"));
        assert_eq!(last_ids(&scratch, wanted.len()), wanted, "{model}");
    }
}

#[test]
fn checkpoints_own_templates_know_videos() {
    for model in MODELS {
        let asked = Asked { model, part: PART, question: SEEN, options: "" };
        let scratch = asked.ranked(&["the cat", "the dog"]);
        save(&scratch.path().join("frames"), &frames(model));
        run(&scratch);
        let tokens = scratch.export("work", "tokens");
        assert!(tokens.iter().all(|token| token["id"].as_u64().unwrap() < 1 << 31), "{model}");
    }
}

#[test]
fn another_frame_is_another_video() {
    let scratch = answered("qwen3_vl");
    run(&scratch);
    let first = last_ids(&scratch, 8);
    assert!(run(&scratch).contains("the same run is finished and kept"));
    let mut other = frames("qwen3_vl");
    other.reverse();
    save(&scratch.path().join("frames"), &other);
    let told = run(&scratch);
    assert!(!told.contains("finished and kept"), "{told}");
    assert_ne!(last_ids(&scratch, 8), first);
    save(&scratch.path().join("frames"), &frames("qwen3_vl"));
    assert!(run(&scratch).contains("the same run is finished and kept"));
}

/// Writes a program `ffmpeg` that gives these frames whatever it is asked, and notes what that was.
#[cfg(unix)]
fn pretend_ffmpeg(scratch: &Scratch, frames: &[RgbImage]) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut stream = Vec::new();
    for frame in frames {
        stream.extend(format!("P6\n{} {}\n255\n", frame.width(), frame.height()).bytes());
        stream.extend_from_slice(frame.as_raw());
    }
    fs::write(scratch.path().join("stream.ppm"), stream).unwrap();
    scratch.write("bin/ffmpeg", "#!/bin/sh\necho \"$@\" >> asked.txt\nexec cat stream.ppm\n");
    let program = scratch.path().join("bin/ffmpeg");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_film_is_cut_by_ffmpeg() {
    let scratch = answered("qwen2_vl");
    run(&scratch);
    let first = last_ids(&scratch, 8);
    pretend_ffmpeg(&scratch, &frames("qwen2_vl"));
    let rows = fs::read_to_string(scratch.path().join("rows.jsonl")).unwrap();
    scratch.write("rows.jsonl", &rows.replace("frames", "-film.mp4"));
    scratch.write("-film.mp4", "\0\0\0\x20ftypisom");
    let with_path = |path: String| {
        let mut command = scratch.command(&["run", "config.py", "-w", "work"]);
        command.env("PATH", path).output().unwrap()
    };
    let system = std::env::var("PATH").unwrap();
    said(&with_path(format!("{}/bin:{system}", scratch.path().display())), 0);
    assert_eq!(last_ids(&scratch, 8), first);
    let asked = fs::read_to_string(scratch.path().join("asked.txt")).unwrap();
    assert!(asked.contains("-i file:-film.mp4") && asked.contains("fps=2 "), "{asked}");
    let without = said(&with_path("/nowhere".to_owned()), 2);
    assert!(
        without.contains("-film.mp4: this is no image, and films are decoded by ffmpeg"),
        "{without}"
    );
    // What stops in the middle of an image is told, and so is what is no film.
    pretend_ffmpeg(&scratch, &frames("qwen2_vl"));
    let stream = fs::read(scratch.path().join("stream.ppm")).unwrap();
    fs::write(scratch.path().join("stream.ppm"), &stream[..stream.len() - 7]).unwrap();
    let cut = said(&with_path(format!("{}/bin:{system}", scratch.path().display())), 2);
    assert!(cut.contains("-film.mp4: what ffmpeg writes"), "{cut}");
    scratch.write("bin/ffmpeg", "#!/bin/sh\necho 'moov atom not found' >&2\nexit 183\n");
    let broken = said(&with_path(format!("{}/bin:{system}", scratch.path().display())), 2);
    assert!(broken.contains("does not decode this film: moov atom not found"), "{broken}");
}

#[test]
fn an_animation_says_how_many_frames_are_a_second() {
    use ::image::{Delay, Frame, codecs::gif::GifEncoder};
    let scratch = answered("qwen3_vl");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let rows = fs::read_to_string(scratch.path().join("rows.jsonl")).unwrap();
    scratch.write("rows.jsonl", &rows.replace("frames", "moves.gif"));
    let mut prompts = Vec::new();
    for (milliseconds, part) in [
        (500, PART.replace(", fps=2", "")),
        (100, PART.to_owned()),
        (100, PART.replace(", fps=2", "")),
    ] {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new(&mut bytes);
        for frame in frames("qwen3_vl") {
            let frame = ::image::DynamicImage::ImageRgb8(frame).into_rgba8();
            let delay = Delay::from_numer_denom_ms(milliseconds, 1);
            encoder.encode_frame(Frame::from_parts(frame, 0, 0, delay)).unwrap();
        }
        drop(encoder);
        fs::write(scratch.path().join("moves.gif"), bytes).unwrap();
        scratch.write("config.py", &config.replace(PART, &part));
        run(&scratch);
        // The times of moments stand in the prompt.
        let tokens = scratch.export("work", "tokens").into_iter();
        let of_prompt = tokens.filter(|token| token["is_answer"] == false);
        prompts.push(of_prompt.map(|token| token["id"].clone()).collect::<Vec<_>>());
    }
    assert_eq!(prompts[0], prompts[1]);
    assert_ne!(prompts[0], prompts[2]);
}

#[test]
fn a_video_that_cannot_be_seen_is_refused() {
    let scratch = answered("qwen2_vl");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let told = |config: &str, wanted: &str| {
        scratch.write("config.py", config);
        let told = refused(&scratch);
        assert!(told.contains(wanted), "{wanted}: {told}");
    };
    told(&config.replace("file://{video}", "none"), "none: No such file");
    told(&config.replace("file://{video}", "https://example.org/a.mp4"), "is on the network");
    told(&config.replace("fps=2", "fps=0"), "a number above 0");
    told(&config.replace("fps=2", "nframes=2"), "`nframes`, which is not read");
    let blind = config.replace("vision/models/qwen2_vl", "vision/models/gemma3");
    told(&blind, "`gemma3` sees images and no videos");
    let hearing = config.replace("vision/models/qwen2_vl", "vision/models/qwen2_audio");
    told(&hearing, "`qwen2_audio` sees no images");
    scratch.write("frames/2.png", "no picture");
    told(&config, "frames: 2.png: this is no image");
    fs::remove_dir_all(scratch.path().join("frames")).unwrap();
    fs::create_dir(scratch.path().join("frames")).unwrap();
    told(&config, "there are none");
    let unknown = answered("glm4v");
    let own = fs::read_to_string(unknown.path().join("config.py")).unwrap();
    unknown.write("config.py", &own.replace(", fps=2", ""));
    let unknown = refused(&unknown);
    assert!(unknown.contains("must know how many are a second"), "{unknown}");
}
