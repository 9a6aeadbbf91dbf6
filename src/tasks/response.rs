//! What a model answered to a request.

use super::value::TaskValue;

/// One answer; a request that is made several times has several.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// How likely a text is after another one.
    Continuation {
        /// In nats, the sum over the tokens of the text.
        log_likelihood: f64,
        /// Whether each of its tokens is the likeliest one.
        is_greedy: bool,
    },
    /// How likely a whole text is: its log-likelihood in nats.
    Document(f64),
    /// What was written.
    Text(String),
}

impl From<&Response> for TaskValue {
    fn from(response: &Response) -> Self {
        match response {
            Response::Continuation { log_likelihood, is_greedy } => {
                Self::Tuple(vec![Self::Float(*log_likelihood), Self::Truth(*is_greedy)])
            }
            Response::Document(log_likelihood) => Self::Float(*log_likelihood),
            Response::Text(text) => Self::Text(text.clone()),
        }
    }
}
