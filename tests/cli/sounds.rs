//! Local models that hear sounds, run by the program.

use std::fs;

use super::{
    media_runs::{Asked, case, greedy, last_ids, refused, run},
    scratch::{Scratch, fixtures, stdout},
};

const PART: &str = "audio=dict(type='audio_url', audio_url=dict(url='file://{audio}'))";

/// What Mistral's tokenizer writes, for which there is no template.
const VOXTRAL: &str = r"chat_template='''<s>[INST]{% for part in messages[0].content %}{% if part.type == 'audio' %}[BEGIN_AUDIO][AUDIO]{% else %}{{ part.text }}{% endif %}{% endfor %}[/INST]'''";

const HEARD: &str =
    "<AIS_AUDIO_START>heard.wav<AIS_CONTENT_TAG><AIS_TEXT_START>What is heard?<AIS_CONTENT_TAG>";

fn asked(model: &'static str) -> Asked<'static> {
    let options = if model == "voxtral" { VOXTRAL } else { "" };
    Asked { model, part: PART, question: HEARD, options }
}

/// Puts a sound of the fixtures where the row finds it.
fn put(scratch: &Scratch, sound: &str) {
    let from = fixtures().join("vision/audio").join(sound);
    fs::copy(from, scratch.path().join("heard.wav")).unwrap();
}

fn answered(model: &'static str) -> Scratch {
    let scratch = asked(model).answered();
    put(&scratch, "short.wav");
    scratch
}

#[test]
fn a_run_answers_as_transformers_does() {
    for model in ["qwen2_audio", "voxtral"] {
        let scratch = answered(model);
        run(&scratch);
        let wanted = greedy(&case(model, "audio"));
        assert_eq!(last_ids(&scratch, wanted.len()), wanted, "{model}");
    }
}

#[test]
fn every_form_of_a_sound_is_the_same_sound() {
    let scratch = answered("qwen2_audio");
    run(&scratch);
    let first = last_ids(&scratch, 8);
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let bytes = fs::read(scratch.path().join("heard.wav")).unwrap();
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let rows = fs::read_to_string(scratch.path().join("rows.jsonl")).unwrap();
    for (part, place) in [
        ("audio=dict(type='audio_url', audio_url='{audio}')", "heard.wav".to_owned()),
        ("audio=dict(type='audio', audio_url='data:audio/wav;base64,{audio}')", data),
    ] {
        scratch.write("config.py", &config.replace(PART, part));
        scratch.write("rows.jsonl", &rows.replace("heard.wav", &place));
        let told = run(&scratch);
        assert!(told.contains("1 of 1 answers were known"), "{told}");
        assert_eq!(last_ids(&scratch, 8), first);
    }
}

#[test]
fn candidates_are_ranked_and_rows_of_sound_not_counted() {
    let scratch = asked("qwen2_audio").ranked(&["a bell", "a dog"]);
    put(&scratch, "short.wav");
    run(&scratch);
    let tokens = scratch.export("work", "tokens");
    assert!(tokens.iter().all(|token| token["id"].as_u64().unwrap() < 1 << 31));
    let shown = scratch.run(&["view", "config.py"]);
    let text = stdout(&shown);
    assert!(text.contains("heard.wav"), "{text}");
}

#[test]
fn another_sound_under_the_same_name_is_asked_again() {
    let scratch = answered("qwen2_audio");
    run(&scratch);
    let first = last_ids(&scratch, 8);
    assert!(run(&scratch).contains("the same run is finished and kept"));
    put(&scratch, "over.wav");
    let told = run(&scratch);
    assert!(!told.contains("finished and kept"), "{told}");
    assert!(told.contains("heard.wav: the audio is longer than this model hears"), "{told}");
    assert_ne!(last_ids(&scratch, 8), first);
}

#[test]
fn a_sound_that_cannot_be_heard_is_refused() {
    let scratch = answered("qwen2_audio");
    let config = fs::read_to_string(scratch.path().join("config.py")).unwrap();
    let told = |config: &str, wanted: &str| {
        scratch.write("config.py", config);
        let told = refused(&scratch);
        assert!(told.contains(wanted), "{wanted}: {told}");
    };
    told(&config.replace("file://{audio}", "none.wav"), "none.wav: No such file");
    told(&config.replace("file://{audio}", "https://example.org/{audio}"), "is on the network");
    told(
        &config.replace("vision/models/qwen2_audio", "vision/models/llava"),
        "`llava` hears no audio",
    );
    let bytes = fs::read(scratch.path().join("heard.wav")).unwrap();
    fs::write(scratch.path().join("heard.wav"), &bytes[..bytes.len() / 2]).unwrap();
    told(&config, "heard.wav: the WAV audio is cut off");
    scratch.write("heard.wav", "no sound");
    told(&config, "heard.wav: this is no audio");
    let image = Asked {
        part: "image=dict(type='image_url', image_url='{image}')",
        question: "<AIS_IMAGE_START>heard.wav<AIS_CONTENT_TAG><AIS_TEXT_START>What?<AIS_CONTENT_TAG>",
        ..asked("qwen2_audio")
    };
    let image = refused(&image.answered());
    assert!(image.contains("`qwen2_audio` sees no images"), "{image}");
}
