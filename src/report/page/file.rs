//! A page, and its bytes.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{
    assembly::{Parts, assembled},
    body,
    comparison::Comparison,
    group::{Figure, Group, Model, Note, Run},
    index,
    letters::letters,
    picture::Picture,
    sample::{Column, Sample},
    segments::{Segments, Style},
};

/// Raised when an older script would misread the data.
const FORMAT: u32 = 1;

/// Blocks in one element.
const BLOCKS_PER_ELEMENT: usize = 64;

/// Samples in one block of bodies.
const SAMPLES_PER_BODY: usize = 128;

/// Everything on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its heading.
    pub title: String,
    /// Whether it shows prompts of which nothing was asked.
    pub is_of_prompts: bool,
    /// About the whole page.
    pub notes: Vec<Note>,
    /// The runs.
    pub runs: Vec<Run>,
    /// The models.
    pub models: Vec<Model>,
    /// The samples of each data set under each model in each run.
    pub groups: Vec<Group>,
    /// Figures of groups.
    pub figures: Vec<Figure>,
    /// What was compared.
    pub comparisons: Vec<Comparison>,
    /// Where stretches of prompts come from; the first is style 1, 0 being what is not known.
    pub styles: Vec<Style>,
    /// Figures of samples.
    pub columns: Vec<Column>,
    /// The samples of the first group, then those of the second, and so on.
    pub samples: Vec<Sample>,
    /// The texts of the samples.
    pub segments: Segments,
    /// The images that prompts name, by the numbers that pieces have of them.
    pub pictures: Vec<Picture>,
}

/// A group with the number of its first sample.
#[derive(Serialize)]
struct PlacedGroup<'p> {
    #[serde(flatten)]
    group: &'p Group,
    first: usize,
}

impl Page {
    /// The page as a file of HTML.
    pub fn html(&self) -> Vec<u8> {
        let orders = self.segments.piece_orders(&self.models);
        let pieces = self.models.iter().zip(&orders).map(|(own, order)| own.pieces.block(order));
        let mut blocks: Vec<Vec<u8>> = pieces.collect();
        let first_body = blocks.len();
        blocks.par_extend(self.samples.par_chunks(SAMPLES_PER_BODY).map(|samples| {
            let lines: Vec<String> = samples.iter().map(body::line).collect();
            lines.join("\n").into_bytes()
        }));
        let first_segment = blocks.len();
        let mut segment_starts = Vec::new();
        for (first, block) in self.segments.blocks(&orders) {
            segment_starts.push(first);
            blocks.push(block);
        }
        let mut pictures = Vec::with_capacity(self.pictures.len());
        for picture in &self.pictures {
            pictures.push(picture.about(blocks.len()));
            blocks.extend(picture.file().map(<[u8]>::to_vec));
        }
        let (abouts, columns): (Vec<Json>, Vec<Vec<u8>>) =
            index::columns(&self.samples, &self.columns).into_iter().unzip();
        let styles = [&[Style::default()][..], &self.styles].concat();
        let mut summary = json!({
            "format": FORMAT,
            "title": self.title,
            "notes": self.notes,
            "runs": self.runs,
            "models": self.models.iter().enumerate().map(about_model).collect::<Vec<_>>(),
            "groups": self.placed_groups(),
            "figures": self.figures,
            "comparisons": self.comparisons,
            "styles": styles,
            "samples": self.samples.len(),
            "columns": abouts,
            "blocks": {
                "count": blocks.len(),
                "per_element": BLOCKS_PER_ELEMENT,
                "first_body": first_body,
                "samples_per_body": SAMPLES_PER_BODY,
                "first_segment": first_segment,
                "segment_starts": segment_starts,
            },
        });
        let in_letters = |all: Vec<Vec<u8>>| -> Vec<String> {
            all.into_par_iter().map(|bytes| letters(&bytes)).collect()
        };
        if self.is_of_prompts {
            summary["is_of_prompts"] = json!(true);
        }
        if !pictures.is_empty() {
            summary["pictures"] = json!(pictures);
        }
        assembled(&Parts {
            title: &self.title,
            summary: &summary,
            index: &in_letters(columns).join("\n"),
            blocks: &elements(&in_letters(blocks)),
        })
    }

    fn placed_groups(&self) -> Vec<PlacedGroup<'_>> {
        let mut first = 0;
        let placed = self.groups.iter().map(|group| {
            let own = PlacedGroup { group, first };
            first += group.samples;
            own
        });
        placed.collect()
    }
}

/// A model; the blocks of pieces come first, in the order of the models.
fn about_model((place, Model { name, dtype, device, .. }): (usize, &Model)) -> Json {
    let mut about = json!({"name": name, "pieces_block": place});
    for (field, value) in [("dtype", dtype), ("device", device)] {
        if let Some(value) = value {
            about[field] = json!(value);
        }
    }
    about
}

fn elements(blocks: &[String]) -> String {
    let element = |(number, own): (usize, &[String])| {
        format!(r#"<script type="text/plain" id="blocks-{number}">{}</script>"#, own.join("\n"))
    };
    let all: Vec<String> = blocks.chunks(BLOCKS_PER_ELEMENT).enumerate().map(element).collect();
    all.join("\n")
}
