//! Parts of messages: what chat templates are told of images, videos and sounds, and where these are.
//!
//! Forms are those of AISBench (`image_url`, `video_url`, `audio_url`), of OpenAI (`image_url`, `input_audio`) and of transformers (`image`,
//! `video`, `audio`, `path`, `url`).

use serde_json::{Value as Json, json};

use crate::{
    chat::{self, ChatError},
    config::nearest,
    dataset::web_image,
    hub::is_on_web,
    model::media::{MediaAddress, Medium, MediumKind},
};

/// What a part, the object that says where it is, and OpenAI's sounds may have.
const PART: [&str; 13] = [
    "type",
    "text",
    "image",
    "image_url",
    "video",
    "video_url",
    "audio",
    "audio_url",
    "input_audio",
    "path",
    "url",
    "fps",
    "detail",
];
const ADDRESS: [&str; 3] = ["url", "fps", "detail"];
const INPUT_AUDIO: [&str; 2] = ["data", "format"];

/// Messages as templates of transformers expect them, each image as `{"type": "image"}`, and what they show and let hear, in order.
///
/// # Errors
/// A part is of no kind that is known, does not say where it is, or is on the network.
pub(super) fn shown_media(
    messages: &[chat::Message],
) -> Result<(Vec<chat::Message>, Vec<Medium>), ChatError> {
    let mut media = Vec::new();
    let mut shown = Vec::with_capacity(messages.len());
    for message in messages {
        let Some(Json::Array(parts)) = message.get("content") else {
            shown.push(message.clone());
            continue;
        };
        let own = parts.iter().map(|part| shown_part(part, &mut media));
        let own: Result<Vec<Json>, String> = own.collect();
        let own = own.map_err(|problem| ChatError::Media { problem })?;
        shown.push(message.clone().with("content", own));
    }
    Ok((shown, media))
}

fn shown_part(part: &Json, media: &mut Vec<Medium>) -> Result<Json, String> {
    let kind = part["type"].as_str().unwrap_or_default();
    let (kind, field) = match kind {
        "text" => return Ok(part.clone()),
        "image" | "image_url" => (MediumKind::Image, "image"),
        "video" | "video_url" => (MediumKind::Video, "video"),
        "audio" | "audio_url" | "input_audio" => (MediumKind::Sound, "audio"),
        _ => {
            return Err(format!(
                "a model here is given text, images, videos and sounds, and a message has a part of the type {kind:?}"
            ));
        }
    };
    let named = kind.named();
    let of_url = &part[format!("{field}_url")];
    let objects =
        [(part, PART.as_slice()), (of_url, &ADDRESS), (&part["input_audio"], &INPUT_AUDIO)];
    if let Some((unknown, known)) = objects.iter().find_map(|(object, known)| {
        let mut fields = object.as_object()?.keys();
        Some((fields.find(|field| !known.contains(&field.as_str()))?, known))
    }) {
        let near = nearest(unknown, known.iter().copied());
        let hint = near.map_or_else(
            || "; set what its checkpoint's processor reads, or leave it out".to_owned(),
            |near| format!("; did you mean `{near}`?"),
        );
        return Err(format!("{named} in a message has `{unknown}`, which is not read{hint}"));
    }
    let detail = [part, of_url].iter().find_map(|own| own["detail"].as_str());
    if let Some(detail) = detail.filter(|detail| *detail != "auto") {
        return Err(format!(
            "{named} in a message has the detail {detail:?}; how large it is seen is said by its checkpoint's processor: leave `detail` out"
        ));
    }
    if part[field].is_array() {
        return Err(format!(
            "{named} in a message is a list; put its images into a folder and give that"
        ));
    }
    let fields = [&of_url["url"], of_url, &part[field], &part["path"], &part["url"]];
    let address = match (fields.into_iter().find_map(Json::as_str), &part["input_audio"]["data"]) {
        (Some(written), _) if kind == MediumKind::Image && is_on_web(written) => {
            MediaAddress::parse(&web_image(written)?)?
        }
        (Some(written), _) => MediaAddress::parse(written)?,
        (None, Json::String(data)) if data.starts_with("data:") => MediaAddress::parse(data)?,
        (None, Json::String(data)) => MediaAddress::Data(data.clone()),
        (None, _) => {
            return Err(format!(
                "{named} in a message does not say where it is: give it `{field}_url`"
            ));
        }
    };
    let frames_per_second = rate(kind, [part, of_url])?;
    media.push(Medium { kind, address, frames_per_second });
    Ok(json!({"type": field}))
}

