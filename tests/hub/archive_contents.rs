//! What is in archives is somebody else's: what leads outside, lies about its size or is no file is refused.

use super::{
    fetched_data::{FetchedData, ROWS},
    zip_file::{Member, zip},
};

/// A member beside which all is well.
fn rows() -> Member {
    Member::new("lambada/test.jsonl", ROWS)
}

#[test]
fn what_is_hostile_or_damaged_is_refused_whole() {
    let odd = |change: &dyn Fn(&mut Member)| {
        let mut member =
            Member::new("lambada/odd", "some text that is long enough, enough, enough");
        change(&mut member);
        member
    };
    let cases = [
        (Member::new("../evil", "x"), "leads outside"),
        (Member::new("lambada/../../../evil", "x"), "leads outside"),
        (Member::new("/tmp/evil", "x"), "leads outside"),
        (odd(&|member| member.mode = 0o120_777), "neither a file nor a folder"),
        (odd(&|member| member.mode = 0o060_644), "neither a file nor a folder"),
        (odd(&|member| member.flags = 1), "encrypted"),
        (odd(&|member| member.claimed_bytes = Some(1_000_000)), "size cannot be"),
        (odd(&|member| member.claimed_bytes = Some(5)), "longer than its header says"),
        (odd(&|member| member.claimed_bytes = Some(500)), "another than its header says"),
        (odd(&|member| member.has_other_crc = true), "another than its header says"),
        (Member::new("lambada/./test.jsonl", "x"), "a second time"),
    ];
    for (member, expected) in cases {
        for members in [[rows(), member.clone()], [member.clone(), rows()]] {
            let data = FetchedData::new(&members);
            let (code, _, stderr) = data.fetch();
            assert_eq!(code, Some(2), "{expected}");
            assert!(stderr.contains(expected), "{expected}: {stderr}");
            assert!(stderr.contains("nothing of it was unpacked"), "{stderr}");
            assert!(!data.place("lambada").exists(), "{expected}");
            let outside = [data.place("../evil"), data.place("evil"), data.place("../../evil")];
            assert!(!outside.iter().any(|place| place.exists()), "{expected}");
            assert!(!data.unfinished().iter().any(|name| name.contains("unpack")), "{expected}");
        }
    }
}

#[test]
fn a_file_that_is_no_archive_is_refused() {
    let whole = zip(&[rows()]);
    for bytes in
        [b"<html>".to_vec(), Vec::new(), whole[..whole.len() - 10].to_vec(), vec![b'P'; 5000]]
    {
        let data = FetchedData::of_bytes(&bytes);
        let (code, _, stderr) = data.fetch();
        assert_eq!(code, Some(2), "{} bytes", bytes.len());
        assert!(stderr.contains("no zip file that can be read"), "{stderr}");
        assert!(!data.place("lambada").exists());
    }
}

#[test]
fn folders_empty_files_and_what_macos_adds_are_no_trouble() {
    let folder = |name| Member { mode: 0o040_755, ..Member::stored(name, "") };
    let data = FetchedData::new(&[
        folder("lambada/"),
        folder("lambada/empty/"),
        rows(),
        Member::new("lambada/none.txt", ""),
        Member::new("__MACOSX/lambada/._test.jsonl", "x"),
    ]);
    let (code, _, stderr) = data.fetch();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(data.place("lambada/empty").is_dir() && data.place("lambada/none.txt").is_file());
    assert!(!data.place("__MACOSX").exists());
}
