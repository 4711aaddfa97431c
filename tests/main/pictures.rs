//! `saccade render`: the pictures on disk are what the sensors saw.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use png::{BitDepth, ColorType, Decoder};
use saccade::world::SHIPPED_WORLDS;
use serde_json::{Value, json};

use crate::client::{AGENT, Client, bodies, numbered};
use crate::fixture::{in_repository, read_bytes};
use crate::images::{Image, depth, rgba, semantic};
use crate::program::{Ran, Scratch, finish, run, saccade};
use crate::requests::default_world;
use crate::ycb::TenObjects;

/// Red, green and blue of a picture's file.
fn decoded(path: impl AsRef<Path>) -> Image<[u8; 3]> {
    let file = read_bytes(&path);
    let mut reader = Decoder::new(Cursor::new(&file))
        .read_info()
        .unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()));
    let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
    let info = reader.next_frame(&mut pixels).expect("it has a picture");
    assert_eq!((info.color_type, info.bit_depth), (ColorType::Rgb, BitDepth::Eight));
    let [width, height] = [info.width, info.height].map(|side| usize::try_from(side).expect("small"));
    let (pixels, rest) = pixels.as_chunks::<3>();
    assert!(rest.is_empty());
    Image { width, height, pixels: pixels.to_vec() }
}

/// `saccade render` into a folder of its own.
struct Rendered {
    scratch: Scratch,
    ran: Ran,
}

fn render(args: &[&str]) -> Rendered {
    let scratch = Scratch::new();
    let out = scratch.path("pictures");
    let ran = finish(saccade(&[&["render"], args].concat()).arg("--out").arg(&out));
    Rendered { scratch, ran }
}

impl Rendered {
    fn folder(&self) -> PathBuf {
        self.scratch.path("pictures")
    }

    /// Its files, in the order of their names.
    fn files(&self) -> Vec<String> {
        let entries = self.folder().read_dir().expect("the folder was made");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("readable").file_name().display().to_string()).collect();
        names.sort_unstable();
        names
    }

    fn done(self) -> Self {
        assert_eq!((self.ran.code, self.ran.stderr.as_str()), (Some(0), ""));
        let told: Vec<&str> =
            self.ran.stdout_text().lines().map(|line| line.split("  ").next().expect("a path")).collect();
        let mut told: Vec<String> =
            told.iter().map(|path| Path::new(path).file_name().expect("a file").display().to_string()).collect();
        told.sort_unstable();
        assert_eq!(told, self.files(), "each file's path is told");
        self
    }

    fn picture(&self, name: &str) -> Image<[u8; 3]> {
        decoded(self.folder().join(name))
    }

    /// That the sensor's pictures show its images.
    fn shows(&self, stem: &str, sensor: &Value) {
        let seen = rgba(sensor);
        let picture = self.picture(&format!("{stem}_rgba.png"));
        assert_eq!(picture.size(), seen.size());
        assert!(picture.pixels.iter().zip(&seen.pixels).all(|(a, b)| a[..] == b[..3]), "{stem}: the colours");
        self.shows_depth(stem, &depth(sensor), &seen);
        if sensor.get("semantic").is_some() {
            self.shows_ids(stem, &semantic(sensor));
        }
    }

    /// Near is bright, a miss is no grey.
    fn shows_depth(&self, stem: &str, seen: &Image<f32>, rgba: &Image<[u8; 4]>) {
        let picture = self.picture(&format!("{stem}_depth.png"));
        assert_eq!(picture.size(), seen.size());
        let is_grey = |pixel: &[u8; 3]| pixel[0] == pixel[1] && pixel[1] == pixel[2];
        let mut greys: Vec<(f32, u8)> = Vec::new();
        for ((pixel, depth_m), colour) in picture.pixels.iter().zip(&seen.pixels).zip(&rgba.pixels) {
            let is_miss = *colour == [0, 0, 0, 255];
            assert_eq!(is_grey(pixel), !is_miss, "{stem}: {pixel:?} at {depth_m} m");
            greys.extend((!is_miss).then_some((*depth_m, pixel[0])));
        }
        greys.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        assert!(greys.is_sorted_by(|a, b| a.1 >= b.1), "{stem}: the nearer is not darker");
    }

    /// A colour for each id, black for the background.
    fn shows_ids(&self, stem: &str, seen: &Image<u32>) {
        let picture = self.picture(&format!("{stem}_semantic.png"));
        assert_eq!(picture.size(), seen.size());
        let mut pairs: Vec<(u32, [u8; 3])> = seen.pixels.iter().copied().zip(picture.pixels).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let (ids, colours): (Vec<u32>, Vec<[u8; 3]>) = pairs.iter().copied().unzip();
        assert!(ids.is_sorted_by(|a, b| a < b), "{stem}: each id has one colour: {pairs:?}");
        assert!(
            colours.iter().enumerate().all(|(n, c)| !colours[..n].contains(c)),
            "{stem}: no two share it: {pairs:?}"
        );
        assert!(pairs.iter().all(|(id, colour)| (*id == 0) == (*colour == [0; 3])), "{stem}: {pairs:?}");
    }
}

