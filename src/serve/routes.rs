//! Which address answers what.

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, Path, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    answer_form::AnswerForm,
    body::{self, JsonBody},
    chat_answer::ChatAnswer,
    chat_request::ChatRequest,
    completion_answer::CompletionAnswer,
    completion_request::CompletionRequest,
    problem::Problem,
    state::ServerState,
    stream, tokens,
};

type Server = State<Arc<ServerState>>;

/// All addresses.
pub(super) fn router(state: Arc<ServerState>) -> Router {
    Router::new()
        .route("/v1/completions", post(completions))
        .route("/v1/chat/completions", post(chat_completions))
        .route("/v1/models", get(models))
        .route("/v1/models/{*name}", get(model))
        .route("/tokenize", post(tokenize))
        .route("/detokenize", post(detokenize))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .fallback(async |request: Request| Problem::unknown_address(request.uri().path()))
        .method_not_allowed_fallback(async |request: Request| Problem::method(request.uri().path()))
        .layer(from_fn_with_state(Arc::clone(&state), guarded))
        .with_state(state)
}

/// Asks for the key, and counts answers.
async fn guarded(State(state): Server, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let address = known_address(request.extensions().get::<MatchedPath>());
    let authorization = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let is_open = address == "/health" && request.method() == Method::GET;
    let response = if is_open || state.admits(authorization) {
        next.run(request).await
    } else {
        Problem::unauthorized().into_response()
    };
    state.metrics.answered(address, response.status().as_u16(), began.elapsed());
    response
}

/// The address as metrics name it; whatever is typed makes no new one.
fn known_address(path: Option<&MatchedPath>) -> &'static str {
    let known = [
        "/v1/completions",
        "/v1/chat/completions",
        "/v1/models",
        "/v1/models/{*name}",
        "/tokenize",
        "/detokenize",
        "/health",
        "/metrics",
    ];
    let path = path.map_or("", MatchedPath::as_str);
    known.into_iter().find(|known| *known == path).unwrap_or("other")
}

async fn completions(State(state): Server, body: Body) -> Result<Response, Problem> {
    let body = body::read(body, state.limits.body_bytes).await?;
    let answer = state.next_answer();
    let own = Arc::clone(&state);
    let form = body::off_the_loop(move || {
        let request = CompletionRequest::read(&body, &own.model, &own.limits)?;
        let created = (own.clock)().timestamp().as_second();
        Ok(CompletionAnswer::new(request, own.answer_name("cmpl", answer), created))
    });
    answered(state, form.await?, answer).await
}

async fn chat_completions(State(state): Server, body: Body) -> Result<Response, Problem> {
    let body = body::read(body, state.limits.body_bytes).await?;
    let answer = state.next_answer();
    let own = Arc::clone(&state);
    let form = body::off_the_loop(move || {
        let now = (own.clock)();
        let request = ChatRequest::read(&body, &own.model, &own.limits, now.datetime())?;
        let name = own.answer_name("chatcmpl", answer);
        Ok(ChatAnswer::new(request, name, now.timestamp().as_second()))
    });
    answered(state, form.await?, answer).await
}

/// Asks, and answers as a whole or as a stream.
async fn answered(
    state: Arc<ServerState>,
    mut form: impl AnswerForm + 'static,
    answer: u64,
) -> Result<Response, Problem> {
    let asked = state.ask(&form, state.seed_of(answer))?;
    if form.streams() {
        return Ok(stream::response(state, Box::new(form), asked));
    }
    let answers = asked.answers().await?;
    let written = body::off_the_loop(move || {
        let whole = form.whole(answers, &state.model);
        serde_json::to_vec(&whole).map_err(|error| Problem::failed(error.to_string()))
    });
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((json, written.await?).into_response())
}

/// The model, as lists have it.
fn model_entry(state: &ServerState) -> Value {
    json!({
        "id": state.model.name, "object": "model", "created": state.started_second,
        "owned_by": "surprisal", "max_model_len": state.model.context_tokens,
    })
}

async fn models(State(state): Server) -> JsonBody {
    JsonBody(json!({"object": "list", "data": [model_entry(&state)]}))
}

async fn model(State(state): Server, Path(name): Path<String>) -> Result<JsonBody, Problem> {
    state.model.check_name(Some(&name))?;
    Ok(JsonBody(model_entry(&state)))
}

async fn tokenize(State(state): Server, body: Body) -> Result<JsonBody, Problem> {
    let body = body::read(body, state.limits.body_bytes).await?;
    body::off_the_loop(move || {
        tokens::tokenize(&body, &state.model, (state.clock)().datetime()).map(JsonBody)
    })
    .await
}

async fn detokenize(State(state): Server, body: Body) -> Result<JsonBody, Problem> {
    let body = body::read(body, state.limits.body_bytes).await?;
    body::off_the_loop(move || tokens::detokenize(&body, &state.model).map(JsonBody)).await
}

async fn health(State(state): Server) -> (StatusCode, JsonBody) {
    let (status, word) = match state.broken() {
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
        None if state.is_ending() => (StatusCode::SERVICE_UNAVAILABLE, "shutting down".to_owned()),
        None => (StatusCode::OK, "ok".to_owned()),
    };
    (status, JsonBody(json!({"status": word})))
}

async fn metrics(State(state): Server) -> Response {
    let text = state.metrics.text(state.open_sequences());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
