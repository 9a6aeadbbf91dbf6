//! One request to a server, and what came back.
//!
//! Every request has a connection of its own. A server that answers once too often on a connection that is used again
//! would have its second answer taken for the next question's, and nothing in it would show.

#![expect(clippy::disallowed_types, reason = "a served model is behind the network")]

use std::time::Duration;

use serde_json::Value as Json;
use ureq::{Agent, Body, http::Response};

use super::{
    ApiKey, Arrivals, KeyVariable, Patience, Protocol, ServedSettings, ServerRefusal,
    stream::Streamed,
};
use crate::hub;

/// How long finding a host may take, and connecting to it.
const CONNECT: Duration = Duration::from_secs(10);

/// Most bytes of an answer: a text of a million tokens with all that is told of them.
const MOST_ANSWER_BYTES: u64 = 512 << 20;

/// Most characters of a server's words in a message.
const MOST_WORDS_CHARS: usize = 300;

/// Sends requests to one server.
pub(super) struct Client {
    agent: Agent,
    key: Option<ApiKey>,
    organization: Option<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoAnswer {
    /// What went wrong.
    pub(super) what: String,
    /// Whether another try may go better.
    pub(super) is_passing: bool,
    /// How long the server asks to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// The status of its answer, if there was one.
    pub(super) status: Option<u16>,
}

impl NoAnswer {
    /// Something that may go better next time.
    pub(super) fn passing(what: String) -> Self {
        Self { what, is_passing: true, retry_after: None, status: None }
    }

    /// The same of a server that did answer, whatever it said.
    pub(super) fn heard(self) -> Self {
        Self { status: self.status.or(Some(200)), ..self }
    }

    /// Something that will not.
    pub(super) fn lasting(what: String) -> Self {
        Self { is_passing: false, ..Self::passing(what) }
    }
}

impl Client {
    /// A client of a model's server, with its key.
    pub(super) fn of(settings: &ServedSettings) -> Result<Self, ServerRefusal> {
        let key = settings.key.as_ref().map(KeyVariable::read).transpose();
        let key = key.map_err(|what| ServerRefusal::Unclear { name: settings.name(), what })?;
        let address = settings.address.to_string();
        Ok(Self::new(&address, key, settings.organization.clone(), &settings.patience))
    }

    /// A client of the server at `address`.
    fn new(
        address: &str,
        key: Option<ApiKey>,
        organization: Option<String>,
        patience: &Patience,
    ) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would take the key elsewhere.
            .max_redirects(0)
            .max_idle_connections(0)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(patience.timeout))
            .user_agent(concat!("surprisal/", env!("CARGO_PKG_VERSION")))
            .tls_config(hub::tls())
            .proxy(hub::proxy_to(address))
            .build();
        Self { agent: config.into(), key, organization }
    }

    /// What is at an address.
    pub(super) fn get(&self, url: &str) -> Result<Json, NoAnswer> {
        let mut call = self.agent.get(url);
        for (name, value) in self.headers() {
            call = call.header(name, value);
        }
        self.read(call.call())
    }

    /// The answer to a body.
    pub(super) fn post(&self, url: &str, body: &Json) -> Result<Json, NoAnswer> {
        let mut call = self.agent.post(url).header("content-type", "application/json");
        for (name, value) in self.headers() {
            call = call.header(name, value);
        }
        self.read(call.send(body.to_string().as_bytes()))
    }

    /// The answer to a body that is asked for piece by piece, and when its pieces came.
    pub(super) fn stream(
        &self,
        url: &str,
        body: &[u8],
        protocol: Protocol,
    ) -> Result<(Json, Arrivals), NoAnswer> {
        let mut call = self.agent.post(url).header("content-type", "application/json");
        for (name, value) in self.headers() {
            call = call.header(name, value);
        }
        match call.send(body) {
            Ok(response) if response.status().is_success() => {
                let reader = response.into_body().into_with_config().limit(MOST_ANSWER_BYTES);
                let (whole, arrivals) = Streamed::read(reader.reader(), protocol)
                    .map_err(|error| NoAnswer { what: self.hidden(&error.what), ..error })?;
                if is_answer(&whole) {
                    return Ok((whole, arrivals));
                }
                Err(NoAnswer::passing(self.hidden(&words(&whole))))
            }
            other => self.read(other).map(|whole| (whole, Arrivals::default())),
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let authorization = self.key.as_ref().map(|key| ("authorization", key.authorization()));
        let organization = self.organization.clone().map(|own| ("openai-organization", own));
        let close = ("connection", "close".to_owned());
        [Some(close), authorization, organization].into_iter().flatten().collect()
    }

    fn read(&self, response: Result<Response<Body>, ureq::Error>) -> Result<Json, NoAnswer> {
        let lost = |error: ureq::Error| NoAnswer::passing(self.hidden(&error.to_string()));
        let response = response.map_err(lost)?;
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name)?.to_str().ok()?.trim().parse().ok();
        let retry_after = header("retry-after")
            .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
            .map(|seconds| Duration::from_secs_f64(seconds.min(1e6)));
        let bytes = response
            .into_body()
            .with_config()
            .limit(MOST_ANSWER_BYTES)
            .read_to_vec()
            .map_err(lost)?;
        let parsed: Result<Json, _> = serde_json::from_slice(&bytes);
        let failed = |what: String| {
            let is_passing = matches!(status, 200..=299 | 408 | 409 | 425 | 429 | 500..=599);
            // What is not there will not be there next time.
            let is_passing = is_passing && status != 501;
            NoAnswer { what, is_passing, retry_after, status: Some(status) }
        };
        match parsed {
            Ok(answer) if (200..300).contains(&status) && is_answer(&answer) => Ok(answer),
            Ok(answer) => Err(failed(self.hidden(&format!("HTTP {status}: {}", words(&answer))))),
            Err(error) if (200..300).contains(&status) => {
                Err(failed(format!("the answer is no JSON: {error}")))
            }
            Err(_) => {
                let text = shortened(&String::from_utf8_lossy(&bytes));
                Err(failed(self.hidden(&format!("HTTP {status}: {text}"))))
            }
        }
    }

    fn hidden(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.hidden_in(text),
            None => text.to_owned(),
        }
    }
}

/// Whether a body is not the notice of an error that came with the wrong status.
fn is_answer(answer: &Json) -> bool {
    answer.get("error").is_none_or(Json::is_null)
}

/// What a server says of an error.
fn words(answer: &Json) -> String {
    let places = ["/error/message", "/message", "/detail", "/error"];
    let said = places.iter().find_map(|place| answer.pointer(place)?.as_str());
    shortened(said.unwrap_or(&answer.to_string()))
}

/// A text of a server's on one line, and not too much of it.
fn shortened(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST_WORDS_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "nothing was said".to_owned(),
        None => line,
    }
}
