//! Files at addresses of the web, for users who allow it.
//!
//! Whoever wrote the rows of a data set chose the addresses in it, and a request tells that server who asks. So nothing is fetched until
//! the user has said that it may be. No token is sent, redirects are few and stay on http and https, and what
//! is too long or too slow is given up. What came is not looked at: that is for whoever asked.

use std::{
    io::Read as _,
    sync::atomic::{AtomicBool, Ordering},
};

use thiserror::Error;

use super::{
    Steady,
    address::origin,
    client::{Client, Request},
    error::HubError,
    progress::Silent,
    settings::HubSettings,
};

/// Whether the user of this process allows it.
static ALLOWED: AtomicBool = AtomicBool::new(false);

/// What addresses of the web begin with.
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// Why a file at an address of the web cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WebFileError {
    /// Nobody has allowed it.
    #[error(
        "{url} is on the network, and nothing is fetched from there unless it is allowed: give --allow-download, or fetch it and give its path"
    )]
    NotAllowed {
        /// The address.
        url: String,
    },
    /// No connection may be made.
    #[error(
        "{url} is not in the cache, and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to fetch it; unset it, or fetch it where there is a \
         network and copy the cache"
    )]
    Offline {
        /// The address.
        url: String,
    },
    /// The server has another answer than the file.
    #[error("{url}: the server answered HTTP {status}{after}; check the address in the row")]
    Status {
        /// The address.
        url: String,
        /// HTTP status.
        status: u16,
        /// How often it was tried, or how long the server wants to be left alone.
        after: String,
    },
    /// It is longer than what is read.
    #[error("{url}: the file has more than {most_bytes} bytes, and no more are fetched")]
    TooLong {
        /// The address.
        url: String,
        /// What is read at most.
        most_bytes: u64,
    },
    /// There is no connection, or it broke.
    #[error("{url} cannot be fetched: {problem}; check the address, the network and proxies")]
    Broken {
        /// The address.
        url: String,
        /// What happened.
        problem: String,
    },
}

/// From now on files at addresses of the web may be fetched.
pub fn allow_web_files_from_now_on() {
    ALLOWED.store(true, Ordering::Relaxed);
}

/// Whether a text is an address of the web.
pub(crate) fn is_on_web(text: &str) -> bool {
    let begins = |scheme: &&str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.iter().any(begins)
}

/// Refuses an address as long as nobody has allowed to fetch it.
///
/// # Errors
/// [`WebFileError::NotAllowed`].
pub(crate) fn check_web_file(url: &str) -> Result<(), WebFileError> {
    if ALLOWED.load(Ordering::Relaxed) {
        return Ok(());
    }
    Err(WebFileError::NotAllowed { url: url.to_owned() })
}

/// The bytes at an address, if they are no more than `most_bytes`.
///
/// # Errors
/// Nobody has allowed it, no connection may be made, or the file cannot be had.
pub(crate) fn fetch_web_file(url: &str, most_bytes: u64) -> Result<Vec<u8>, WebFileError> {
    check_web_file(url)?;
    // The hub's token is the hub's, and the address decides about proxies.
    let settings =
        HubSettings { endpoint: origin(url).to_owned(), token: None, ..HubSettings::from_env() };
    if settings.offline {
        return Err(WebFileError::Offline { url: url.to_owned() });
    }
    fetch_with(&settings, url, most_bytes)
}