/// What a world's sensors see after these requests.
fn seen_after(world_text: &str, requests: &[Value]) -> Value {
    let mut client = Client::waiting_on(world_text);
    requests.iter().map(|request| client.done(request.clone())).last().expect("a request")
}

fn step(actions: Value) -> Value {
    json!({"command": "step", "actions": actions})
}

#[test]
fn every_shipped_world_has_a_picture_of_each_sensor_and_image_and_a_sheet_of_all() {
    let objects = TenObjects::new();
    for shipped in SHIPPED_WORLDS {
        let rendered = render(&[shipped.name, "--data", &objects.folder()]).done();
        let reply = Client::with_source(shipped.text, objects.source()).done(json!({"command": "reset"}));
        let mut expected = vec!["sheet.png".to_owned()];
        for agent in &objects.world(shipped).agents {
            for sensor in &agent.sensors {
                let stem = format!("{}_{}", agent.id.as_str(), sensor.id.as_str());
                rendered.shows(&stem, &reply["observations"][agent.id.as_str()][sensor.id.as_str()]);
                let words = ["rgba", "depth", "semantic"].iter().take(if sensor.semantic { 3 } else { 2 });
                expected.extend(words.map(|word| format!("{stem}_{word}.png")));
            }
        }
        expected.sort_unstable();
        assert_eq!(rendered.files(), expected, "{}", shipped.name);
        let sheet = rendered.picture("sheet.png");
        assert!(sheet.width > 2 * 256 && sheet.height > 2 * 256, "{}: {:?}", shipped.name, sheet.size());
        for line in rendered.ran.stdout_text().lines().filter(|line| line.contains("_depth.png")) {
            assert!(line.ends_with(" m") || line.ends_with("  nothing seen"), "the range of depth is told: {line}");
        }
    }
}

/// Lines of actions, and the same as requests.
fn lines_and_requests() -> (String, Vec<Value>) {
    let action = |word: &str, key: &str, amount: f64| json!({"action": word, "agent_id": AGENT, key: amount});
    let steps = [
        action("turn_left", "rotation_degrees", 5.0),
        json!([action("move_forward", "distance", -0.1), action("look_up", "rotation_degrees", 4.0)]),
        json!([]),
        action("turn_right", "rotation_degrees", 1.5),
    ];
    let lines: String = steps.iter().map(|step| format!("{step}\n\n")).collect();
    let as_list = |actions: &Value| if actions.is_array() { actions.clone() } else { json!([actions]) };
    (lines, steps.iter().map(|actions| step(as_list(actions))).collect())
}

#[test]
fn a_text_of_steps_is_played_before_the_pictures_are_taken() {
    let scratch = Scratch::new();
    let (lines, requests) = lines_and_requests();
    let path = scratch.file("steps.jsonl", lines);
    for (episode, args) in
        [(0, &["default", "--steps", &path][..]), (3, &["default", "--steps", &path, "--episode", "3"])]
    {
        let rendered = render(args).done();
        let reset = json!({"command": "reset", "episode": episode});
        let reply = seen_after(default_world(), &[vec![reset], requests.clone()].concat());
        for sensor in ["patch", "view_finder"] {
            rendered.shows(&format!("{AGENT}_{sensor}"), &reply["observations"][AGENT][sensor]);
        }
        assert!(rendered.ran.stdout_text().contains("step 4"), "{}", rendered.ran.stdout_text());
    }
}

#[test]
fn a_recorded_stream_of_requests_is_played_with_its_own_resets() {
    let scratch = Scratch::new();
    let (_, requests) = lines_and_requests();
    let mut all = [vec![json!({"command": "reset", "episode": 2, "sensor_ids": []})], requests].concat();
    let path = scratch.file("run.req.bin", numbered(&all));
    let rendered = render(&["default", "--steps", &path]).done();
    all[0]["sensor_ids"].take();
    let reply = seen_after(default_world(), &all);
    rendered.shows(&format!("{AGENT}_view_finder"), &reply["observations"][AGENT]["view_finder"]);
}

