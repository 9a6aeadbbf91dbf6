//! The key that a server asks for.
//!
//! It comes from the environment alone. What is kept here is the name of the variable; the key itself is read when the
//! client is made, is sent in one header, and is taken out of whatever a server says before anybody sees it.

#![expect(
    clippy::disallowed_methods,
    reason = "keys come from the environment and from nowhere else"
)]

use std::fmt;

/// The variable where none is named.
pub const USUAL_VARIABLE: &str = "OPENAI_API_KEY";

/// The variable of the environment that holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyVariable(String);

/// A key.
#[derive(Clone)]
pub struct ApiKey(String);

impl KeyVariable {
    /// Reads what a config writes: `ENV` for `OPENAI_API_KEY`, `ENV:NAME` for another variable. Nothing for the words
    /// that configs write where no key is needed.
    ///
    /// # Errors
    /// It is a key itself. The message does not repeat it.
    pub fn parse(written: &str) -> Result<Option<Self>, String> {
        match written {
            "" | "EMPTY" | "None" | "none" => Ok(None),
            "ENV" => Ok(Some(Self(USUAL_VARIABLE.to_owned()))),
            _ => match written.strip_prefix("ENV:") {
                Some(name) if is_variable(name) => Ok(Some(Self(name.to_owned()))),
                _ => {
                    Err("keys are read from the environment alone, so that none is kept in a file"
                        .to_owned())
                }
            },
        }
    }

    /// The key.
    ///
    /// # Errors
    /// There is none, or it cannot stand in a header.
    pub fn read(&self) -> Result<ApiKey, String> {
        let Self(name) = self;
        let key = std::env::var(name).unwrap_or_default();
        // OpenCompass takes several keys with commas between; one is enough here.
        let key = key.split(',').next().unwrap_or_default().trim();
        if key.is_empty() {
            return Err(format!(
                "the variable {name} holds no key; set it, as in `export {name}=…`"
            ));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("the variable {name} holds characters that no key has"));
        }
        Ok(ApiKey(key.to_owned()))
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl ApiKey {
    /// The value of the header `authorization`.
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text of a server's without the key.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_itself_is_refused_and_never_shown() {
        assert_eq!(KeyVariable::parse("EMPTY"), Ok(None));
        assert_eq!(KeyVariable::parse("ENV"), Ok(Some(KeyVariable(USUAL_VARIABLE.to_owned()))));
        assert_eq!(KeyVariable::parse("ENV:MY_KEY"), Ok(Some(KeyVariable("MY_KEY".to_owned()))));
        for written in ["sk-secret", "ENV:", "ENV:sk-secret", "env sk-secret"] {
            assert!(!KeyVariable::parse(written).unwrap_err().contains("secret"));
        }
        let key = ApiKey("sk-secret".to_owned());
        assert!(!format!("{key:?}").contains("secret"));
        assert_eq!(key.hidden_in("bad key sk-secret!"), "bad key [key]!");
    }
}
