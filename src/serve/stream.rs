//! Answers piece by piece, as server-sent events.

use std::{collections::VecDeque, convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::stream::unfold;
use serde_json::Value;

use super::{answer_form::AnswerForm, asking::Asked, problem::Problem, state::ServerState};

/// What a stream ends with.
const END: &str = "data: [DONE]\n\n";

struct Pieces {
    state: Arc<ServerState>,
    form: Box<dyn AnswerForm>,
    asked: Asked,
    /// What is to be sent.
    ready: VecDeque<String>,
    is_done: bool,
}

/// A response whose body follows the answer. When nobody reads it any more, nothing more is computed.
pub(super) fn response(
    state: Arc<ServerState>,
    mut form: Box<dyn AnswerForm>,
    asked: Asked,
) -> Response {
    let ready = form.beginning(&state.model).iter().map(event).collect();
    let pieces = Pieces { state, form, asked, ready, is_done: false };
    let stream = unfold(pieces, |mut pieces| async {
        let piece = pieces.next().await?;
        Some((Ok::<_, Infallible>(piece), pieces))
    });
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(stream)).into_response()
}

impl Pieces {
    /// What is sent next.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if self.is_done {
                return None;
            }
            let model = &self.state.model;
            let Some(heard) = self.asked.next().await else {
                self.is_done = true;
                self.ready.extend(self.form.count(model).as_ref().map(event));
                self.ready.push_back(END.to_owned());
                continue;
            };
            let heard = heard.and_then(|(index, event)| self.form.piece(index, event, model));
            match heard {
                Ok(piece) => self.ready.extend(piece.as_ref().map(event)),
                Err(problem) => self.fail(&problem),
            }
        }
    }

    /// The status is sent already: the error is the last event.
    fn fail(&mut self, problem: &Problem) {
        self.is_done = true;
        self.ready.push_back(event(&problem.json()));
        self.ready.push_back(END.to_owned());
    }
}

/// JSON has no line breaks of its own.
fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}
