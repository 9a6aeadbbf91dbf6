//! Spellings, refusals, and images of every size.

use serde_json::{Value, json};

use super::{CLASSES, ImageProcessor, VideoProcessor, video_processor};
use crate::image::{ImageError, Layout, Pixels, Size, Video};

fn parsed(settings: &Value) -> Result<ImageProcessor, String> {
    ImageProcessor::parse(Some(settings), None).map_err(|error| error.to_string())
}

fn even(width: usize, height: usize) -> Pixels {
    let size = Size { width, height };
    Pixels::new(size, [10, 120, 240].repeat(size.pixels())).unwrap()
}

#[test]
fn old_and_new_spellings_say_the_same() {
    let pairs = [
        (
            json!({"feature_extractor_type": "CLIPFeatureExtractor", "size": 60, "crop_size": 56}),
            json!({
                "image_processor_type": "CLIPImageProcessorFast",
                "size": {"shortest_edge": 60},
                "crop_size": {"height": 56, "width": 56}
            }),
        ),
        (
            json!({"image_processor_type": "Qwen2VLImageProcessor", "min_pixels": 3136, "max_pixels": 12544}),
            json!({
                "image_processor_type": "Qwen2VLImageProcessorFast",
                "size": {"shortest_edge": 3136, "longest_edge": 12544}
            }),
        ),
    ];
    for (old, new) in pairs {
        let image = even(123, 77);
        let [old_one, new_one] =
            [&old, &new].map(|it| parsed(it).unwrap().process(&image, 1).unwrap());
        assert_eq!(old_one, new_one, "{old}");
    }
}

#[test]
fn nested_settings_count_first() {
    let own = json!({"image_processor_type": "SiglipImageProcessor", "size": {"height": 28, "width": 28}});
    let around = json!({
        "processor_class": "P",
        "image_processor": {"image_processor_type": "SiglipImageProcessor", "size": {"height": 14, "width": 42}}
    });
    let processor = ImageProcessor::parse(Some(&own), Some(&around)).unwrap();
    assert_eq!(processor.process(&even(5, 5), 1).unwrap().shape, [1, 3, 14, 42]);
    let processor =
        ImageProcessor::parse(Some(&own), Some(&json!({"processor_class": "P"}))).unwrap();
    assert_eq!(processor.process(&even(5, 5), 1).unwrap().shape, [1, 3, 28, 28]);
}

#[test]
fn what_is_not_known_is_refused_by_its_field() {
    for (settings, wanted) in [
        (json!({}), "`image_processor_type` is missing"),
        (json!([]), "must be an object"),
        (
            json!({"image_processor_type": "SamImageProcessor"}),
            "SamImageProcessor, which is not known",
        ),
        (json!({"image_processor_type": "SiglipImageProcessor", "sharpness": 2}), "`sharpness`"),
        (json!({"image_processor_type": "SiglipImageProcessor", "size": null}), "`size` is null"),
        (json!({"image_processor_type": "SiglipImageProcessor", "resample": 9}), "`resample`"),
        (
            json!({"image_processor_type": "SiglipImageProcessor", "image_std": [1, 0, 1]}),
            "`image_std`",
        ),
        (
            json!({"image_processor_type": "SiglipImageProcessor", "image_mean": [1, 0]}),
            "`image_mean`",
        ),
        (json!({"image_processor_type": "SiglipImageProcessor", "do_pad": true}), "`do_pad`"),
        (
            json!({"image_processor_type": "Gemma3ImageProcessor", "do_pan_and_scan": true}),
            "`do_pan_and_scan`",
        ),
        (json!({"image_processor_type": "Qwen2VLImageProcessor", "size": 224}), "`size`"),
        (json!({"image_processor_type": "Qwen2VLImageProcessor", "merge_size": 0}), "`merge_size`"),
        (json!({"image_processor_type": "CLIPImageProcessor", "crop_size": null}), "`crop_size`"),
        (
            json!({"image_processor_type": "LlavaNextImageProcessor", "image_grid_pinpoints": [[300, 300]]}),
            "`image_grid_pinpoints`",
        ),
    ] {
        let refusal = parsed(&settings).unwrap_err();
        assert!(refusal.contains(wanted), "{settings}: {refusal}");
    }
    let refusal = ImageProcessor::parse(None, Some(&json!({}))).unwrap_err();
    assert!(refusal.to_string().contains("says nothing of images"), "{refusal}");
}

