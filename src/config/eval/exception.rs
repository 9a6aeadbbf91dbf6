//! Python's exceptions, as far as configs raise and catch them.

/// The known exceptions, each with the one it is a kind of.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("ArithmeticError", "Exception"),
    ("AssertionError", "Exception"),
    ("AttributeError", "Exception"),
    ("BaseException", ""),
    ("Exception", "BaseException"),
    ("FileNotFoundError", "OSError"),
    ("IOError", "OSError"),
    ("ImportError", "Exception"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("LookupError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("NameError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("OSError", "Exception"),
    ("OverflowError", "ArithmeticError"),
    ("RuntimeError", "Exception"),
    ("StopIteration", "Exception"),
    ("SyntaxError", "Exception"),
    ("SystemExit", "BaseException"),
    ("TimeoutError", "OSError"),
    ("TypeError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("UnicodeDecodeError", "UnicodeError"),
    ("UnicodeEncodeError", "UnicodeError"),
    ("UnicodeError", "ValueError"),
    ("UserWarning", "Exception"),
    ("ValueError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("json.JSONDecodeError", "ValueError"),
    ("re.error", "Exception"),
];

/// Whether Python has an exception of this name.
pub(super) fn is_known(name: &str) -> bool {
    EXCEPTIONS.binary_search_by_key(&name, |(known, _)| known).is_ok()
}

/// Whether an exception is caught by `except caught`.
pub(super) fn is_kind_of(name: &str, caught: &str) -> bool {
    let mut name = name;
    while name != caught {
        match EXCEPTIONS.binary_search_by_key(&name, |(known, _)| known) {
            Ok(index) => name = EXCEPTIONS[index].1,
            // An exception that the config imported.
            Err(_) if name.is_empty() => return false,
            Err(_) => name = "Exception",
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_is_found_and_ends_in_the_base() {
        for (name, _) in EXCEPTIONS {
            assert!(is_known(name) && is_kind_of(name, "BaseException"));
        }
        assert!(is_kind_of("KeyError", "LookupError") && !is_kind_of("KeyError", "ValueError"));
        assert!(is_kind_of("json.JSONDecodeError", "Exception"));
    }
}
