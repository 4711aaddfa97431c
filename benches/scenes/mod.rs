//! What the benchmarks look at: shipped agents before a primitive, or before the ball as a mesh of many triangles.

mod ball;

use std::sync::Arc;

pub use ball::{ball, folder};

use saccade::assets::{Nowhere, Source};
use saccade::world::{WorldFile, file, shipped_world};

/// A world before its first reset, and its name in the table.
pub struct Scene {
    pub name: &'static str,
    pub file: Arc<WorldFile>,
    pub source: Arc<dyn Source>,
}

/// All have a patch of 64² that magnifies 10 times and a view finder, 20 cm before the object.
pub fn scenes() -> [Scene; 5] {
    let nothing: Arc<dyn Source> = Arc::new(Nowhere);
    let ball_16k: Arc<dyn Source> = Arc::new(ball(128, 64, 2048));
    let ball_250k: Arc<dyn Source> = Arc::new(ball(512, 245, 2048));
    [
        scene("the default world", shipped("default").into(), &nothing),
        scene("a mesh of 16 k triangles", before_ball(shipped("default")), &ball_16k),
        scene("a mesh of 250 k triangles", before_ball(shipped("default")), &ball_250k),
        scene("five patches, 16 k triangles", before_ball(shipped("five_patches")), &ball_16k),
        scene(
            "a view finder of 256², 16 k triangles",
            with_large_view_finder(&before_ball(shipped("default"))),
            &ball_16k,
        ),
    ]
}

fn scene(name: &'static str, text: String, source: &Arc<dyn Source>) -> Scene {
    let file = file::parse(&text, &**source).expect("the benchmark's world is right");
    Scene { name, file: Arc::new(file), source: Arc::clone(source) }
}

/// Steps to other directions within 2°, so many that no view comes back soon, and the last one back to the first.
pub fn turns() -> Vec<String> {
    let direction = |number: u32| 2.0 * (f64::from(number % 499) * 0.618_033_988_749_895).fract();
    let request = |number: u32| {
        let angle = direction(number + 1) - direction(number);
        format!(
            r#"{{"id":1,"command":"step","actions":[{{"action":"turn_left","agent_id":"agent_id_0","rotation_degrees":{angle:?}}}]}}"#
        )
    };
    (0..499).map(request).collect()
}

fn shipped(name: &str) -> &'static str {
    shipped_world(name).expect("it is shipped").text
}

/// A shipped world's agent before the ball, in place of its episodes. It is turned so that no plane of its grid lies along the
/// camera's rows.
fn before_ball(world: &str) -> String {
    let agent = world.split("[episodes]").next().expect("a text has a beginning");
    format!(
        "data = {{ layout = \"mujoco\", root = \"{}\" }}\n{agent}\n[[objects]]\nname = \"ball\"\nposition = [0, 1.5, 0]\n\
         rotation_deg = [20, 35, 0]\n",
        folder().root
    )
}

/// The view finder is the last sensor.
fn with_large_view_finder(world: &str) -> String {
    let (before, after) = world.rsplit_once("[64, 64]").expect("the view finder has a resolution");
    format!("{before}[256, 256]{after}")
}
