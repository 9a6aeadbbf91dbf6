//! Bodies, within their bounds, and the work that one makes.

use std::time::Duration;

use axum::{
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::{task::spawn_blocking, time::timeout};

use super::{limits::CLIENT_SECONDS, problem::Problem};

/// JSON as a response.
#[derive(Clone, Debug)]
pub(super) struct JsonBody(pub(super) Value);

impl IntoResponse for JsonBody {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0.to_string()).into_response()
    }
}

/// Reads a body of at most `most_bytes`.
pub(super) async fn read(body: Body, most_bytes: usize) -> Result<Vec<u8>, Problem> {
    let reading = async {
        let mut pieces = body.into_data_stream();
        let mut whole = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece =
                piece.map_err(|error| Problem::body(format!("the body is cut off: {error}")))?;
            if whole.len() + piece.len() > most_bytes {
                return Err(Problem::too_large(most_bytes));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    };
    match timeout(Duration::from_secs(CLIENT_SECONDS), reading).await {
        Ok(read) => read,
        Err(_) => Err(Problem::slow_body()),
    }
}

/// Does work that takes a while where no other connection waits for it.
pub(super) async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // A panic is the request's own.
    spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Problem::failed("this request was too much for the server")))
}
