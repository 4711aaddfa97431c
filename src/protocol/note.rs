//! What people should hear and clients need not: a line for stderr that travels as data, since the core prints nothing.

/// One line for the person who watches stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub level: Level,
    pub text: String,
}

/// Who hears a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Everybody.
    Warning,
    /// Who asked for more, with `-v`.
    Detail,
}

impl Note {
    pub fn warning(text: impl Into<String>) -> Self {
        Self { level: Level::Warning, text: text.into() }
    }

    pub fn detail(text: impl Into<String>) -> Self {
        Self { level: Level::Detail, text: text.into() }
    }
}
