//! File names out of ids, which may hold any character.

use saccade::protocol::{AgentId, SensorId};

/// Letters kept of an id: two of them and a modality stay far below the 255 bytes of a file's name.
const MOST_LETTERS: usize = 80;

/// `AGENT_SENSOR` for each sensor: letters, digits, `-` and `_` alone, and no two alike, in lower case either.
pub fn file_stems<'a>(sensors: impl IntoIterator<Item = (&'a AgentId, &'a SensorId)>) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for (agent, sensor) in sensors {
        let wanted = format!("{}_{}", safe(agent.as_str()), safe(sensor.as_str()));
        let stem = first_free(&wanted, &stems);
        stems.push(stem);
    }
    stems
}

fn safe(id: &str) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    id.chars().take(MOST_LETTERS).map(|letter| if is_safe(letter) { letter } else { '-' }).collect()
}

/// The name itself, or the first of `name-2`, `name-3`, … that no file has yet.
fn first_free(wanted: &str, taken: &[String]) -> String {
    let is_free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number: usize| format!("{wanted}-{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(sensors: &[(&str, &str)]) -> Vec<String> {
        let ids: Vec<(AgentId, SensorId)> = sensors.iter().map(|(a, s)| ((*a).into(), (*s).into())).collect();
        file_stems(ids.iter().map(|(agent, sensor)| (agent, sensor)))
    }

    #[test]
    fn plain_ids_are_kept() {
        assert_eq!(
            stems(&[("agent_id_0", "patch"), ("agent_id_0", "view_finder")]),
            ["agent_id_0_patch", "agent_id_0_view_finder"]
        );
    }

    #[test]
    fn no_id_leaves_the_folder_and_no_file_is_written_twice() {
        let odd =
            [("a", "../../etc/x"), ("a_b", "c"), ("a", "b_c"), ("A", "B_C"), ("a", "b/c-2"), ("", "目"), ("", "耳")];
        let expected = ["a_------etc-x", "a_b_c", "a_b_c-2", "A_B_C-3", "a_b-c-2", "_-", "_--2"];
        assert_eq!(stems(&odd), expected);
        assert!(stems(&[(&"n".repeat(255), &"é".repeat(127))])[0].len() < 200);
    }
}
