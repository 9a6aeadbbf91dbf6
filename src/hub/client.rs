//! Requests to the hub: who is sent the token, which redirects are followed, what is tried again.
//!
//! Redirects are followed by hand, because the token must go to the hub alone while large files lie
//! on other hosts, and because the hub tells a file's commit and checksum in the reply that redirects.

use std::{io::ErrorKind, thread, time::Duration};

use ureq::{
    Agent, Body, Proxy, Timeout,
    http::HeaderMap,
    tls::{Certificate, RootCerts, TlsConfig},
};

use super::{
    address::{absolute, is_here, origin},
    error::HubError,
    progress::DownloadProgress,
    settings::HubSettings,
};

/// How long finding a host may take, and connecting to it.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest that a hub is waited for when it asks to be.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Redirects after which an address is given up.
const MOST_REDIRECTS: usize = 8;

/// Talks to one hub.
pub(super) struct Client {
    agent: Agent,
    endpoint: String,
    token: Option<String>,
    waits: Vec<Duration>,
}

/// What is asked.
pub(super) enum Request {
    /// What is there, in headers; only the hub itself is asked.
    Describe,
    /// How long it is, in headers; whoever has it is asked.
    Length,
    /// The content from this byte on.
    Content { start: u64 },
}

/// What was answered.
pub(super) struct Reply {
    pub(super) status: u16,
    /// The address that answered, without its query, which may hold a signature.
    pub(super) url: String,
    headers: HeaderMap,
    pub(super) body: Body,
    tries: usize,
}

/// Which part of a file a reply holds.
pub(super) struct Range {
    /// The first byte; nothing where no byte is held.
    pub(super) start: Option<u64>,
    /// Of the whole file, as far as it is told.
    pub(super) total_bytes: Option<u64>,
}

impl Reply {
    /// What `content-range` says.
    pub(super) fn range(&self) -> Option<Range> {
        let range = self.header("content-range")?.strip_prefix("bytes ")?;
        let (span, total) = range.split_once('/')?;
        let start = span.split('-').next().and_then(|first| first.trim().parse().ok());
        let total_bytes = match total.trim() {
            "*" => None,
            total => Some(total.parse().ok()?),
        };
        Some(Range { start, total_bytes })
    }

    /// What `content-length` says.
    pub(super) fn length_bytes(&self) -> Option<u64> {
        self.header("content-length")?.trim().parse().ok()
    }

