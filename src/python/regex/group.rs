//! What a `(` may open.

use super::translation::{Scope, Translation};

impl Translation {
    /// Translates the opening of a group whose `(` has been taken.
    pub(super) fn open_group(&mut self) -> Result<(), String> {
        if !self.take_if("?") {
            // `(*` would start a backtracking verb; Python has nothing to repeat there.
            if self.peek() == Some('*') {
                return Err("nothing to repeat".to_owned());
            }
            self.open("(");
            return Ok(());
        }
        for assertion in [":", "=", "!", "<=", "<!", ">"] {
            if self.take_if(assertion) {
                self.open(&format!("(?{assertion}"));
                return Ok(());
            }
        }
        match self.take() {
            Some('P') => self.named(),
            Some('#') => self.comment(),
            Some('(') => self.condition(),
            Some(flag) if flag == '-' || flag.is_ascii_alphabetic() => {
                self.next -= 1;
                self.flags()
            }
            other => {
                Err(format!("unknown extension ?{}", other.map(String::from).unwrap_or_default()))
            }
        }
    }

    fn open(&mut self, opening: &str) {
        self.scopes.push(self.scope());
        self.output.push_str(opening);
    }

    fn named(&mut self) -> Result<(), String> {
        if self.take_if("<") {
            let name = self.name('>')?;
            self.open(&format!("(?P<{name}>"));
        } else if self.take_if("=") {
            let name = self.name(')')?;
            self.emit(&format!("(?P={name})"));
        } else {
            return Err("unknown extension ?P".to_owned());
        }
        Ok(())
    }

    fn name(&mut self, end: char) -> Result<String, String> {
        let name = self.take_while(usize::MAX, |c| c.is_alphanumeric() || c == '_');
        if name.is_empty() || self.take() != Some(end) {
            return Err(format!("bad group name, or missing {end} after it"));
        }
        Ok(name)
    }

    fn comment(&mut self) -> Result<(), String> {
        while let Some(character) = self.take() {
            if character == ')' {
                return Ok(());
            }
        }
        Err("missing ), unterminated comment".to_owned())
    }

    fn condition(&mut self) -> Result<(), String> {
        let name = self.name(')')?;
        if name.chars().all(|c| c.is_ascii_digit()) {
            self.open(&format!("(?({name})"));
        } else {
            self.open(&format!("(?(<{name}>)"));
        }
        Ok(())
    }

    /// `(?flags)` for the whole pattern, or `(?flags-flags:` for one group.
    fn flags(&mut self) -> Result<(), String> {
        let start = self.next == 2;
        let letters = self.take_while(usize::MAX, |c| c == '-' || c.is_ascii_alphabetic());
        let (on, off) = letters.split_once('-').unwrap_or((&letters, ""));
        if let Some(unknown) = on.chars().find(|c| !"imsux".contains(*c)) {
            return Err(format!("the flag {unknown} is not supported"));
        }
        if let Some(unknown) = off.chars().find(|c| !"imsx".contains(*c)) {
            return Err(format!("the flag -{unknown} is not supported"));
        }
        let outer = self.scope();
        let is_on = |flag, before| (before || on.contains(flag)) && !off.contains(flag);
        let scope =
            Scope { multiline: is_on('m', outer.multiline), verbose: is_on('x', outer.verbose) };
        // Verbose patterns are stripped here, and every pattern is Unicode.
        let passed = |flags: &str| flags.replace(['u', 'x'], "");
        let (on, off) = (passed(on), passed(off));
        let off = if off.is_empty() { off } else { format!("-{off}") };
        match self.take() {
            Some(':') => {
                self.emit(&format!("(?{on}{off}:"));
                self.scopes.push(scope);
                Ok(())
            }
            Some(')') if start && off.is_empty() => {
                if let Some(whole) = self.scopes.last_mut() {
                    *whole = scope;
                }
                if !on.is_empty() {
                    self.emit(&format!("(?{on})"));
                }
                Ok(())
            }
            Some(')') => Err("global flags must stand at the start of the pattern".to_owned()),
            _ => Err("missing : or ) after flags".to_owned()),
        }
    }
}
