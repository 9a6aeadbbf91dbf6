//! Weights in formats that are not read, and how to come by some that are.

use std::path::{Path, PathBuf};

use crate::model::error::ModelError;

/// What a file that is not read is known by, and what to say of it.
struct Format {
    /// How its name begins.
    begins: &'static str,
    /// How its name ends.
    ends: &'static str,
    /// The rest of a sentence about it.
    what: &'static str,
    advice: fn(&Path) -> String,
}

/// The formats, the most telling names first.
const FORMATS: &[Format] = &[
    Format { begins: "pytorch_model", ends: ".bin.index.json", what: PICKLES, advice: by_loading },
    Format { begins: "pytorch_model", ends: ".bin", what: PICKLE, advice: by_loading },
    Format { begins: "consolidated", ends: ".pth", what: PICKLE, advice: from_meta },
    Format {
        begins: "consolidated",
        ends: ".safetensors",
        what: "has tensors under the names of its makers' own program, which are not known here",
        advice: by_fetching,
    },
    Format { begins: "", ends: ".bin", what: PICKLE, advice: by_loading },
    Format { begins: "", ends: ".pt", what: PICKLE, advice: by_loading },
    Format { begins: "", ends: ".pth", what: PICKLE, advice: by_loading },
    Format { begins: "", ends: ".ckpt", what: PICKLE, advice: by_loading },
    Format { begins: "tf_model", ends: ".h5", what: "is TensorFlow's", advice: by_fetching },
    Format { begins: "flax_model", ends: ".msgpack", what: "is Flax's", advice: by_fetching },
];

const PICKLE: &str = "is a pickle, which may run code of its own and is not read";
const PICKLES: &str = "lists pickles, which may run code of their own and are not read";

/// The refusal of the weights in `folder`, if they are in one of these formats.
pub(in crate::model) fn refusal(folder: &Path) -> Option<ModelError> {
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    FORMATS.iter().find_map(|format| {
        let is_it = |name: &&String| name.starts_with(format.begins) && name.ends_with(format.ends);
        let name = names.iter().filter(is_it).min()?;
        let path: PathBuf = folder.join(name);
        let what = format.what.to_owned();
        Some(ModelError::Foreign { path, what, advice: (format.advice)(folder) })
    })
}

fn by_loading(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "convert it once, with transformers: python -c \"from transformers import \
         AutoModelForCausalLM as M; M.from_pretrained('{folder}', \
         torch_dtype='auto').save_pretrained('{folder}')\", which puts model.safetensors beside it"
    )
}

fn from_meta(folder: &Path) -> String {
    format!(
        "{} holds a checkpoint as its makers' own program reads it; fetch the one in Hugging Face's \
         layout, with config.json and model.safetensors",
        folder.display()
    )
}

fn by_fetching(_: &Path) -> String {
    "fetch the checkpoint's model.safetensors instead".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_refused_with_its_file_and_a_way_out() {
        for (name, says) in [
            ("pytorch_model.bin", "save_pretrained"),
            ("pytorch_model-00001-of-00002.bin", "save_pretrained"),
            ("pytorch_model.bin.index.json", "pickles"),
            ("consolidated.00.pth", "Hugging Face's layout"),
            ("consolidated.safetensors", "model.safetensors"),
            ("weights.pt", "pickle"),
            ("tf_model.h5", "TensorFlow"),
            ("flax_model.msgpack", "Flax"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            assert!(refusal(folder.path()).is_none());
            std::fs::write(folder.path().join("README.md"), "").unwrap();
            std::fs::write(folder.path().join(name), "").unwrap();
            let message = refusal(folder.path()).unwrap().to_string();
            assert!(message.contains(name) && message.contains(says), "{message}");
        }
    }
}
