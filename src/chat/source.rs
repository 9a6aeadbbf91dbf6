//! Finding the templates of a checkpoint. The only part of this module that reads files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{ChatError, TemplateSet};

/// The template of a checkpoint on its own.
const DEFAULT_FILE: &str = "chat_template.jinja";
/// Further templates, each named like its file.
const ADDITIONAL_FOLDER: &str = "additional_chat_templates";
/// Where processors of multimodal models used to keep the template.
const PROCESSOR_FILE: &str = "chat_template.json";

/// All templates of a checkpoint. `from_tokenizer` are those of its `tokenizer_config.json`, with the
/// name `default` for one without a name; as in transformers they count only if there are no template
/// files, and the processor's old file only if there is nothing else.
pub fn checkpoint_templates(
    folder: &Path,
    from_tokenizer: &[(String, String)],
) -> Result<TemplateSet, ChatError> {
    let mut files = Vec::new();
    if let Some(text) = read_optional(&folder.join(DEFAULT_FILE))? {
        files.push(("default".to_owned(), text));
    }
    for path in jinja_files(&folder.join(ADDITIONAL_FOLDER))? {
        if let (Some(name), Some(text)) = (path.file_stem(), read_optional(&path)?) {
            files.push((name.to_string_lossy().into_owned(), text));
        }
    }
    if files.is_empty() {
        files.extend_from_slice(from_tokenizer);
    }
    if files.is_empty() {
        files.extend(processor_template(&folder.join(PROCESSOR_FILE))?);
    }
    Ok(TemplateSet::new(files))
}

/// The text of a user's own template file.
pub fn read_template(path: &Path) -> Result<String, ChatError> {
    fs::read_to_string(path).map_err(|source| unreadable(path, source))
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

fn processor_template(path: &Path) -> Result<Option<(String, String)>, ChatError> {
    let Some(text) = read_optional(path)? else { return Ok(None) };
    let malformed = |problem| ChatError::Malformed { path: path.to_owned(), problem };
    let json: Value = serde_json::from_str(&text)
        .map_err(|error| malformed(format!("this is not JSON: {error}")))?;
    match &json["chat_template"] {
        Value::String(template) => Ok(Some(("default".to_owned(), template.clone()))),
        _ => Err(malformed("expected an object with a text under `chat_template`".to_owned())),
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, ChatError> {
    match fs::read_to_string(path) {
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
        assert_eq!(read(&[]).unwrap().get("default"), Some("old"));
        assert_eq!(names(&read(&config).unwrap()), ["default", "rag"]);

        fs::create_dir(path(ADDITIONAL_FOLDER)).unwrap();
        fs::write(path(ADDITIONAL_FOLDER).join("tool_use.jinja"), "t").unwrap();
        fs::write(path(DEFAULT_FILE), "d").unwrap();
        let set = read(&config).unwrap();
        assert_eq!(names(&set), ["default", "tool_use"]);
        assert_eq!(set.get("tool_use"), Some("t"));
    }

    #[test]
    fn a_broken_processor_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PROCESSOR_FILE), "[1]").unwrap();
        let error = checkpoint_templates(folder.path(), &[]).unwrap_err().to_string();
        assert!(error.contains(PROCESSOR_FILE) && error.contains("`chat_template`"), "{error}");
    }
}
