//! Which rows are shown as examples.

use super::{
    TaskError,
    fewshot_plan::{FewshotPlan, Sampler},
    field::Row,
};
use crate::python::PythonRandom;

/// The seed of the draws unless another is asked for.
pub const FEWSHOT_SEED: u64 = 1234;

/// Draws examples; one generator goes on from document to document.
pub(super) struct FewshotSampler<'a> {
    task: &'a str,
    sampler: Sampler,
    pool: Vec<&'a Row>,
    random: PythonRandom,
}

impl<'a> FewshotSampler<'a> {
    pub(super) fn new(
        task: &'a str,
        plan: &FewshotPlan,
        rows: &'a [Row],
        seed: u64,
    ) -> Result<Self, TaskError> {
        // The original reads the numbers only where it draws.
        let pool = match (&plan.indices, plan.sampler) {
            (Some(indices), Sampler::Default) if !indices.is_empty() => {
                let row = |index: &usize| {
                    let what =
                        format!("fewshot_indices names row {index}, there are {}", rows.len());
                    rows.get(*index).ok_or_else(|| TaskError::task(task, what))
                };
                indices.iter().map(row).collect::<Result<_, _>>()?
            }
            _ => rows.iter().collect(),
        };
        Ok(Self { task, sampler: plan.sampler, pool, random: PythonRandom::from_seed(seed) })
    }

    /// So many examples for a document; it is given where it may be among the rows, and never shown.
    pub(super) fn draw(
        &mut self,
        count: usize,
        document: Option<&Row>,
    ) -> Result<Vec<&'a Row>, TaskError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let others = |rows: &[&'a Row]| -> Vec<&'a Row> {
            rows.iter().filter(|row| Some(**row) != document).copied().collect()
        };
        let found = match (self.sampler, document) {
            (Sampler::FirstN, _) => others(&self.pool).into_iter().take(count).collect(),
            (Sampler::Default, None) => self.sample(None, count)?,
            (Sampler::Default, Some(_)) => {
                let mut drawn = others(&self.sample(None, count + 1)?);
                drawn.truncate(count);
                if drawn.len() < count {
                    let pool = others(&self.pool);
                    drawn = self.sample(Some(&pool), count)?;
                }
                drawn
            }
        };
        if found.len() < count { self.too_few(count) } else { Ok(found) }
    }

    fn too_few<T>(&self, count: usize) -> Result<T, TaskError> {
        let what =
            format!("{count} examples are to be shown, but there are {} rows", self.pool.len());
        Err(TaskError::task(self.task, what))
    }

    fn sample(
        &mut self,
        pool: Option<&[&'a Row]>,
        count: usize,
    ) -> Result<Vec<&'a Row>, TaskError> {
        let pool = pool.unwrap_or(&self.pool);
        match self.random.sample(pool.len(), count) {
            Some(places) => {
                Ok(places.into_iter().filter_map(|place| pool.get(place).copied()).collect())
            }
            None => self.too_few(count),
        }
    }
}
