//! Methods of strings that go from letter to letter: `expandtabs` and `translate`.

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Key, Object},
};

impl Interpreter {
    /// A text with blanks in the place of tabs.
    pub(super) fn expand_tabs(&mut self, text: &str, size: usize) -> Eval<Object> {
        let mut out = String::new();
        let mut column = 0;
        for letter in text.chars() {
            match letter {
                '\t' if size > 0 => {
                    let blanks = size - column % size;
                    self.heap.limits.text(blanks)?;
                    out.push_str(&" ".repeat(blanks));
                    column += blanks;
                }
                '\t' => {}
                other => {
                    out.push(other);
                    column = if matches!(other, '\n' | '\r') { 0 } else { column + 1 };
                }
            }
        }
        self.heap.new_text(out)
    }

    /// `text.translate(table)`.
    pub(super) fn translate(&mut self, text: &str, arguments: Arguments) -> Eval<Object> {
        let [Object::Dict(table)] = arguments.exactly()? else {
            return Err(Failure::unsupported("translate() but with a dict"));
        };
        let mut out = String::new();
        for letter in text.chars() {
            let key = Key::Int(i64::from(u32::from(letter)));
            let entry = self.heap.dict(table).entries.get(&key);
            let before = out.len();
            match entry.map(|entry| &entry.value.object) {
                None => out.push(letter),
                Some(Object::None) => {}
                Some(Object::Str(other)) => out.push_str(other),
                Some(other) => {
                    let code = other.as_int().and_then(|code| u32::try_from(code).ok());
                    match code.and_then(char::from_u32) {
                        Some(other) => out.push(other),
                        None => {
                            return Err(Failure::type_error(
                                "character mapping must return integer, None or str",
                            ));
                        }
                    }
                }
            }
            self.heap.limits.text(out.len() - before)?;
        }
        self.heap.new_text(out)
    }
}
