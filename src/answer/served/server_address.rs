//! Where a server is: its base address, and the endpoints below it.

use std::fmt;

/// The address of a server, without its endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Scheme, host and path, without a slash at its end.
    base: String,
    /// What follows a question mark, sent with every request and never shown.
    query: Option<String>,
}

/// Endings of addresses that name an endpoint, which configs write in the place of the base.
const ENDPOINTS: [&str; 5] =
    ["/chat/completions", "/completions", "/models", "/generate", "/generate_stream"];

impl ServerAddress {
    /// Reads an address as configs write it: with or without scheme, version and endpoint.
    ///
    /// # Errors
    /// It is no address, or holds a user's name or password, which a config is no place for. The message does not
    /// repeat it.
    pub fn parse(written: &str) -> Result<Self, String> {
        let written = written.trim();
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (scheme, rest),
            Some(_) => return Err("is no http:// or https:// address".to_owned()),
            None => ("http", written),
        };
        let (place, query) = match rest.split_once('?') {
            Some((place, query)) => (place, Some(query.to_owned())),
            None => (rest, None),
        };
        let is_known = |part: &str| part.starts_with("api-version=");
        if query.as_deref().is_some_and(|query| !query.split('&').all(is_known)) {
            return Err(
                "has a query, in which a key may stand; only api-version is taken, and keys are read with key='ENV'"
                    .to_owned(),
            );
        }
        let (host, path) = place.split_once('/').map_or((place, ""), |(host, path)| (host, path));
        if host.contains('@') {
            return Err(
                "holds a name or a password; write key='ENV' and put the key into OPENAI_API_KEY"
                    .to_owned(),
            );
        }
        let is_host = |host: &str| {
            !host.is_empty()
                && host.chars().all(|own| own.is_alphanumeric() || ".-:[]_%".contains(own))
        };
        if !is_host(host) || path.contains(char::is_whitespace) || path.contains('#') {
            return Err("is no address, such as http://127.0.0.1:8000/v1".to_owned());
        }
        let mut path = path.trim_end_matches('/');
        for ending in ENDPOINTS {
            let whole = format!("/{path}");
            if whole.ends_with(ending) {
                path = path.get(..path.len() + 1 - ending.len()).unwrap_or_default();
                path = path.trim_end_matches('/');
                break;
            }
        }
        let slash = if path.is_empty() { "" } else { "/" };
        Ok(Self { base: format!("{scheme}://{host}{slash}{path}"), query })
    }

    /// The same with `/v1`, unless a version stands there already.
    #[must_use]
    pub fn versioned(self) -> Self {
        let last = self.base.rsplit('/').next().unwrap_or_default();
        let is_version = last.strip_prefix('v').is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_version || self.query.is_some() {
            return self;
        }
        Self { base: format!("{}/v1", self.base), ..self }
    }

    /// The address of an endpoint, such as `chat/completions`.
    pub fn endpoint(&self, name: &str) -> String {
        let query = self.query.as_ref().map_or_else(String::new, |query| format!("?{query}"));
        format!("{}/{name}{query}", self.base)
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_configs_write_them() {
        let endpoint = |written: &str| {
            ServerAddress::parse(written).map(|own| own.versioned().endpoint("completions"))
        };
        for written in [
            "http://127.0.0.1:8000/v1",
            "http://127.0.0.1:8000/v1/",
            "127.0.0.1:8000",
            " http://127.0.0.1:8000/v1/chat/completions",
            "http://127.0.0.1:8000/v1/completions",
        ] {
            assert_eq!(endpoint(written).unwrap(), "http://127.0.0.1:8000/v1/completions");
        }
        assert_eq!(endpoint("https://h/api/v3").unwrap(), "https://h/api/v3/completions");
        let azure = "https://h/openai/deployments/d/chat/completions?api-version=1";
        assert_eq!(
            endpoint(azure).unwrap(),
            "https://h/openai/deployments/d/completions?api-version=1"
        );
        assert_eq!(
            ServerAddress::parse(azure).unwrap().to_string(),
            "https://h/openai/deployments/d"
        );
    }

    #[test]
    fn what_is_no_address_or_holds_a_secret_is_refused_without_repeating_it() {
        for written in
            ["", "ftp://h", "http://", "http://a b/v1", "http://me:secret@h/v1", "h?k=secret"]
        {
            let error = ServerAddress::parse(written).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
