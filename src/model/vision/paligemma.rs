//! `PaliGemma`: every patch of a `SigLIP` tower is a token, and prompts have their own form: images, first token, text, end of line.
//!
//! Its decoder sees the whole prompt both ways, text as well as images, and only what follows it one way. That is not said here.

use candle_core::Result;

use super::clip::ClipTower;
use super::clip_spec::ClipSpec;
use super::llava::{IMAGE, whole};
use super::projected_tower::PROJECTORS;
use super::taken_layers::TakenLayers;
use super::text_size::text_size;
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;

/// The first token of what is said to a model of the Gemma family.
const FIRST: &str = "<bos>";

#[derive(Debug)]
struct PaliGemma {
    tower: ClipTower,
    map: Projection,
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    let spec = ClipSpec::read_siglip(config)?;
    let size = config.count_or("projection_dim", 2048)?;
    if size != text_size(config)? {
        return Err(config.expected("projection_dim", "`text_config.hidden_size`"));
    }
    let projector = prefix(source, PROJECTORS, "linear.weight");
    let name = format!("{projector}linear");
    Ok(Box::new(PaliGemma {
        map: Projection::load(source, &name, spec.hidden_size(), size, true)?,
        tower: ClipTower::load(source, spec.clone(), TakenLayers::normed(&spec))?,
    }))
}

impl VisionFamily for PaliGemma {
    fn placeholder(&self) -> &str {
        IMAGE
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        whole(image)?;
        Ok(IMAGE.repeat(self.tower.rows_of_picture()))
    }

    fn expanded(&self, rendered: &str, images: &[ProcessedImage]) -> Result<String> {
        let expansions =
            images.iter().map(|image| self.expansion(image)).collect::<Result<Vec<_>>>()?;
        places(rendered, &expansions).map(|texts| self.formed(&texts, &expansions))
    }

    fn formed(&self, texts: &[&str], expansions: &[String]) -> String {
        formed(texts, expansions)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        whole(image)?;
        let rows = self.tower.forward(image)?.squeeze(0)?;
        Ok(ImageRows::of(self.map.forward(&rows, None)?))
    }

    fn takes_special_tokens(&self) -> bool {
        false
    }
}

/// The texts around the images of a prompt that was rendered. Where it says nothing of images, they stand in front.
fn places<'r>(rendered: &'r str, images: &[String]) -> Result<Vec<&'r str>> {
    let mut texts: Vec<&str> = rendered.split(IMAGE).collect();
    if texts.len() == 1 {
        texts = [vec![""; images.len()], texts].concat();
    }
    if texts.len() != images.len() + 1 {
        candle_core::bail!(
            "the prompt has {} places for images ({IMAGE}), and {} images are given",
            texts.len() - 1,
            images.len()
        )
    }
    Ok(texts)
}

/// A prompt in the form of the family, with what its images became.
fn formed(texts: &[&str], images: &[String]) -> String {
    let Some((text, before)) = texts.split_last() else { return String::new() };
    if images.is_empty() {
        return (*text).to_owned();
    }
    let seen: String = before.iter().zip(images).flat_map(|(part, image)| [*part, image]).collect();
    format!("{seen}{FIRST}{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_images_first_token_text_and_end_of_line() {
        let images = ["[A]".to_owned(), "[B]".to_owned()];
        for (rendered, wanted) in [
            ("<image><image>compare", "[A][B]<bos>compare\n"),
            ("compare", "[A][B]<bos>compare\n"),
            ("first <image> second <image> which?", "first [A] second [B]<bos> which?\n"),
        ] {
            assert_eq!(formed(&places(rendered, &images).unwrap(), &images), wanted);
        }
        assert_eq!(formed(&places("only text", &[]).unwrap(), &[]), "only text");
        for rendered in ["<image>one", "<image><image><image>three"] {
            assert!(places(rendered, &images).is_err());
        }
    }
}
