//! Whether a folder lies where SQLite's write-ahead log is safe.
//!
//! The log needs memory that all its processes share and locks that hold, and a file system over the
//! network gives neither. Elsewhere than on Linux the kind of a file system is not looked at.

use std::path::Path;

/// File systems over the network, by the number that `statfs` gives (statfs(2), linux/magic.h).
const NETWORK: &[(u32, &str)] = &[
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x5346_414f, "AFS"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x00c3_6400, "Ceph"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x0102_1997, "9P"),
    (0x6573_5546, "FUSE"),
];

/// Whether a folder lies on a file system over the network.
pub(super) fn is_network(folder: &Path) -> bool {
    kind(folder).and_then(network_name).is_some()
}

/// The name of a file system over the network.
fn network_name(kind: u32) -> Option<&'static str> {
    NETWORK.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
}

#[cfg(target_os = "linux")]
fn kind(folder: &Path) -> Option<u32> {
    rustix::fs::statfs(folder).ok().map(|found| found.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
fn kind(_: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xff53_4d42), Some("CIFS"));
        // ext4, tmpfs, overlayfs, xfs, btrfs
        for local in [0xef53, 0x0102_1994, 0x794c_7630, 0x5846_5342, 0x9123_683e] {
            assert_eq!(network_name(local), None);
        }
        assert!(!is_network(&std::env::temp_dir()));
    }
}
