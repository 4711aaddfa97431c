//! Where the parts of plain JSON begin and end, found without an allocation. What is not plain (an escape, nesting deeper than
//! in ordinary requests, a mistake) is left to serde_json, which allocates for it and can say what is wrong.

/// Brackets that are open at once: a request, its list of actions, one of these, and a position in that; one to spare.
const MOST_NESTING: usize = 5;

/// A place in a text.
#[derive(Clone, Copy)]
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

/// Calls `take` with each key of an object and the text of its value. `None` if the text is not one plain object; some of it
/// may be taken then.
pub fn each_entry<'a>(text: &'a str, mut take: impl FnMut(&'a str, &'a str)) -> Option<()> {
    whole(text, |scan| {
        scan.list([b'{', b'}'], |scan| {
            let key = scan.key()?;
            take(key, scan.part(|scan| scan.value(1))?);
            Some(())
        })
    })
}

/// As `each_entry`, with each item of a list.
pub fn each_item<'a>(text: &'a str, mut take: impl FnMut(&'a str)) -> Option<()> {
    whole(text, |scan| {
        scan.list([b'[', b']'], |scan| {
            take(scan.part(|scan| scan.value(1))?);
            Some(())
        })
    })
}

fn whole<'a>(text: &'a str, read: impl FnOnce(&mut Scan<'a>) -> Option<()>) -> Option<()> {
    let mut scan = Scan { text, at: 0 };
    scan.skip_space();
    read(&mut scan)?;
    scan.skip_space();
    (scan.at == text.len()).then_some(())
}

impl<'a> Scan<'a> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) -> usize {
        let from = self.at;
        while self.next().is_some_and(&is_skipped) {
            self.at += 1;
        }
        self.at - from
    }

    fn skip_space(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// The text of what is read.
    fn part(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<&'a str> {
        let from = self.at;
        read(self)?;
        Some(&self.text[from..self.at])
    }

    /// Items between two brackets, up to the second one.
    fn list(&mut self, [open, close]: [u8; 2], mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(open)?;
        self.skip_space();
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_space();
            if self.take(close).is_some() {
                return Some(());
            }
            self.take(b',')?;
            self.skip_space();
        }
    }

    /// A key without its quotes, up to the value.
    fn key(&mut self) -> Option<&'a str> {
        let quoted = self.part(Self::string)?;
        self.skip_space();
        self.take(b':')?;
        self.skip_space();
        Some(&quoted[1..quoted.len() - 1])
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        self.skip(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
        self.take(b'"')
    }

    fn value(&mut self, open: usize) -> Option<()> {
        match self.next()? {
            b'{' | b'[' if open == MOST_NESTING => None,
            b'{' => self.list([b'{', b'}'], |scan| scan.key().and_then(|_| scan.value(open + 1))),
            b'[' => self.list([b'[', b']'], |scan| scan.value(open + 1)),
            b'"' => self.string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if self.take(b'e').or_else(|| self.take(b'E')).is_some() {
            let _ = self.take(b'-').or_else(|| self.take(b'+'));
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        (self.skip(|byte| byte.is_ascii_digit()) > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    fn is_plain(text: &str) -> bool {
        each_entry(text, |_, _| {}).or_else(|| each_item(text, |_| {})).is_some()
    }

    fn json() -> impl Strategy<Value = String> {
        let space = || prop_oneof![Just(""), Just(" "), Just("\n\t\r")];
        let leaf =
            prop_oneof!["true|false|null", "-?(0|[1-9][0-9]?)(\\.[0-9]{1,2})?([eE][+-]?[0-9])?", "\"[a-zé]{0,2}\""];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            let item = (space(), inner.clone(), space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
            let entry = (space(), "[a-c]", space(), item.clone())
                .prop_map(|(a, key, b, value)| format!("{a}\"{key}\"{b}:{value}"));
            prop_oneof![
                prop::collection::vec(item, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(entry, 0..4).prop_map(|entries| format!("{{{}}}", entries.join(","))),
            ]
        })
    }

    proptest! {
        #[test]
        fn of_shallow_json_without_escapes_each_list_and_object_is_plain_and_nothing_else_is(
            text in json(),
            broken in any::<prop::sample::Index>(),
            instead in "[\\[\\]{},:\"0-9.eE+ -]?",
        ) {
            let mut damaged: Vec<char> = text.chars().collect();
            let at = broken.index(damaged.len());
            damaged.splice(at..=at, instead.chars());
            for text in [text, damaged.into_iter().collect()] {
                let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
                let is_list_or_object = text.trim_start().starts_with(['{', '[']);
                prop_assert_eq!(is_plain(&text), is_json && is_list_or_object, "{}", text);
            }
        }
    }

    #[test]
    fn parts_are_found_without_the_space_around_them() {
        let mut entries = Vec::new();
        each_entry(" { \"a\" : [1, {}] ,\"b\":\"c\" } ", |key, value| entries.push((key, value))).expect("it is plain");
        assert_eq!(entries, [("a", "[1, {}]"), ("b", "\"c\"")]);
        let mut items = Vec::new();
        each_item("[ -1.5e3 , null,[ ] ]", |item| items.push(item)).expect("it is plain");
        assert_eq!(items, ["-1.5e3", "null", "[ ]"]);
    }

    #[test]
    fn escapes_control_characters_and_deep_nesting_are_left_to_serde() {
        for text in ["{\"\\u0061\":1}", "[\"\\n\"]", "[\"\n\"]", "[[[[[[]]]]]]", "[1] 2", "1", ""] {
            assert!(!is_plain(text), "{text:?}");
        }
        assert!(is_plain("[[[[[]]]]]"));
    }
}
