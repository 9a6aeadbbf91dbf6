//! What was asked for a task and answered, read off records.

use std::borrow::Cow;

use crate::{
    dataset::Sample,
    infer::{Candidate, Outcome, Record},
    tasks::{Answered, Arguments, Request, Response, Row, TaskPlan, TaskRows, document},
};

/// Documents with their requests and answers, in the order of the documents.
pub struct TaskAnswers {
    rows: TaskRows<'static>,
    requests: Vec<Request>,
    responses: Vec<Vec<Response>>,
}

impl TaskAnswers {
    /// Those of samples that have answers.
    pub fn new<'s>(
        plan: &TaskPlan,
        samples: impl Iterator<Item = (&'s Sample, &'s Record)>,
    ) -> Self {
        let (mut documents, mut requests, mut all) = (Vec::<Row>::new(), Vec::new(), Vec::new());
        for (sample, record) in samples {
            let place = documents.len();
            documents.push(document(sample));
            for (index, (arguments, responses)) in exchanges(plan, record).into_iter().enumerate() {
                requests.push(Request { document: place, index, arguments });
                all.push(responses);
            }
        }
        let documents = Cow::Owned(documents);
        let rows = TaskRows { documents, examples: Cow::Borrowed(&[]), is_shared: false };
        Self { rows, requests, responses: all }
    }

    /// As scoring takes them.
    pub fn answered(&self) -> Answered<'_> {
        Answered { rows: &self.rows, requests: &self.requests, responses: &self.responses }
    }
}

/// The requests of a document, each with its answers.
fn exchanges(plan: &TaskPlan, record: &Record) -> Vec<(Arguments, Vec<Response>)> {
    let generated = |prompt: &String, texts: Vec<Response>| {
        let settings = plan.generation_kwargs.clone();
        vec![(Arguments::Generation { context: prompt.clone(), settings }, texts)]
    };
    match &record.outcome {
        Outcome::Ranked { candidates, counterparts, .. } => {
            let again = counterparts.iter().flat_map(|other| &other.candidates);
            candidates.iter().chain(again).map(continued).collect()
        }
        Outcome::Scored { candidate, .. } => vec![continued(candidate)],
        Outcome::Windows { windows, .. } => {
            let text = windows.first().map(|first| first.prompt.clone()).unwrap_or_default();
            let nats = windows.iter().map(Candidate::text_nll_nats).fold(0.0, |sum, own| sum + own);
            vec![(Arguments::Document(text), vec![Response::Document(-nats)])]
        }
        Outcome::Generated { prompt, continuation, .. } => {
            generated(prompt, vec![Response::Text(continuation.text.clone())])
        }
        Outcome::Sampled { prompt, continuations, .. } => {
            let texts = continuations.iter().map(|own| Response::Text(own.text.clone()));
            generated(prompt, texts.collect())
        }
        Outcome::Dialogue { .. }
        | Outcome::Given { .. }
        | Outcome::Retrieved { .. }
        | Outcome::Failed { .. } => Vec::new(),
    }
}

fn continued(candidate: &Candidate) -> (Arguments, Vec<Response>) {
    let continuation = candidate.answer().to_owned();
    let before = candidate.prompt.len().saturating_sub(continuation.len());
    let context = candidate.prompt.get(..before).unwrap_or_default().to_owned();
    let log_likelihood = -candidate.answer_nll_nats();
    let response = Response::Continuation { log_likelihood, is_greedy: candidate.is_greedy() };
    (Arguments::Continuation { context, continuation }, vec![response])
}
