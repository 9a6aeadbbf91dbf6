//! What a model is asked for a task: one request for each document, or one for each of its options.

use serde_json::{Map, Value};

use super::{
    FEWSHOT_SEED, TaskError, TaskPlan, TaskRows, asking::Asking, fewshot::FewshotSampler,
    turn::Turn,
};

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// How likely a text is after another one.
    Continuation {
        /// What comes before.
        context: String,
        /// What is scored.
        continuation: String,
    },
    /// How likely a whole text is.
    Document(String),
    /// A text after another one.
    Generation {
        /// What comes before.
        context: String,
        /// How it is generated, and where it ends.
        settings: Map<String, Value>,
    },
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The document's number.
    pub document: usize,
    /// Its number among the document's.
    pub index: usize,
    /// What is asked.
    pub arguments: Arguments,
}

/// How requests are made, whatever the task.
pub struct RequestOptions<'a> {
    /// How many examples; the task's own number where none is named.
    pub shots: Option<usize>,
    /// The seed of the draws.
    pub seed: u64,
    /// What stands before everything.
    pub system_instruction: Option<&'a str>,
    /// How messages become text; without it they are put together.
    pub chat: Option<Chat<'a>>,
}

/// Writes messages; the second argument says whether an answer is to begin. An error is in words.
pub type ChatWriter<'a> = dyn Fn(&[Turn], bool) -> Result<String, String> + 'a;

/// How messages become text.
pub struct Chat<'a> {
    /// Writes them.
    pub write: &'a ChatWriter<'a>,
    /// Whether examples are messages of their own.
    pub is_multiturn: bool,
}

impl Default for RequestOptions<'_> {
    fn default() -> Self {
        Self { shots: None, seed: FEWSHOT_SEED, system_instruction: None, chat: None }
    }
}

impl Arguments {
    /// What the model is given first: a context, or the whole document.
    pub(super) fn first_text(&self) -> &str {
        match self {
            Self::Continuation { context, .. } | Self::Generation { context, .. } => context,
            Self::Document(text) => text,
        }
    }
}

impl TaskPlan {
    /// How many examples are shown: a zero in the file stays.
    pub fn shots(&self, asked: Option<usize>) -> usize {
        match (self.num_fewshot, asked) {
            (Some(0), _) => 0,
            (_, Some(asked)) => asked,
            (own, None) => own.unwrap_or(0),
        }
    }

    /// All requests, document by document.
    ///
    /// # Errors
    ///
    /// Where there is no document, a row lacks a column, a function of Python would be needed, or there are too few examples.
    pub fn requests(
        &self,
        rows: &TaskRows<'_>,
        options: &RequestOptions<'_>,
    ) -> Result<Vec<Request>, TaskError> {
        let Some(first) = rows.documents.first() else {
            return Err(TaskError::task(&self.name, "there is no document to ask"));
        };
        let asking = Asking::new(self, first, options)?;
        let mut sampler =
            FewshotSampler::new(&self.name, &self.fewshot, &rows.examples, options.seed)?;
        let shots = self.shots(options.shots);
        let mut requests = Vec::new();
        for (document, row) in rows.documents.iter().enumerate() {
            let examples = sampler.draw(shots, rows.is_shared.then_some(row))?;
            // Functions may write into a document; each run of the original reads its documents anew.
            let mut row = row.clone();
            let contexts = asking.contexts(&mut row, &examples)?;
            let arguments = asking.arguments(&mut row, contexts)?;
            let numbered = arguments.into_iter().enumerate();
            requests.extend(numbered.map(|(index, arguments)| Request {
                document,
                index,
                arguments,
            }));
        }
        Ok(requests)
    }
}
