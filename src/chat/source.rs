//! Finding the templates of a checkpoint. The only part of this module that reads files.

#![expect(clippy::disallowed_methods, reason = "templates lie in files")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{ChatError, NamedTemplate, TemplateChoice, TemplateSet};
use crate::regular_file::{self, MOST_SETTINGS_BYTES};

/// The template of a checkpoint on its own.
const DEFAULT_FILE: &str = "chat_template.jinja";
/// Further templates, each named like its file.
const ADDITIONAL_FOLDER: &str = "additional_chat_templates";
/// Where tokenizers keep theirs.
const TOKENIZER_FILE: &str = "tokenizer_config.json";
/// Where processors of multimodal models used to keep the template.
const PROCESSOR_FILE: &str = "chat_template.json";

/// All templates of a checkpoint. `from_tokenizer` are those of its `tokenizer_config.json`, with the
/// name `default` for one without a name; as in transformers they count only if there are no template
/// files, and the processor's old file only if there is nothing else. A checkpoint that is a file has
/// no others.
pub fn checkpoint_templates(
    folder: &Path,
    from_tokenizer: &[(String, String)],
) -> Result<TemplateSet, ChatError> {
    if folder.is_file() {
        let templates = from_tokenizer.iter();
        let templates = templates.map(|(name, text)| named(name, text.clone(), folder));
        return Ok(TemplateSet::new(templates.collect()));
    }
    let mut found = Vec::new();
    let default = folder.join(DEFAULT_FILE);
    if let Some(text) = read_optional(&default)? {
        found.push(named("default", text, &default));
    }
    for path in jinja_files(&folder.join(ADDITIONAL_FOLDER))? {
        if let (Some(name), Some(text)) = (path.file_stem(), read_optional(&path)?) {
            found.push(named(&name.to_string_lossy(), text, &path));
        }
    }
    if found.is_empty() {
        let file = folder.join(TOKENIZER_FILE);
        found.extend(from_tokenizer.iter().map(|(name, text)| named(name, text.clone(), &file)));
    }
    if found.is_empty() {
        let file = folder.join(PROCESSOR_FILE);
        found.extend(processor_template(&file)?.map(|text| named("default", text, &file)));
    }
    Ok(TemplateSet::new(found))
}

/// The template that a user wrote: the text of one, which has tags in it, or the path of a file.
/// `called` is what messages call a text; `find` says where a path leads.
pub fn own_template(
    written: &str,
    called: &str,
    find: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<TemplateChoice, ChatError> {
    if ["{{", "{%", "\n"].iter().any(|tag| written.contains(tag)) {
        let (name, source) = (called.to_owned(), written.to_owned());
        return Ok(TemplateChoice::Own { name, source, file: None });
    }
    let path = find(Path::new(written))
        .ok_or_else(|| ChatError::NotATemplate { written: written.to_owned() })?;
    let source = regular_file::read_text(&path, MOST_SETTINGS_BYTES)
        .map_err(|source| unreadable(&path, source))?;
    Ok(TemplateChoice::Own { name: path.display().to_string(), source, file: Some(path) })
}

fn named(name: &str, source: String, file: &Path) -> NamedTemplate {
    NamedTemplate { name: name.to_owned(), source, file: Some(file.to_owned()) }
}

/// Files in the order of their names, so that nothing depends on the file system.
fn jinja_files(folder: &Path) -> Result<Vec<PathBuf>, ChatError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(folder, error)),
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jinja"));
    paths.sort();
    Ok(paths)
}

fn processor_template(path: &Path) -> Result<Option<String>, ChatError> {
    let Some(text) = read_optional(path)? else { return Ok(None) };
    let malformed = |problem| ChatError::Malformed { path: path.to_owned(), problem };
    let json: Value = serde_json::from_str(&text)
        .map_err(|error| malformed(format!("this is not JSON: {error}")))?;
    match &json["chat_template"] {
        Value::String(template) => Ok(Some(template.clone())),
        _ => Err(malformed("expected an object with a text under `chat_template`".to_owned())),
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, ChatError> {
    match regular_file::read_text(path, MOST_SETTINGS_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, error)),
    }
}

fn unreadable(path: &Path, source: io::Error) -> ChatError {
    ChatError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: &TemplateSet) -> Vec<&str> {
        set.names().collect()
    }

    #[test]
    fn template_files_come_before_the_tokenizer_and_the_processor() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let config = [("default".to_owned(), "a".to_owned()), ("rag".to_owned(), "b".to_owned())];
        let read = |config: &[_]| checkpoint_templates(folder.path(), config);

        assert!(names(&read(&[]).unwrap()).is_empty());
        fs::write(path(PROCESSOR_FILE), r#"{"chat_template": "old"}"#).unwrap();
        assert_eq!(read(&[]).unwrap().get("default").unwrap().source, "old");
        assert_eq!(names(&read(&config).unwrap()), ["default", "rag"]);

        fs::create_dir(path(ADDITIONAL_FOLDER)).unwrap();
        fs::write(path(ADDITIONAL_FOLDER).join("tool_use.jinja"), "t").unwrap();
        fs::write(path(DEFAULT_FILE), "d").unwrap();
        let set = read(&config).unwrap();
        assert_eq!(names(&set), ["default", "tool_use"]);
        let tool_use = set.get("tool_use").unwrap();
        assert_eq!(tool_use.source, "t");
        assert!(tool_use.file.as_ref().unwrap().ends_with("tool_use.jinja"));
    }

    #[test]
    fn an_own_template_is_a_text_or_a_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("own.jinja"), "x").unwrap();
        let find = |path: &Path| Some(folder.path().join(path)).filter(|path| path.exists());
        let own = |written| own_template(written, "chat_template", find);
        let TemplateChoice::Own { name, file, .. } = own("{{ messages }}").unwrap() else {
            panic!("a text is the user's own");
        };
        assert_eq!((name.as_str(), file), ("chat_template", None));
        let TemplateChoice::Own { source, file, .. } = own("own.jinja").unwrap() else {
            panic!("a file is the user's own");
        };
        assert!(source == "x" && file.unwrap().ends_with("own.jinja"));
        assert!(own("gone.jinja").unwrap_err().to_string().contains("neither a file"));
    }

    #[test]
    fn a_broken_processor_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PROCESSOR_FILE), "[1]").unwrap();
        let error = checkpoint_templates(folder.path(), &[]).unwrap_err().to_string();
        assert!(error.contains(PROCESSOR_FILE) && error.contains("`chat_template`"), "{error}");
    }
}
