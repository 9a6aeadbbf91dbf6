//! Character classes: `[...]`.

use super::translation::{Escape, Translation};

/// One side of a class item.
enum Item {
    Character(char),
    Set(&'static str, bool),
}

impl Translation {
    /// Translates a class whose `[` has been taken.
    pub(super) fn class(&mut self) -> Result<(), String> {
        self.output.push('[');
        if self.take_if("^") {
            self.output.push('^');
        }
        let mut is_first = true;
        while is_first || !self.take_if("]") {
            is_first = false;
            match self.class_item()? {
                Item::Set(set, false) => self.output.push_str(set),
                Item::Set(set, true) => self.emit(&format!("[^{set}]")),
                Item::Character(low) => {
                    self.class_character(low);
                    if self.take_range_mark() {
                        self.class_range_end(low)?;
                    }
                }
            }
        }
        self.output.push(']');
        Ok(())
    }

    fn class_item(&mut self) -> Result<Item, String> {
        match self.take().ok_or("unterminated character set")? {
            '\\' => match self.escape(true)? {
                Escape::Literal(character) => Ok(Item::Character(character)),
                Escape::Set(set, negated) => Ok(Item::Set(set, negated)),
                Escape::Other(translated) => Err(format!("bad escape in a class: {translated}")),
            },
            other => Ok(Item::Character(other)),
        }
    }

    /// A `-` makes a range unless the class ends right after it.
    fn take_range_mark(&mut self) -> bool {
        let is_last = self.pattern.get(self.next + 1) == Some(&']');
        self.peek() == Some('-') && !is_last && self.take().is_some()
    }

    fn class_range_end(&mut self, low: char) -> Result<(), String> {
        match self.class_item()? {
            Item::Character(high) if low <= high => {
                self.output.push('-');
                self.class_character(high);
                Ok(())
            }
            Item::Character(high) => Err(format!("bad character range {low}-{high}")),
            Item::Set(..) => Err(format!("bad character range from {low}")),
        }
    }

    fn class_character(&mut self, character: char) {
        if matches!(character, '[' | ']' | '\\' | '^' | '-' | '&' | '~') {
            self.output.push('\\');
        }
        self.output.push(character);
    }
}
