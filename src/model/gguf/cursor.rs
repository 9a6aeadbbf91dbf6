//! Reading a file's bytes from front to back.

/// What is wrong with the bytes, and where.
#[derive(Debug)]
pub(super) struct Damage {
    /// Bytes before the place.
    place: usize,
    problem: String,
    /// What was being read.
    part: Option<String>,
    /// The file goes on where the bytes end that were read of it.
    unread: bool,
}

impl Damage {
    /// Whether there is no damage, but more of the file has to be read.
    pub(super) fn is_unread(&self) -> bool {
        self.unread
    }

    /// The damage lies within `part`, unless a smaller part was named before.
    pub(super) fn within(mut self, part: impl FnOnce() -> String) -> Self {
        self.part.get_or_insert_with(part);
        self
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, problem, part, .. } = self;
        write!(f, "damaged or incomplete at byte {place}")?;
        if let Some(part) = part {
            write!(f, ", in {part}")?;
        }
        write!(f, ": {problem}")
    }
}

/// A place in a file's bytes. Nothing is ever read, or room made for it, beyond their end.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    /// The first bytes of the file.
    bytes: &'a [u8],
    /// All that the file has.
    file_bytes: usize,
    place: usize,
}

impl<'a> Cursor<'a> {
    /// At the front of `bytes`, the first of a file of `file_bytes`.
    pub(super) fn new(bytes: &'a [u8], file_bytes: usize) -> Self {
        Self { bytes, file_bytes, place: 0 }
    }

    /// How many bytes were read.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// How many bytes follow.
    pub(super) fn left(&self) -> usize {
        self.file_bytes - self.place
    }

    /// A complaint about what begins here.
    pub(super) fn damage(&self, problem: impl Into<String>) -> Damage {
        Damage { place: self.place, problem: problem.into(), part: None, unread: false }
    }

    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Damage> {
        let Some(taken) = self.bytes[self.place..].get(..count) else {
            let left = self.left();
            let damage =
                self.damage(format!("{what} of {count} bytes, but the file ends after {left}"));
            return Err(Damage { unread: count <= left, ..damage });
        };
        self.place += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let taken = self.take(N, "a number")?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    /// The next four bytes as a number.
    pub(super) fn u32(&mut self) -> Result<u32, Damage> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next eight bytes as a number.
    pub(super) fn u64(&mut self) -> Result<u64, Damage> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next eight bytes as a count of things that take at least `least_bytes` each: never more of
    /// them than the rest of the file could hold.
    pub(super) fn count(&mut self, what: &str, least_bytes: usize) -> Result<usize, Damage> {
        let before = self.clone();
        let count = self.u64()?;
        match usize::try_from(count).ok().and_then(|count| count.checked_mul(least_bytes)) {
            Some(bytes) if bytes <= self.left() => Ok(count as usize),
            _ => {
                let left = self.left();
                Err(before.damage(format!("{count} {what} do not fit into the {left} bytes left")))
            }
        }
    }

    /// The next text, which follows its length.
    pub(super) fn text(&mut self) -> Result<&'a str, Damage> {
        let length = self.count("bytes of text", 1)?;
        let before = self.clone();
        let bytes = self.take(length, "a text")?;
        std::str::from_utf8(bytes).map_err(|_| before.damage("text that is not UTF-8"))
    }
}
