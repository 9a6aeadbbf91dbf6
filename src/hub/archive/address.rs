//! Where an archive is, and how it is known.

/// The ending of the only kind that is unpacked.
const ENDING: &str = ".zip";

/// Where an archive is, and how it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArchiveAddress {
    url: String,
    md5: String,
}

impl ArchiveAddress {
    /// The archive at an address, with the md5 that it must have; what is wrong with them otherwise.
    pub fn new(url: &str, md5: &str) -> Result<Self, String> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(format!("{url:?} is no address with http:// or https://"));
        }
        let is_md5 = md5.len() == 32 && md5.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_md5 {
            return Err(format!("{md5:?} is no md5, which has 32 hexadecimal digits"));
        }
        let archive = Self { url: url.to_owned(), md5: md5.to_ascii_lowercase() };
        let stem = archive.name().strip_suffix(ENDING).unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
        if stem.trim_matches('.').is_empty() || !stem.chars().all(is_plain) {
            return Err(format!("{url:?} does not end in the name of a {ENDING} file"));
        }
        Ok(archive)
    }

    /// Its file's name.
    pub fn name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// Its own address, whatever mirror there is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// In lower case.
    pub fn md5(&self) -> &str {
        &self.md5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "D41D8CD98F00B204E9800998ECF8427E";

    #[test]
    fn an_address_ends_in_the_name_of_a_file() {
        let archive = ArchiveAddress::new("http://a.example/b/SQuAD2.0.zip", MD5).unwrap();
        assert_eq!((archive.name(), archive.md5()), ("SQuAD2.0.zip", &*MD5.to_ascii_lowercase()));
        for (url, md5) in [
            ("a.example/x.zip", MD5),
            ("http://a.example/", MD5),
            ("http://a.example/..zip", MD5),
            ("http://a.example/.zip", MD5),
            ("http://a.example/x.tar", MD5),
            ("http://a.example/x.zip?a=b.zip", MD5),
            ("http://a.example/x\\y.zip", MD5),
            ("http://a.example/x.zip", "abc"),
        ] {
            assert!(ArchiveAddress::new(url, md5).is_err(), "{url} {md5}");
        }
    }
}
