//! `pathlib.Path` and `hashlib`: files beside a file of functions, and fingerprints of texts.
//!
//! Only text files below the folder of tasks are read.

use std::{fmt::Write as _, path::Path, rc::Rc};

use sha2::{Digest as _, Sha256};

use super::{Native, text_of};
use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        failure::{Eval, Failure},
        limits::FILE_BYTES,
        object::Object,
    },
    regular_file,
};

/// Methods of paths.
pub(super) const METHODS: &[&str] = &["absolute", "open", "read_text", "resolve"];

/// Methods of fingerprints.
pub(super) const DIGEST_METHODS: &[&str] = &["hexdigest"];

/// `Path(text)`.
pub(super) fn path(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [text] = arguments.exactly()?;
    Ok(Native::Path(text_of(Some(text), "Path()")?).object())
}

/// `left / right` of a path.
pub(super) fn joined(left: &str, right: &Object) -> Eval<Object> {
    match right {
        Object::Str(right) => {
            let joined = Path::new(left).join(&**right);
            Ok(Native::Path(joined.to_string_lossy().into()).object())
        }
        other => {
            Err(Failure::type_error(format!("a path is joined with text, not a {}", other.kind())))
        }
    }
}

/// An attribute of a path that is no method.
pub(super) fn attribute(path: &str, name: &str) -> Option<Object> {
    let path = Path::new(path);
    let text =
        |part: Option<&std::ffi::OsStr>| Object::text(&part.unwrap_or_default().to_string_lossy());
    match name {
        "parent" => {
            let parent = path.parent().unwrap_or(path).to_string_lossy().into();
            Some(Native::Path(parent).object())
        }
        "name" => Some(text(path.file_name())),
        "stem" => Some(text(path.file_stem())),
        _ => None,
    }
}

/// `hashlib.sha256(bytes)`.
pub(super) fn sha256(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    match &value {
        Object::Native(native) => match &**native {
            Native::Bytes(text) => {
                let mut digits = String::new();
                for byte in Sha256::digest(text.as_bytes()) {
                    let _ = write!(digits, "{byte:02x}");
                }
                Ok(Native::Digest(digits.into()).object())
            }
            other => Err(Failure::type_error(format!("sha256() of a {}", other.kind()))),
        },
        other => Err(Failure::type_error(format!("sha256() of a {}", other.kind()))),
    }
}

/// `json.load(file)`.
pub(super) fn load(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let Some(Object::File(text)) = arguments.positional.first().map(|slot| slot.object.clone())
    else {
        return Err(Failure::type_error("json.load() needs an opened file"));
    };
    if let Some(slot) = arguments.positional.first_mut() {
        slot.object = Object::Str(text);
    }
    super::json::loads(it, arguments)
}

impl Interpreter {
    /// `path.name(…)`.
    pub(super) fn path_method(
        &mut self,
        path: &Rc<str>,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let encoding = arguments.keyword("encoding");
        let is_utf8 = match &encoding {
            None | Some(Object::None) => true,
            Some(Object::Str(name)) => matches!(&**name, "utf-8" | "utf8" | "UTF-8"),
            Some(_) => false,
        };
        if name == "open" {
            let [mode] = arguments.between(0)?;
            let is_reading = mode.is_none_or(
                |mode| matches!(&mode, Object::Str(mode) if matches!(&**mode, "r" | "rt")),
            );
            if !is_reading {
                return Err(Failure::unsupported("open() but for reading text"));
            }
        } else {
            let [] = arguments.exactly()?;
        }
        if matches!(name, "absolute" | "resolve") {
            let whole =
                Path::new(&**path).canonicalize().unwrap_or_else(|_| Path::new(&**path).to_owned());
            return Ok(Native::Path(whole.to_string_lossy().into()).object());
        }
        if !is_utf8 {
            return Err(Failure::unsupported("a file in this encoding"));
        }
        let missing = || Failure::raised("FileNotFoundError", format!("there is no file {path}"));
        let file = Path::new(&**path).canonicalize().map_err(|_| missing())?;
        if !self.tasks.as_ref().is_some_and(|tasks| file.starts_with(tasks)) {
            return Err(Failure::unsupported("a file outside of the folder of tasks"));
        }
        let text = regular_file::read_text(&file, FILE_BYTES as u64).map_err(|_| missing())?;
        self.heap.limits.text(text.len())?;
        let text: Rc<str> = text.replace("\r\n", "\n").into();
        Ok(if name == "open" { Object::File(text) } else { Object::Str(text) })
    }
}
