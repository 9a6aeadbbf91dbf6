//! Ids of images that are the same in every process.
//!
//! Which number an image gets depends on which thread saw it first ([`ImageIds`]). Where processes have to come to the same order of sequences by
//! themselves, images are numbered by their content instead. These ids stand for nothing in an engine.

use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::Arc};

use super::image_ids::{FIRST_IMAGE_ID, ImageIds, Run, is_image_id};

/// The steady ids of what stands in some sequences.
#[derive(Debug, Default)]
pub struct SteadyIds {
    /// By the first id: the last one's follower, and the first steady id.
    runs: BTreeMap<u32, (u32, u32)>,
}

impl SteadyIds {
    /// Numbers what stands in these sequences.
    pub fn of<'i>(known: &ImageIds, sequences: impl Iterator<Item = &'i [u32]>) -> Self {
        let mut found: BTreeMap<u32, Arc<Run>> = BTreeMap::new();
        for sequence in sequences {
            let mut last: Range<u32> = 0..0;
            for &id in sequence.iter().filter(|id| is_image_id(**id)) {
                if last.contains(&id) {
                    continue;
                }
                let Some(run) = known.run(id) else { continue };
                last = run.ids.clone();
                found.insert(last.start, run);
            }
        }
        let mut by_content: Vec<Arc<Run>> = found.into_values().collect();
        by_content.sort_unstable_by_key(|run| *run.content());
        let mut next = FIRST_IMAGE_ID;
        let numbered = by_content.iter().map(|run| {
            let first = next;
            next += run.ids.end - run.ids.start;
            (run.ids.start, (run.ids.end, first))
        });
        Self { runs: numbered.collect() }
    }

    /// A sequence with steady ids in the places of its images.
    pub fn ids<'i>(&self, sequence: &'i [u32]) -> Cow<'i, [u32]> {
        if !sequence.iter().any(|id| is_image_id(*id)) {
            return Cow::Borrowed(sequence);
        }
        let steady = |&id: &u32| match self.runs.range(..=id).next_back() {
            Some((start, (end, first))) if is_image_id(id) && id < *end => first + (id - start),
            _ => id,
        };
        Cow::Owned(sequence.iter().map(steady).collect())
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};

    use super::*;
    use crate::model::vision::ImageRows;

    #[test]
    fn images_are_numbered_alike_whichever_was_seen_first() {
        let seen = |order: [(&str, usize); 3]| {
            let known = ImageIds::default();
            for (name, count) in order {
                let rows = || -> Result<ImageRows, candle_core::Error> {
                    let rows = Tensor::zeros((count, 2), DType::F32, &Device::Cpu)?;
                    Ok(ImageRows { rows, added: Vec::new(), grid: None })
                };
                known.image(name, false, rows).unwrap();
            }
            let of = |name: &str| {
                let none = || Err(candle_core::Error::Msg("known".to_owned()));
                known.image(name, false, none).unwrap()
            };
            let (a, b) = (of("a"), of("b"));
            let prompt = known.prompt(&[&[5], a.as_slice()].concat()).unwrap();
            let sequences =
                [[&[7], a.as_slice(), &[8], b.as_slice()].concat(), b, prompt, vec![1, 2]];
            let steady = SteadyIds::of(&known, sequences.iter().map(Vec::as_slice));
            sequences.iter().map(|ids| steady.ids(ids).into_owned()).collect::<Vec<_>>()
        };
        let one = seen([("a", 3), ("b", 2), ("c", 1)]);
        assert_eq!(one, seen([("c", 1), ("b", 2), ("a", 3)]));
        assert_eq!(one[3], [1, 2]);
        assert_eq!(one[0][5..], one[1][..]);
    }
}