#[test]
fn an_image_of_any_size_is_processed_or_refused_in_a_line() {
    for class in CLASSES {
        let mut settings = json!({"image_processor_type": class});
        if class == "LlavaNextImageProcessor" {
            // What the class has by itself does not fit together.
            settings["size"] = json!({"shortest_edge": 336});
            settings["crop_size"] = json!(336);
        }
        let processor = parsed(&settings).unwrap();
        let sizes = [(1, 1), (100_000, 1), (1, 100_000), (3000, 7), (2, 399), (400, 2)];
        for ((width, height), images) in sizes.into_iter().flat_map(|size| [(size, 1), (size, 2)]) {
            match processor.process(&even(width, height), images) {
                Ok(processed) => {
                    let values: usize = processed.shape.iter().product();
                    assert_eq!(processed.values.len(), values, "{class} {width} × {height}");
                    assert!(values > 0 && processed.values.iter().all(|value| value.is_finite()));
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.len() < 250 && !text.contains('\n'), "{class}: {text}");
                    assert!(width.max(height) > 200, "{class} {width} × {height}: {text}");
                }
            }
        }
    }
}

#[test]
fn sides_that_are_too_unlike_are_refused() {
    let processor = parsed(&json!({"image_processor_type": "Qwen2VLImageProcessor"})).unwrap();
    let refusal = processor.process(&even(401, 2), 1).unwrap_err();
    let size = Size { width: 401, height: 2 };
    assert_eq!(refusal, ImageError::UnlikeSides { size, most_ratio: 200 });
    assert!(processor.process(&even(400, 2), 1).is_ok());
}

#[test]
fn an_image_that_is_not_alone_has_no_tiles_in_onevision() {
    let processor =
        parsed(&json!({"image_processor_type": "LlavaOnevisionImageProcessor"})).unwrap();
    let [alone, beside] = [1, 2].map(|images| processor.process(&even(800, 400), images).unwrap());
    assert_eq!(
        alone.layout,
        Layout::WholeThenTiles { rows: 2, columns: 3, height: 400, width: 800 }
    );
    assert_eq!(
        beside.layout,
        Layout::WholeThenTiles { rows: 0, columns: 0, height: 400, width: 800 }
    );
    assert_eq!(beside.shape, [1, 3, 384, 384]);
}

fn parsed_for_videos(settings: &Value) -> Result<VideoProcessor, String> {
    VideoProcessor::parse(Some(settings), None, None, "").map_err(|error| error.to_string())
}

#[test]
fn settings_of_videos_count_before_those_of_images() {
    let size = |side: usize| json!({"height": side, "width": side});
    let nested = json!({"video_processor": {
        "video_processor_type": "InternVLVideoProcessor", "size": size(28)
    }});
    let own = json!({"video_processor_type": "LlavaOnevisionVideoProcessor", "size": size(42)});
    let of_images = json!({
        "image_processor_type": "GotOcr2ImageProcessorFast", "size": size(56), "crop_to_patches": true, "max_patches": 12
    });
    let shape = |[own, of_images, around]: [Option<&Value>; 3]| {
        let class = "InternVLVideoProcessor";
        let processor = VideoProcessor::parse(own, of_images, around, class).unwrap();
        let video = Video::new(vec![even(30, 20); 3], None).unwrap();
        processor.process(&video).unwrap().moments[0].shape.clone()
    };
    assert_eq!(shape([Some(&own), Some(&of_images), Some(&nested)]), [1, 3, 28, 28]);
    assert_eq!(shape([Some(&own), Some(&of_images), None]), [1, 3, 42, 42]);
    let empty = json!({});
    assert_eq!(shape([None, Some(&of_images), Some(&empty)]), [1, 3, 56, 56]);
    // A class of images that videos have, too, counts before the model's.
    let of_images = json!({"image_processor_type": "Qwen2VLImageProcessor", "min_pixels": 3136, "max_pixels": 6272});
    assert_eq!(shape([None, Some(&of_images), None]), [24, 1176]);
}

