//! Addresses: which host they mean, and where redirects lead.

/// Whether an address is one of this machine, which no proxy reaches.
pub(super) fn is_here(url: &str) -> bool {
    let host = origin(url).split_once("://").map_or("", |(_, host)| host);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name =
        host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// Scheme and host of an address.
pub(super) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |colon| colon + 3);
    let end = url.get(host..).and_then(|rest| rest.find(['/', '?', '#']));
    url.get(..end.map_or(url.len(), |end| host + end)).unwrap_or(url)
}

/// Where a redirect leads.
pub(super) fn absolute(url: &str, location: &str) -> Option<String> {
    if location.starts_with("http://") || location.starts_with("https://") {
        return Some(location.to_owned());
    }
    if location.starts_with("//") {
        return url.split_once("//").map(|(scheme, _)| format!("{scheme}{location}"));
    }
    location.starts_with('/').then(|| format!("{}{location}", origin(url)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_read_and_hosts_are_told_apart() {
        let url = "https://hub.example/a/b?c=d";
        assert_eq!(origin(url), "https://hub.example");
        assert_eq!(origin("http://127.0.0.1:80"), "http://127.0.0.1:80");
        assert_eq!(absolute(url, "/x?y").as_deref(), Some("https://hub.example/x?y"));
        assert_eq!(absolute(url, "//cdn/x").as_deref(), Some("https://cdn/x"));
        assert_eq!(absolute(url, "http://cdn/x").as_deref(), Some("http://cdn/x"));
        assert_eq!(absolute(url, "ftp://cdn/x"), None);
        for here in
            ["http://127.0.0.1:8080/x", "http://localhost", "http://[::1]", "http://[::1]:80"]
        {
            assert!(is_here(here), "{here}");
        }
        assert!(!is_here(url) && !is_here("https://localhost.example"));
        // A host that only begins like the hub is another one, and so is one with a user before it.
        assert_ne!(origin("https://hub.example.evil/a"), origin(url));
        assert_ne!(origin("https://hub.example@evil/a"), origin(url));
    }
}
