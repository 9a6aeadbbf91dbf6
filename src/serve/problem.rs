//! Why a request has no answer, as OpenAI's clients read it.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::body::JsonBody;
use crate::engine::RequestError;

/// An error with its status: `{"error": {"message", "type", "param", "code"}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) message: String,
    /// The field that is wrong, if it is one.
    pub(super) param: Option<String>,
    /// The name by which programs tell it from others.
    pub(super) code: Option<&'static str>,
    /// When it is worth another try.
    pub(super) retry_after_seconds: Option<u64>,
}

impl Problem {
    fn new(status: u16, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message, param: None, code: None, retry_after_seconds: None }
    }

    /// The body is wrong.
    pub(super) fn body(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// A field of the body is wrong.
    pub(super) fn field(name: &str, message: impl Into<String>) -> Self {
        Self { param: Some(name.to_owned()), ..Self::new(400, message) }
    }

    /// A text of `tokens` tokens is too long.
    pub(super) fn too_long(
        name: &str,
        prompt: usize,
        new_tokens: usize,
        context_tokens: usize,
    ) -> Self {
        let message = format!(
            "the model reads at most {context_tokens} tokens, and this asks for {}: {prompt} of the prompt and {new_tokens} to be \
             written; shorten the prompt or lower `max_tokens`",
            prompt + new_tokens
        );
        Self { code: Some("context_length_exceeded"), ..Self::field(name, message) }
    }

    /// No key, or a wrong one.
    pub(super) fn unauthorized() -> Self {
        let message = "this server asks for its API key; send `Authorization: Bearer KEY`";
        Self { code: Some("invalid_api_key"), ..Self::new(401, message) }
    }

    /// There is nothing at an address.
    pub(super) fn unknown_address(path: &str) -> Self {
        Self { code: Some("unknown_url"), ..Self::new(404, format!("there is nothing at {path}")) }
    }

    /// An address does not take this method.
    pub(super) fn method(path: &str) -> Self {
        Self::new(405, format!("{path} does not take this method"))
    }

    /// Another model is asked for than the one there is.
    pub(super) fn unknown_model(asked: &str, served: &str) -> Self {
        let message = format!("there is no model `{asked}` here; this server has `{served}`");
        let param = Some("model".to_owned());
        Self { code: Some("model_not_found"), param, ..Self::new(404, message) }
    }

    /// The body has too many bytes.
    pub(super) fn too_large(most_bytes: usize) -> Self {
        let message = format!(
            "the body has more than {most_bytes} bytes, which is the most this server reads"
        );
        Self { code: Some("request_too_large"), ..Self::new(413, message) }
    }

    /// The body does not come.
    pub(super) fn slow_body() -> Self {
        Self::new(408, "the body did not come in time")
    }

    /// Too much is waiting.
    pub(super) fn busy(waiting: usize) -> Self {
        let message =
            format!("{waiting} requests are waiting or computed already; try again later");
        let retry_after_seconds = Some(1);
        Self { code: Some("queue_full"), retry_after_seconds, ..Self::new(429, message) }
    }

    /// It took too long.
    pub(super) fn out_of_time(seconds: u64) -> Self {
        let message = format!(
            "the request took more than {seconds} s, which is the most this server gives one"
        );
        Self { code: Some("timeout"), ..Self::new(504, message) }
    }

    /// The server ends.
    pub(super) fn ending() -> Self {
        Self { code: Some("shutting_down"), ..Self::new(503, "the server is shutting down") }
    }

    /// Something here failed.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::new(500, message)
    }

    /// What keeps a request from its answer.
    pub(super) fn of(error: &RequestError) -> Self {
        match error {
            RequestError::Empty
            | RequestError::TooLong { .. }
            | RequestError::UnknownToken { .. }
            | RequestError::CutImage
            | RequestError::EndsWithImage
            | RequestError::NoImage
            | RequestError::TooLarge { .. } => Self::field("prompt", error.to_string()),
            RequestError::NotFinite { .. }
            | RequestError::DeviceLost(_)
            | RequestError::Compute(_) => Self::failed(error.to_string()),
        }
    }

    /// As OpenAI writes it.
    pub(super) fn json(&self) -> Value {
        let kind = match self.status {
            401 => "authentication_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        json!({"error": {
            "message": self.message, "type": kind, "param": self.param, "code": self.code,
        }})
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, JsonBody(self.json())).into_response();
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