#[test]
fn what_is_not_known_of_videos_is_refused_by_its_field() {
    for (settings, wanted) in [
        (json!({}), "`video_processor_type` is ,"),
        (
            json!({"video_processor_type": "VivitVideoProcessor"}),
            "VivitVideoProcessor, which is not",
        ),
        (
            json!({"video_processor_type": "Qwen2VLVideoProcessor", "do_sample_frames": true}),
            "`do_sample_frames`",
        ),
        (
            json!({"video_processor_type": "InternVLVideoProcessor", "do_sample_frames": true}),
            "`do_sample_frames`",
        ),
        (
            json!({"video_processor_type": "InternVLVideoProcessor", "do_center_crop": true}),
            "`do_center_crop`",
        ),
        (
            json!({"video_processor_type": "Qwen2VLVideoProcessor", "cap_pixels_per_frame": true}),
            "`cap_pixels_per_frame`",
        ),
        (json!({"video_processor_type": "Qwen3VLVideoProcessor", "num_frames": 8}), "`num_frames`"),
        (json!({"video_processor_type": "Qwen3VLVideoProcessor", "resample": 1}), "`resample`"),
        (json!({"video_processor_type": "Glm4vVideoProcessor", "sharpness": 2}), "`sharpness`"),
    ] {
        let refusal = parsed_for_videos(&settings).unwrap_err();
        assert!(refusal.contains(wanted), "{settings}: {refusal}");
    }
}

#[test]
fn a_video_of_any_size_is_processed_or_refused_in_a_line() {
    for class in video_processor::CLASSES {
        let processor = parsed_for_videos(&json!({"video_processor_type": class})).unwrap();
        for ((width, height), frames) in
            [(1, 1), (10_000, 1), (1, 10_000), (399, 2), (60, 84)].into_iter().zip([3, 2, 2, 2, 1])
        {
            let video = Video::new(vec![even(width, height); frames], Some(2.0)).unwrap();
            match processor.process(&video) {
                Ok(processed) => {
                    let moments = frames.div_ceil(processed.frames_of_moment);
                    assert_eq!(processed.moments.len(), moments, "{class}");
                    for moment in &processed.moments {
                        let values: usize = moment.shape.iter().product();
                        assert_eq!(moment.values.len(), values, "{class} {width} × {height}");
                        assert_eq!(moment.shape, processed.moments[0].shape);
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.len() < 250 && !text.contains('\n'), "{class}: {text}");
                    let is_short = class == "Qwen3VLVideoProcessor" && frames == 1;
                    assert!(width.max(height) > 9000 || is_short, "{class}: {text}");
                }
            }
        }
    }
}

#[test]
fn the_last_frame_fills_up_the_last_moment() {
    let grey = |level: u8| {
        let size = Size { width: 56, height: 56 };
        Pixels::new(size, vec![level; 3 * size.pixels()]).unwrap()
    };
    let settings = json!({
        "video_processor_type": "Qwen2VLVideoProcessor", "size": {"shortest_edge": 3136, "longest_edge": 3136}
    });
    let processor = parsed_for_videos(&settings).unwrap();
    let process = |levels: &[u8]| {
        let frames = levels.iter().map(|level| grey(*level)).collect();
        processor.process(&Video::new(frames, Some(3.0)).unwrap()).unwrap()
    };
    let (odd, even) = (process(&[1, 2, 3]), process(&[1, 2, 3, 3]));
    assert_eq!(odd.moments, even.moments);
    assert_eq!((odd.seconds, odd.frames_per_second), (vec![0.0, 1.0 / 3.0, 2.0 / 3.0], 3.0));
}
