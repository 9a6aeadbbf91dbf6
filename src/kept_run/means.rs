//! What an evaluation may use besides the answers, and how it comes to stand beside the rows: a judge's replies,
//! how programs ended, vectors of texts. Metrics see rows alone and stay pure functions.

use super::{RunError, evaluation::UnitEvaluation, judgements::Judgements};
use crate::{
    evaluate::{EvaluateError, Evaluator, Row, judge::Asked},
    prepare::CheckpointModels,
    retrieve::RetrieveError,
    sandbox::{Program, Sandbox},
    store::Store,
};

/// What an evaluation may use besides the answers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Means<'m> {
    /// What a judge said, with the store that has it.
    pub(crate) judgements: Option<(&'m Judgements, &'m Store)>,
    /// Where programs may be run.
    pub(crate) sandbox: Option<&'m Sandbox>,
    /// The sentence encoders that metrics compare texts by.
    pub(crate) encoders: Option<&'m CheckpointModels<'m>>,
}

impl UnitEvaluation<'_> {
    /// Whether the rows have the judge's replies, which are put beside them.
    pub(super) fn judge(
        &self,
        evaluator: &dyn Evaluator,
        rows: &mut [Row<'_>],
        judgements: Option<(&Judgements, &Store)>,
    ) -> Result<bool, RunError> {
        let Some(judging) = evaluator.judging() else { return Ok(true) };
        let asked: Vec<Asked> = evaluator.asks(rows).map_err(|error| self.failed(error))?;
        if asked.is_empty() {
            return Ok(true);
        }
        let Some((kept, store)) = judgements else { return Ok(false) };
        let asked = self.with_replies(evaluator, rows, asked, (kept, store))?;
        Ok(kept.answer(judging, &asked))
    }

    /// Puts a judge's replies beside the rows, round by round, from what is asked in the first. Gives all that is asked
    /// then, which may be more than there are replies to.
    pub(super) fn with_replies(
        &self,
        evaluator: &dyn Evaluator,
        rows: &mut [Row<'_>],
        first: Vec<Asked>,
        (kept, store): (&Judgements, &Store),
    ) -> Result<Vec<Asked>, RunError> {
        let rounds = evaluator.judging().map_or(1, |judging| judging.rounds);
        let mut entries = kept.entries(store)?.into_iter();
        let (mut asked, mut given) = (first, 0);
        for round in 1..=rounds {
            for (one, entry) in asked.iter().skip(given).zip(entries.by_ref()) {
                if let Some(row) = rows.get_mut(one.row) {
                    row.judgements.push(entry);
                }
            }
            given = asked.len();
            if round < rounds {
                asked = evaluator.asks(rows).map_err(|error| self.failed(error))?;
            }
        }
        Ok(asked)
    }

    /// Whether the programs of the rows were run, if there are any.
    pub(super) fn run_code(
        &self,
        evaluator: &dyn Evaluator,
        rows: &mut [Row<'_>],
        sandbox: Option<&Sandbox>,
    ) -> Result<bool, RunError> {
        if !evaluator.runs_code() {
            return Ok(true);
        }
        let Some(sandbox) = sandbox else { return Ok(false) };
        let modules = evaluator.needed_modules();
        if !modules.is_empty() && !sandbox.has_modules(modules)? {
            let modules = modules.join(" and ");
            return Err(self.failed(EvaluateError::NoModules { modules }));
        }
        let programs = evaluator.programs(rows).map_err(|error| self.failed(error))?;
        let all: Vec<Program> = programs.iter().flatten().cloned().collect();
        let mut ended = sandbox.run_all(&all)?.into_iter();
        for (row, own) in rows.iter_mut().zip(&programs) {
            row.ended = ended.by_ref().take(own.len()).collect();
        }
        Ok(true)
    }

    /// Puts the vectors of their texts beside the rows, if the metric compares any.
    pub(super) fn embed(
        &self,
        evaluator: &dyn Evaluator,
        rows: &mut [Row<'_>],
        encoders: Option<&CheckpointModels<'_>>,
    ) -> Result<(), RunError> {
        let (Some(name), Some(encoders)) = (evaluator.encoder(), encoders) else { return Ok(()) };
        let texts = evaluator.texts(rows).map_err(|error| self.failed(error))?;
        let embedded = encoders.embed_for_metric(name, &texts.concat());
        let failed = |error: RetrieveError| EvaluateError::Encoder { reason: error.to_string() };
        let mut vectors = embedded.map_err(|error| self.failed(failed(error)))?.into_iter();
        for (row, own) in rows.iter_mut().zip(&texts) {
            row.vectors = vectors.by_ref().take(own.len()).collect();
        }
        Ok(())
    }
}
