//! The sensor key `antialiasing`: silhouettes blend as in MuJoCo's four samples, and nothing else changes.

use saccade::protocol::{Command, Reset};
use serde_json::{Value, json};

use crate::client::{AGENT, Client, Simulation, handle};
use crate::images::rgba;

/// A red cube of 0.2 m whose right edge crosses the middle of the pixels in column 8, before a black background.
fn cube(sensor: &str) -> String {
    format!(
        "compat = \"habitat\"\n[[agents]]\nid = \"{AGENT}\"\nkind = \"noop\"\nposition = [0, 0, 1]\n\
         [[agents.sensors]]\nid = \"patch\"\nresolution = [16, 16]\nsemantic = true\n{sensor}\n\
         [[objects]]\nname = \"box\"\nposition = [-0.5, 0, -0.5]\nscale = [0.55625, 2, 0.5]\ncolor = [0.8, 0.4, 0.2]\n"
    )
}

fn look(text: &str) -> Value {
    let modalities = ["depth", "rgba", "semantic", "semantic_3d", "percept"];
    let reply = Client::waiting_on(text).done(json!({"command": "reset", "modalities": modalities}));
    reply["observations"][AGENT]["patch"].clone()
}

#[test]
fn a_pixel_on_an_edge_has_a_share_of_both_colours_and_the_inside_keeps_its_own() {
    // At the cube's face, 1 m away, a pixel is 0.125 m wide, and the edge is at x = 0.05625.
    let smooth = rgba(&look(&cube("antialiasing = true")));
    let hard = rgba(&look(&cube("")));
    let cut = 8;
    for row in 0..16 {
        for column in (0..16).filter(|column| *column != cut) {
            assert_eq!(smooth.at(row, column), hard.at(row, column), "[{row}, {column}]");
        }
        // The edge passes 0.45 pixels into the column: two of the four samples are on the cube.
        assert_eq!((smooth.at(row, cut), hard.at(row, cut)), ([102, 51, 26, 255], [0, 0, 0, 255]), "[{row}]");
    }
    assert_eq!(smooth.at(8, 3), [204, 102, 51, 255]);
}

#[test]
fn nothing_but_colours_changes_and_they_do_not_by_default() {
    let (smooth, hard) = (look(&cube("antialiasing = true")), look(&cube("")));
    assert_eq!(look(&cube("antialiasing = false")), hard);
    let changed: Vec<&String> = smooth
        .as_object()
        .expect("a map")
        .iter()
        .filter(|(key, value)| hard[*key] != **value)
        .map(|(key, _)| key)
        .collect();
    assert_eq!(changed, ["center_rgba", "hsv", "rgba"]);
    assert_eq!(smooth["center_rgba"], smooth["rgba"][8][8]);
}

#[test]
fn the_rays_of_smoothed_pixels_count_when_a_long_look_asks_whether_to_go_on() {
    let questions = |key: &str| {
        let text = cube(&format!("modalities = [\"rgba\"]\n{key}")).replace("[16, 16]", "[800, 800]");
        let mut simulation = Simulation::on(&text);
        let mut asked = 0;
        let mut keep_going = || {
            asked += 1;
            true
        };
        // A step would find the frame of the first look.
        handle(&mut simulation.session, Command::Reset(Reset::default()), &mut keep_going).expect("nobody says no");
        asked
    };
    let (hard, smooth) = (questions(""), questions("antialiasing = true"));
    assert!(hard > 8 && smooth > 4 * hard, "{smooth} of {hard}");
}
