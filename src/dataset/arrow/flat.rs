//! `FlatBuffers`, the notation of Arrow's messages: tables whose fields are found by their number. Every step is
//! checked, so that a damaged file is nothing worse than nothing.

/// Bytes that numbers are read from, the lowest first.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

/// A table: the message that it is in, and where it begins there.
pub(super) struct Table<'b> {
    bytes: Bytes<'b>,
    place: usize,
}

impl<'b> Bytes<'b> {
    /// The first bytes, which are then gone.
    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (own, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(own)
    }

    /// How long the next message is; nothing at the end of the stream.
    pub(super) fn message_length(&mut self) -> Option<usize> {
        let length = self.take(4)?;
        let length = if length == [0xff; 4] { self.take(4)? } else { length };
        usize::try_from(Bytes(length).unsigned(0, 4)?).ok().filter(|length| *length > 0)
    }

    /// A number of up to eight bytes.
    pub(super) fn unsigned(&self, place: usize, count: usize) -> Option<u64> {
        let bytes = self.0.get(place..place.checked_add(count)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The same with a sign.
    pub(super) fn signed(&self, place: usize, count: usize) -> Option<i64> {
        let unused = 64_u32.checked_sub(u32::try_from(count).ok()?.checked_mul(8)?)?;
        let number = self.unsigned(place, count)?.checked_shl(unused)?;
        Some(number.cast_signed() >> unused)
    }

    /// A bit.
    pub(super) fn bit(&self, place: usize) -> Option<bool> {
        Some(self.0.get(place / 8)? >> (place % 8) & 1 == 1)
    }

    /// The place that a place further on is said from.
    fn behind(&self, place: usize) -> Option<usize> {
        place.checked_add(usize::try_from(self.unsigned(place, 4)?).ok()?)
    }
}

impl<'b> Table<'b> {
    /// The table that a message is.
    pub(super) fn root(message: &'b [u8]) -> Option<Self> {
        let bytes = Bytes(message);
        Some(Self { bytes, place: bytes.behind(0)? })
    }

    /// Where a field stands; nothing if it is not there.
    fn field(&self, number: usize) -> Option<usize> {
        let back = self.bytes.signed(self.place, 4)?;
        let table = i64::try_from(self.place).ok()?.checked_sub(back)?;
        let table = usize::try_from(table).ok()?;
        let entry = 4 + 2 * number;
        if entry >= usize::try_from(self.bytes.unsigned(table, 2)?).ok()? {
            return None;
        }
        let offset = usize::try_from(self.bytes.unsigned(table.checked_add(entry)?, 2)?).ok()?;
        (offset > 0).then(|| self.place.checked_add(offset))?
    }

    /// A small number.
    pub(super) fn u8(&self, number: usize) -> Option<u8> {
        u8::try_from(self.bytes.unsigned(self.field(number)?, 1)?).ok()
    }

    /// A number of two bytes.
    pub(super) fn i16(&self, number: usize) -> Option<i16> {
        i16::try_from(self.bytes.signed(self.field(number)?, 2)?).ok()
    }

    /// A number of four bytes.
    pub(super) fn i32(&self, number: usize) -> Option<i32> {
        i32::try_from(self.bytes.signed(self.field(number)?, 4)?).ok()
    }

    /// A number of eight bytes.
    pub(super) fn i64(&self, number: usize) -> Option<i64> {
        self.bytes.signed(self.field(number)?, 8)
    }

    /// Another table.
    pub(super) fn table(&self, number: usize) -> Option<Self> {
        Some(Self { bytes: self.bytes, place: self.bytes.behind(self.field(number)?)? })
    }

    /// A text.
    pub(super) fn text(&self, number: usize) -> Option<&'b str> {
        let (count, start) = self.list(number)?;
        std::str::from_utf8(self.bytes.0.get(start..start.checked_add(count)?)?).ok()
    }

    /// Tables.
    pub(super) fn tables(&self, number: usize) -> Option<Vec<Self>> {
        let (count, start) = self.list(number)?;
        let table = |at: usize| {
            let place = self.bytes.behind(start.checked_add(4 * at)?)?;
            Some(Self { bytes: self.bytes, place })
        };
        (0..count).map(table).collect()
    }

    /// Pairs of numbers of eight bytes.
    pub(super) fn pairs(&self, number: usize) -> Option<Vec<(i64, i64)>> {
        let (count, start) = self.list(number)?;
        let pair = |at: usize| {
            let place = start.checked_add(16 * at)?;
            Some((self.bytes.signed(place, 8)?, self.bytes.signed(place.checked_add(8)?, 8)?))
        };
        (0..count).map(pair).collect()
    }

    /// How many things a list has, and where the first one stands.
    fn list(&self, number: usize) -> Option<(usize, usize)> {
        let place = self.bytes.behind(self.field(number)?)?;
        let count = usize::try_from(self.bytes.unsigned(place, 4)?).ok()?;
        Some((count, place.checked_add(4)?))
    }
}