/// How many images of a video are a second, where a part says it.
fn rate(kind: MediumKind, places: [&Json; 2]) -> Result<Option<f64>, String> {
    let Some(written) = places.iter().map(|own| &own["fps"]).find(|fps| !fps.is_null()) else {
        return Ok(None);
    };
    let rate = written.as_f64().filter(|rate| rate.is_finite() && *rate > 0.0);
    match rate {
        Some(rate) if kind == MediumKind::Video => Ok(Some(rate)),
        Some(_) => Err("`fps` in a message says how many images of a video are a second, and stands beside something else".to_owned()),
        None => Err(format!(
            "`fps` in a message is {written}; it should be how many images of the video are a second, a number above 0"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(part: &Json) -> Result<(Json, Medium), String> {
        let mut media = Vec::new();
        let told = shown_part(part, &mut media)?;
        Ok((told, media.pop().unwrap()))
    }

    #[test]
    fn every_form_says_what_it_is_and_where() {
        let file = MediaAddress::File("a".into());
        let data = MediaAddress::Data("UklGRg==".to_owned());
        for (part, told, address) in [
            (json!({"type": "image_url", "image_url": {"url": "file://a"}}), "image", &file),
            (json!({"type": "image", "path": "a"}), "image", &file),
            (json!({"type": "video_url", "video_url": "a"}), "video", &file),
            (json!({"type": "video", "video": "a"}), "video", &file),
            (json!({"type": "audio", "audio_url": "a"}), "audio", &file),
            (json!({"type": "audio_url", "audio_url": {"url": "a"}}), "audio", &file),
            (json!({"type": "audio", "audio": "data:audio/wav;base64,UklGRg=="}), "audio", &data),
            (
                json!({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
                "audio",
                &data,
            ),
        ] {
            let (found, medium) = read(&part).unwrap();
            assert_eq!((&found["type"], &medium.address), (&json!(told), address));
        }
        for part in [
            json!({"type": "video", "video": "a", "fps": 2}),
            json!({"type": "video_url", "video_url": {"url": "a", "fps": 2.0}}),
        ] {
            assert_eq!(read(&part).unwrap().1.frames_per_second, Some(2.0));
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let detailed =
            |detail| json!({"type": "image_url", "image_url": {"url": "a", "detail": detail}});
        assert!(read(&detailed("auto")).is_ok());
        for (part, wanted) in [
            (detailed("low"), "the detail \"low\""),
            (json!({"type": "image", "image": "a", "size": 5}), "`size`, which is not read"),
            (json!({"type": "video_url", "video_url": {"url": "a", "FPS": 1}}), "`FPS`"),
            (
                json!({"type": "input_audio", "input_audio": {"data": "YQ==", "formt": "wav"}}),
                "did you mean `format`?",
            ),
            (json!({"type": "image_url"}), "give it `image_url`"),
            (json!({"type": "input_audio", "input_audio": {}}), "give it `audio_url`"),
            (json!({"type": "smell", "smell": "a"}), "of the type \"smell\""),
            (json!({"type": "video", "video": "https://example.org/a.mp4"}), "on the network"),
            (json!({"type": "video", "video": ["a.png", "b.png"]}), "into a folder"),
            (json!({"type": "video", "video": "a", "fps": 0}), "a number above 0"),
            (json!({"type": "video", "video": "a", "fps": "2"}), "a number above 0"),
            (json!({"type": "audio", "audio": "a", "fps": 2}), "beside something else"),
            (json!({"type": "video", "video": "a", "nframes": 8}), "`nframes`, which is not read"),
            (
                json!({"type": "image_url", "image_url": {"url": "a", "max_pixels": 8}}),
                "`max_pixels`",
            ),
        ] {
            let problem = read(&part).unwrap_err();
            assert!(problem.contains(wanted), "{problem}");
        }
    }
}