    /// A header that is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// How often it was asked for, or how long the hub wants to be left alone: for messages.
    pub(super) fn after(&self) -> String {
        match self.retry_after().filter(|wait| *wait > LONGEST_WAIT) {
            Some(wait) => format!(" and asks to be left alone for {} s", wait.as_secs()),
            None if self.tries > 1 => format!(" {} times", self.tries),
            None => String::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        // The hub itself writes when its window ends: `"api";r=0;t=120`.
        let window =
            || self.header("ratelimit")?.split(';').find_map(|part| part.trim().strip_prefix("t="));
        let seconds =
            self.header("retry-after").or_else(|| window().filter(|_| self.status == 429))?;
        seconds.trim().parse().ok().map(Duration::from_secs)
    }

    fn is_temporary(&self) -> bool {
        matches!(self.status, 408 | 429 | 500..=599)
    }
}

impl Client {
    /// A client of the settings' hub.
    pub(super) fn new(settings: &HubSettings) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(settings.slow.max(settings.stall)))
            .timeout_per_read(Some(settings.stall))
            .timeout_per_write(Some(settings.stall))
            .user_agent(concat!("surprisal/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls())
            .proxy(proxy_to(&settings.endpoint))
            .build();
        Self {
            agent: config.into(),
            endpoint: settings.endpoint.clone(),
            token: settings.token.clone(),
            waits: settings.waits.clone(),
        }
    }

    /// The hub's address.
    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Whether requests carry a token.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Waits before further tries.
    pub(super) fn waits(&self) -> &[Duration] {
        &self.waits
    }

    /// Asks until there is an answer that another try would not change.
    pub(super) fn ask(
        &self,
        url: &str,
        request: &Request,
        progress: &dyn DownloadProgress,
    ) -> Result<Reply, HubError> {
        let mut waits = self.waits.iter();
        let mut tries = 0;
        loop {
            tries += 1;
            let (why, wanted, outcome) = match self.follow(url, request) {
                Ok(mut reply) if reply.is_temporary() => {
                    reply.tries = tries;
                    (format!("HTTP {}", reply.status), reply.retry_after(), Ok(reply))
                }
                Err(Broken::Passing { endpoint, problem }) => {
                    let why = format!("{endpoint}: {problem}");
                    (why, None, Err(HubError::Unreachable { endpoint, problem }))
                }
                Ok(reply) => return Ok(reply),
                Err(Broken::Lasting(error)) => return Err(error),
            };
            match waits.next() {
                Some(wait) if wanted.is_none_or(|wanted| wanted <= LONGEST_WAIT) => {
                    pause(wanted.unwrap_or(*wait), &why, progress);
                }
                _ => return outcome,
            }
        }
    }

    /// Asks once, along redirects.
    fn follow(&self, url: &str, request: &Request) -> Result<Reply, Broken> {
        let mut url = url.to_owned();
        for _ in 0..MOST_REDIRECTS {
            let reply = self.send(&url, request)?;
            let Some(location) =
                reply.header("location").filter(|_| (300..400).contains(&reply.status))
            else {
                return Ok(reply);
            };
            let next =
                absolute(&url, location).ok_or_else(|| odd(&reply.url, "a redirect to nowhere"))?;
            if matches!(request, Request::Describe) && origin(&next) != origin(&url) {
                return Ok(reply);
            }
            if url.starts_with("https:") && !next.starts_with("https:") {
                return Err(odd(&reply.url, "a redirect away from https"));
            }
            url = next;
        }
        Err(odd(&url, "redirects without end"))
    }

    fn send(&self, url: &str, request: &Request) -> Result<Reply, Broken> {
        let mut call = match request {
            Request::Describe | Request::Length => self.agent.head(url),
            Request::Content { .. } => self.agent.get(url),
        };
        // Compressed replies would have other lengths than the files.
        call = call.header("accept-encoding", "identity");
        if let Request::Content { start: start @ 1.. } = request {
            call = call.header("range", format!("bytes={start}-"));
        }
        if let Some(token) = self.token.as_ref().filter(|_| origin(url) == origin(&self.endpoint)) {
            call = call.header("authorization", format!("Bearer {token}"));
        }
        let shown = url.split('?').next().unwrap_or_default().to_owned();
        let response = call.call().map_err(|error| {
            let (endpoint, problem) = (origin(url).to_owned(), error.to_string());
            if is_passing(&error) {
                return Broken::Passing { endpoint, problem };
            }
            Broken::Lasting(HubError::Unreachable { endpoint, problem })
        })?;
        let (parts, body) = response.into_parts();
        let (status, headers) = (parts.status.as_u16(), parts.headers);
        Ok(Reply { status, url: shown, headers, body, tries: 1 })
    }
}

/// How connections are kept secret.
pub(crate) fn tls() -> TlsConfig {
    TlsConfig::builder().root_certs(roots()).build()
}

/// The proxy that the environment names for an address.
pub(crate) fn proxy_to(url: &str) -> Option<Proxy> {
    Proxy::try_from_env().filter(|_| !is_here(url))
}

/// Whom to believe who a host is: the system's authorities, to which a workplace may have added its
/// own, or those of Mozilla where a system has none.
fn roots() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    RootCerts::from(found.iter().map(|root| Certificate::from_der(root).to_owned()))
}

/// Waits and says why.
pub(super) fn pause(wait: Duration, why: &str, progress: &dyn DownloadProgress) {
    progress.waiting(&format!("{why}; trying again in {} s", wait.as_secs()));
    thread::sleep(wait);
}

/// A request without an answer.
enum Broken {
    /// Another try may go better.
    Passing { endpoint: String, problem: String },
    /// It will not.
    Lasting(HubError),
}

fn odd(url: &str, problem: &str) -> Broken {
    Broken::Lasting(HubError::Reply { url: url.to_owned(), problem: problem.to_owned() })
}

fn is_passing(error: &ureq::Error) -> bool {
    match error {
        // A host that cannot be found or does not answer at all is rather forbidden than busy.
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => false,
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::BrokenPipe
                | ErrorKind::ConnectionAborted
                | ErrorKind::ConnectionReset
                | ErrorKind::TimedOut
                | ErrorKind::UnexpectedEof
        ),
        _ => false,
    }
}
