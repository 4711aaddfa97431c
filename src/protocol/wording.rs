//! Words in messages: which known one was probably meant, how to list them, how to quote a client's.

/// The known word that is nearest to `word`, if it is near enough to be worth naming.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_COMPARED {
        return None;
    }
    let typed = lowered(word);
    let most = (typed.len() / 3).max(1).min(typed.len().saturating_sub(1));
    known
        .into_iter()
        .take(MOST_COMPARED)
        .filter(|k| k.len() <= LONGEST_COMPARED)
        .map(|k| (distance(&typed, &lowered(k)), k))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

/// `; did you mean x?`, or nothing.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |k| format!("; did you mean {k}?"))
}

/// The known words in a row, for a message; the rest of a long row is only counted.
pub fn listed<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known = known.into_iter();
    let words: Vec<&str> = known.by_ref().take(MOST_LISTED).collect();
    match (words.len(), known.count()) {
        (0, _) => "none".into(),
        (_, 0) => words.join(", "),
        (_, more) => format!("{}, and {more} more", words.join(", ")),
    }
}

/// A client's text as an error quotes it: its beginning, if it is long.
pub fn shown(text: &str) -> String {
    const MOST_CHARACTERS: usize = 60;
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A message must stay readable.
const MOST_LISTED: usize = 40;

/// A hint is worth some milliseconds, and no more.
const MOST_COMPARED: usize = 4096;

/// Names are at most 255 bytes; longer words are not mistyped ones.
const LONGEST_COMPARED: usize = 255;

fn lowered(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// Edits, of which a forgotten ending is one.
fn distance(typed: &[char], known: &[char]) -> usize {
    const SHORTEST_BEGINNING: usize = 4;
    let is_beginning = typed.len() >= SHORTEST_BEGINNING && known.starts_with(typed) && typed != known;
    if is_beginning { 1 } else { edits(typed, known) }
}

/// Levenshtein's distance, with a swap of two neighbours counted as one edit.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_word_finds_its_neighbour_and_a_strange_one_none() {
        let known = ["distant", "surface", "noop", "free"];
        assert_eq!(nearest("distnt", known), Some("distant"));
        assert_eq!(nearest("SURFACE", known), Some("surface"));
        assert_eq!(nearest("fere", known), Some("free"));
        assert_eq!(nearest("helicopter", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("b", ["a", "c"]), None);
        assert_eq!(nearest("rotations", ["positions", "rotations_deg"]), Some("rotations_deg"));
    }
}
