//! Where a Milvus server is.

use std::{fmt, str::FromStr};

use http::Uri;

use super::MilvusError;

/// The port of a server, unless another is given.
const USUAL_PORT: u16 = 19530;

/// `http://host:port` or `https://host:port`, with the name of a database behind it if it is not the default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MilvusAddress {
    server: Uri,
    database: Option<String>,
}

impl MilvusAddress {
    /// Where a call is made.
    pub(super) fn call(&self, call: &str) -> String {
        format!("{}milvus.proto.milvus.MilvusService/{call}", self.server)
    }

    /// The name or number of the host, without the brackets of a number with colons.
    pub(super) fn host(&self) -> &str {
        self.server.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// The port.
    pub(super) fn port(&self) -> u16 {
        self.server.port_u16().unwrap_or(USUAL_PORT)
    }

    /// The database, if it is not the default one.
    pub(super) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// Whether it is asked over TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        self.server.scheme_str() == Some("https")
    }
}

impl FromStr for MilvusAddress {
    type Err = MilvusError;

    fn from_str(text: &str) -> Result<Self, MilvusError> {
        // Nothing of what may be a password is repeated.
        let shown = if text.contains('@') { "the address" } else { text };
        let refused = |problem| MilvusError::Address { address: shown.to_owned(), problem };
        let uri: Uri = text.parse().map_err(|_| refused("this is not an address"))?;
        let (Some(scheme @ ("http" | "https")), Some(authority)) =
            (uri.scheme_str(), uri.authority())
        else {
            return Err(refused("an address begins with http:// or https://"));
        };
        if authority.as_str().contains('@') {
            let problem =
                "user and password do not belong here; put them into SURPRISAL_MILVUS_TOKEN";
            return Err(refused(problem));
        }
        if uri.query().is_some() {
            return Err(refused("nothing may stand behind a question mark"));
        }
        let path = uri.path().trim_matches('/');
        if !path.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            return Err(refused(
                "behind the port only the name of a database may stand, of letters, digits and _",
            ));
        }
        let port = authority.port_u16().unwrap_or(USUAL_PORT);
        let server = format!("{scheme}://{}:{port}", authority.host());
        Ok(Self {
            server: server.parse().map_err(|_| refused("this is not an address"))?,
            database: (!path.is_empty()).then(|| path.to_owned()),
        })
    }
}

impl fmt::Display for MilvusAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.server.to_string().trim_end_matches('/'))?;
        self.database.iter().try_for_each(|database| write!(f, "/{database}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port_and_may_have_a_database() {
        for (text, shown) in [
            ("http://127.0.0.1", "http://127.0.0.1:19530"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1"),
            ("https://[::1]:19530/books", "https://[::1]:19530/books"),
        ] {
            assert_eq!(text.parse::<MilvusAddress>().unwrap().to_string(), shown);
        }
        let address: MilvusAddress = "https://[::1]:7/books".parse().unwrap();
        assert_eq!((address.host(), address.port()), ("::1", 7));
        assert_eq!(
            address.call("Query"),
            "https://[::1]:7/milvus.proto.milvus.MilvusService/Query"
        );
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_a_password() {
        for (text, expected) in [
            ("127.0.0.1:19530", "begins with http://"),
            ("ftp://127.0.0.1", "begins with http://"),
            ("", "is not an address"),
            ("http://host:1/a/b", "only the name of a database"),
            ("http://host:1/?token=a", "behind a question mark"),
            ("http://root:secret@host:1", "put them into SURPRISAL_MILVUS_TOKEN"),
        ] {
            let error = text.parse::<MilvusAddress>().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("secret"), "{error}");
        }
    }
}