fn fetch_with(settings: &HubSettings, url: &str, most_bytes: u64) -> Result<Vec<u8>, WebFileError> {
    let broken = |problem: String| WebFileError::Broken { url: url.to_owned(), problem };
    let too_long = || WebFileError::TooLong { url: url.to_owned(), most_bytes };
    let asked = Client::new(settings).ask(url, &Request::Content { start: 0 }, &Silent);
    let mut reply = asked.map_err(|error| match error {
        HubError::Unreachable { problem, .. } | HubError::Reply { problem, .. } => broken(problem),
        other => broken(other.to_string()),
    })?;
    if reply.status != 200 {
        let (url, status, after) = (url.to_owned(), reply.status, reply.after());
        return Err(WebFileError::Status { url, status, after });
    }
    let promised_bytes = reply.length_bytes();
    if promised_bytes.is_some_and(|bytes| bytes > most_bytes) {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    Steady::new(reply.body.as_reader(), settings.slow)
        .take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| broken(error.to_string()))?;
    let found_bytes = bytes.len() as u64;
    if found_bytes > most_bytes {
        return Err(too_long());
    }
    match promised_bytes {
        Some(promised) if promised != found_bytes => {
            Err(broken(format!("{found_bytes} of {promised} bytes arrived")))
        }
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        net::{TcpListener, TcpStream},
        thread,
        time::Duration,
    };

    use super::*;

    const MOST_BYTES: u64 = 1000;

    /// A server on this machine that says for each path what these say, and what was sent to it.
    fn serve(answer: fn(&str, &mut TcpStream)) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                let told: Vec<String> =
                    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let has_token =
                    told.iter().any(|line| line.to_lowercase().contains("authorization"));
                let path = first.split(' ').nth(1).unwrap();
                answer(if has_token { "/token" } else { path }, &mut stream);
            }
        });
        address
    }

    fn fetched(url: &str) -> Result<Vec<u8>, String> {
        let settings = HubSettings {
            endpoint: origin(url).to_owned(),
            token: None,
            offline: false,
            stall: Duration::from_millis(300),
            slow: Duration::from_millis(300),
            waits: Vec::new(),
            ..HubSettings::from_env()
        };
        fetch_with(&settings, url, MOST_BYTES).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_fetched_whole_or_not_at_all() {
        let server = serve(|path, to| {
            let head = |status: &str, more: &str| {
                format!("HTTP/1.1 {status}\r\nconnection: close\r\n{more}\r\n")
            };
            let answer = match path {
                "/good" => head("200 OK", "content-length: 5\r\n") + "bytes",
                "/unmeasured" => head("200 OK", "") + "bytes",
                "/most" => head("200 OK", "") + &"x".repeat(1000),
                "/long" => head("200 OK", "content-length: 1001\r\n"),
                "/longer" => head("200 OK", "") + &"x".repeat(1001),
                "/short" => head("200 OK", "content-length: 9\r\n") + "bytes",
                "/moved" => head("302 Found", "location: /good\r\n"),
                "/around" => head("302 Found", "location: /around\r\n"),
                "/away" => head("302 Found", "location: file:///etc/passwd\r\n"),
                "/slow" => {
                    thread::sleep(Duration::from_secs(2));
                    String::new()
                }
                _ => head("404 Not Found", "content-length: 0\r\n"),
            };
            _ = to.write_all(answer.as_bytes());
        });
        for good in ["good", "unmeasured", "moved"] {
            assert_eq!(
                fetched(&format!("{server}/{good}")).as_deref(),
                Ok(&b"bytes"[..]),
                "{good}"
            );
        }
        assert_eq!(fetched(&format!("{server}/most")).unwrap().len(), 1000);
        for (path, expected) in [
            ("long", "more than 1000 bytes"),
            ("longer", "more than 1000 bytes"),
            ("short", "cannot be fetched"),
            ("around", "redirects without end"),
            ("away", "a redirect to nowhere"),
            ("gone", "HTTP 404"),
            ("slow", "cannot be fetched"),
        ] {
            let error = fetched(&format!("{server}/{path}")).unwrap_err();
            assert!(error.contains(expected) && error.contains(path), "{path}: {error}");
        }
    }

    #[test]
    fn addresses_of_the_web_are_told_from_others() {
        assert!(is_on_web("http://a/b.png") && is_on_web("HTTPS://a/b.png"));
        for other in ["file:///a.png", "ftp://a/b.png", "a.png", "data:image/png;base64,"] {
            assert!(!is_on_web(other), "{other}");
        }
    }
}