#[test]
fn a_strip_has_the_reset_and_every_nth_step_side_by_side() {
    let scratch = Scratch::new();
    let turn = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 2});
    let path = scratch.file("steps.jsonl", format!("{turn}\n").repeat(8));
    let width = |every: &str| {
        let rendered = render(&["default", "--steps", &path, "--strip", every]).done();
        assert!(rendered.files().contains(&"strip.png".to_owned()));
        rendered.picture("strip.png").width
    };
    let [nine, five, three] = ["1", "2", "4"].map(width);
    // Pictures of 128 pixels with a gap between them.
    assert!(nine > 9 * 128 && nine < 9 * 160, "{nine}");
    assert_eq!(nine - five, 2 * (five - three));
    assert!(!render(&["default"]).files().contains(&"strip.png".to_owned()));
}

#[test]
fn a_bad_line_of_steps_is_refused_by_file_and_line_before_a_picture_is_written() {
    let scratch = Scratch::new();
    let good = json!({"action": "turn_left", "agent_id": AGENT, "rotation_degrees": 2}).to_string();
    for (bad, words) in [
        ("{nonsense", &["not JSON"][..]),
        ("{\"action\": \"turn_leftt\", \"agent_id\": \"agent_id_0\"}", &["turn_leftt", "did you mean turn_left?"]),
        ("{\"action\": \"turn_left\", \"agent_id\": \"agent_id_0\"}", &["rotation_degrees"]),
        ("{\"action\": \"turn_left\", \"agent_id\": \"agent_1\", \"rotation_degrees\": 1}", &["agent_1"]),
        ("{\"action\": \"set_yaw\", \"agent_id\": \"agent_id_0\", \"rotation_degrees\": 1}", &["set_yaw"]),
        ("7", &["7"]),
    ] {
        let path = scratch.file("steps.jsonl", format!("{good}\n\n{bad}\n{good}\n"));
        let Rendered { scratch: out, ran } = render(&["default", "--steps", &path]);
        assert_eq!((ran.code, ran.stdout.len(), ran.stderr.lines().count()), (Some(2), 0, 1), "{bad}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("{path}:3: ")), "{bad}: {}", ran.stderr);
        assert!(words.iter().all(|word| ran.stderr.contains(word)), "{bad}: {}", ran.stderr);
        assert!(!out.path("pictures").exists(), "{bad}");
    }
}

#[test]
fn what_cannot_be_rendered_is_told() {
    let scratch = Scratch::new();
    let file = scratch.file("file", "");
    for (args, code, word) in [
        (&["render", "default", "--steps", "/nowhere.jsonl"][..], 2, "/nowhere.jsonl"),
        (&["render", "two_objects", "--episode", "1"], 2, "episodes"),
        (&["render", "default", "--out", &file], 1, "--out"),
        (&["render", "nowhere.toml"], 2, "nowhere.toml"),
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.stdout.len()), (Some(code), 0), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn the_same_view_gives_the_same_files_byte_for_byte() {
    let rendered = ["five_patches", "five_patches"].map(|name| render(&[name]).done());
    for name in rendered[0].files() {
        let [a, b] = [0, 1].map(|n| read_bytes(rendered[n].folder().join(&name)));
        assert!(a == b, "{name}");
    }
}

#[test]
fn the_demo_writes_one_sheet_and_tells_where() {
    let scratch = Scratch::new();
    let ran = finish(saccade(&["demo"]).env("TMPDIR", scratch.path(".")));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let path = ran.stdout_text().lines().find_map(|line| line.split_whitespace().find(|word| word.ends_with(".png")));
    let sheet = decoded(path.unwrap_or_else(|| panic!("no path in {}", ran.stdout_text())));
    assert!(sheet.width > 2 * 256 && sheet.height > 2 * 256, "{:?}", sheet.size());
    // The mug is in view of both sensors: the sheet holds the colour of its centre.
    let stream = read_bytes(in_repository("captures/demo.req.bin"));
    let mut client = Client::waiting_on(default_world());
    let replies: Vec<Value> = bodies(&stream).into_iter().map(|body| client.send(body)).collect();
    let last = replies.iter().rfind(|reply| reply.get("observations").is_some()).expect("a step");
    for sensor in ["patch", "view_finder"] {
        let centre = rgba(&last["observations"][AGENT][sensor]).at(32, 32);
        assert!(sheet.pixels.iter().any(|pixel| pixel[..] == centre[..3]), "{sensor}");
    }
}
