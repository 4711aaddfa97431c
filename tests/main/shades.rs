//! Colours against an obvious shader: in f64, one pixel after the other, with the oracle's normals and a picture in halves.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use saccade::assets::{Image, InMemory, Mesh};
use saccade::math::{Pose, Vector};
use saccade::protocol::Modalities;
use saccade::sensor::{Camera, ClipPlanes, Hit, Rectangle, Scene, Seen, View};
use saccade::world::{Object, Shape, Stock, World, file, place};

use crate::ball::{ball, folder};

/// What one pixel's ray meets.
struct Shaded<'w> {
    scene: Scene<'w>,
    object: &'w Object,
    from: Pose,
    seen: Seen,
    ray: Vector,
    depth_m: f64,
    /// To the rays of the right and the lower neighbour.
    steps: [Vector; 2],
}

type Color = [f64; 3];

impl Shaded<'_> {
    /// From 0 to 255.
    fn color(&self) -> Color {
        let color = match &self.object.shape {
            Shape::Mesh(shape) => {
                let paint = self.picture(&shape.mesh, &shape.scale);
                let lit = self.light_between_corners(&shape.mesh, &shape.scale);
                paint.map(|part| part * lit)
            }
            _ => {
                let hit = Hit { depth_m: self.depth_m, object: self.seen.object, triangle: self.seen.triangle };
                let (diffuse, specular) = self.light(self.scene.normal(self.ray, &hit), self.from.rotation * self.ray);
                self.object.spec.color.map(|part| part * diffuse + specular)
            }
        };
        color.map(|part| 255.0 * part.clamp(0.0, 1.0))
    }

    /// Diffuse and specular, where something with a normal is seen along a ray, in the world's frame.
    fn light(&self, normal: Vector, ray: Vector) -> (f64, f64) {
        let (light, eye) = (Vector::z(), -ray.normalize());
        let facing = normal.dot(&light).max(0.0);
        let half = normal.dot(&(light + eye).normalize());
        let specular = if facing > 0.0 && half > 0.0 { 0.05 * half.powi(64) } else { 0.0 };
        (0.5 + 0.6 * facing, specular)
    }

    /// As OpenGL lights a mesh: its corners, and between them what lies between.
    fn light_between_corners(&self, mesh: &Mesh, scale: &Vector) -> f64 {
        let normals = mesh.surfaces[self.seen.triangle].normals.expect("the ball has normals");
        let corners = mesh.corners(self.seen.triangle);
        let spec = &self.object.spec;
        let shares = self.shares(mesh, scale, self.ray);
        let lit = [0, 1, 2].map(|corner| {
            let point = spec.position + spec.rotation.rotate(corners[corner].component_mul(scale));
            let normal = Vector::from(normals[corner].map(f64::from)).component_div(scale).normalize();
            let (diffuse, specular) = self.light(spec.rotation.rotate(normal), point - self.from.translation.vector);
            shares[corner] * (diffuse + specular)
        });
        lit.iter().sum()
    }

    fn picture(&self, mesh: &Mesh, scale: &Vector) -> Color {
        let texture = mesh.material(self.seen.triangle).texture.as_ref().expect("the ball has a picture");
        let image = texture.image();
        let here = self.uv(mesh, scale, self.ray);
        let sides = [image.width, image.height].map(f64::from);
        let longest = self.steps.iter().flat_map(|step| {
            // A step so small that it is the derivative.
            let there = self.uv(mesh, scale, self.ray + step * 1e-4);
            [0, 1].map(|axis| ((there[axis] - here[axis]) * 1e4 * sides[axis]).abs())
        });
        let level = longest.fold(1.0, f64::max).log2().min(sides[0].log2());
        let halved = |level: f64| (0..level as u32).fold(Image::clone(image), |image, _| half(&image));
        let (near, far) = (sample(&halved(level), here), sample(&halved(level + 1.0), here));
        [0, 1, 2].map(|part| near[part] + (far[part] - near[part]) * level.fract())
    }

    fn uv(&self, mesh: &Mesh, scale: &Vector, ray: Vector) -> [f64; 2] {
        let shares = self.shares(mesh, scale, ray);
        let uv = mesh.surfaces[self.seen.triangle].uv.expect("the ball has a picture");
        [0, 1].map(|axis| (0..3).map(|corner| shares[corner] * f64::from(uv[corner][axis])).sum())
    }

    /// How near to each corner a ray meets the triangle's plane.
    fn shares(&self, mesh: &Mesh, scale: &Vector, ray: Vector) -> [f64; 3] {
        let own = self.object.spec.rotation.unit().inverse();
        let origin = (own * (self.from.translation.vector - self.object.spec.position)).component_div(scale);
        let direction = (own * (self.from.rotation * ray)).component_div(scale);
        let [a, b, c] = mesh.corners(self.seen.triangle).map(|corner| *corner);
        let normal = (b - a).cross(&(c - a));
        let point = origin + direction * ((a - origin).dot(&normal) / direction.dot(&normal));
        let share = |from: Vector, to: Vector| (to - from).cross(&(point - from)).dot(&normal) / normal.norm_squared();
        [share(b, c), share(c, a), share(a, b)]
    }
}

fn half(image: &Image) -> Image {
    let [width, height] = [image.width, image.height].map(|side| (side / 2).max(1));
    if image.texels.len() == 1 {
        return image.clone();
    }
    let texel = |x: u32, y: u32| image.texels[(y * image.width + x) as usize].map(u32::from);
    let mean = |x: u32, y: u32| {
        let four = [texel(2 * x, 2 * y), texel(2 * x + 1, 2 * y), texel(2 * x, 2 * y + 1), texel(2 * x + 1, 2 * y + 1)];
        [0, 1, 2, 3].map(|part| ((four.map(|texel| texel[part]).iter().sum::<u32>() + 2) / 4) as u8)
    };
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect();
    Image { width, height, texels }
}

/// Between four texels of a picture that repeats.
fn sample(image: &Image, [u, v]: [f64; 2]) -> Color {
    let (x, y) = (u * f64::from(image.width) - 0.5, v * f64::from(image.height) - 0.5);
    let texel = |right: f64, down: f64| {
        let at = |place: f64, side: u32| (place.floor() as i64).rem_euclid(i64::from(side)) as u32;
        image.texels[(at(y + down, image.height) * image.width + at(x + right, image.width)) as usize]
    };
    let (right, down) = (x - x.floor(), y - y.floor());
    [0, 1, 2].map(|part| {
        let of = |x: f64, y: f64| f64::from(texel(x, y)[part]) / 255.0;
        let row = |y: f64| of(0.0, y) * (1.0 - right) + of(1.0, y) * right;
        row(0.0) * (1.0 - down) + row(1.0) * down
    })
}

fn world(text: &str, source: InMemory) -> World {
    let source = Arc::new(source);
    let file = Arc::new(file::parse(text, &*source).unwrap_or_else(|problems| panic!("{problems:?}\n{text}")));
    let objects = place(&file.objects, &file.compat, &mut Stock::new(source, file.data.as_ref()));
    World::new(file, 0, 0, objects.expect("the test's objects can be had"), false)
}

/// How far all pixels of a view are from the obvious colours, in parts of 255: for each pixel that sees something, the farthest.
fn distances(name: &str, distance: f64, zoom: f64, angles: [f64; 3]) -> Vec<f64> {
    let text = format!(
        "compat = \"mujoco\"\ndata = {{ root = \"{}\" }}\n[[agents]]\nid = \"a\"\nkind = \"free\"\n\
         position = [0.003, 0.001, {distance}]\n[[agents.sensors]]\nid = \"patch\"\nresolution = [32, 32]\nzoom = {zoom}\n\
         [[objects]]\nname = \"{name}\"\nrotation_deg = {angles:?}\nscale = {}\n",
        folder().root,
        match name {
            "ball" => "[1.0, 0.8, 1.1]".to_owned(),
            solid if solid.ends_with("Solid") => "0.5".to_owned(),
            _ => "0.05".to_owned(),
        }
    );
    let world = world(&text, ball(24, 12, 512));
    let agent = &world.agents()[0];
    let (sensor, planes) = (&agent.sensors()[0], ClipPlanes::of(&world));
    let view = View::new(&world, agent, sensor, &planes);
    let chosen = Modalities::from_word("rgba").expect("a known word");
    let found = view.render(chosen, &mut || true).expect("nobody says no").rgba;
    let all = Rectangle { columns: [0, 31], rows: [0, 31] };
    let visible = view.look(all, &mut || true).expect("nobody says no");
    let camera = Camera::new(sensor);
    let from = agent.world_from_camera(sensor, world.compat());
    let far = visible.pixels().filter_map(|(pixel, row, column)| {
        let (seen, depth_m) = visible.at(pixel)?;
        let (ray, steps) = (camera.ray(row as u32, column as u32), camera.steps());
        let scene = Scene::new(world.objects(), &from, planes.near_m);
        let object = &world.objects()[seen.object];
        let expected = Shaded { scene, object, from, seen, ray, depth_m, steps }.color();
        let parts = (0..3).map(|part| (f64::from(found[pixel][part]) - expected[part]).abs());
        Some(parts.fold(0.0, f64::max))
    });
    far.collect()
}

#[test]
fn colours_are_those_of_an_obvious_shader() {
    let mut turn = 0.0;
    for name in ["ball", "box", "sphere", "ellipsoid", "cylinder", "capsule", "coneSolid", "icosphereSolid"] {
        // Half a part is rounding alone. A picture may be one more off, since a triangle may have one level for all of its pixels.
        let most = if name == "ball" { 1.5 } else { 0.51 };
        let mut pixels = 0;
        for view in 0..12 {
            turn += 37.3;
            let (distance, zoom) = ([0.08, 0.12, 0.3, 1.0][view % 4], [1.0, 2.0, 5.0][view % 3]);
            let far = distances(name, distance, zoom, [turn, 1.7 * turn, 2.3 * turn]);
            assert!(far.iter().all(|distance| *distance < most), "{name}, view {view}: {far:?}");
            pixels += far.len();
        }
        assert!(pixels > 2000, "{name}: {pixels}");
    }
}

/// Triangles beside each other, each with something else on it: the chosen ones of `PATCHES`.
fn quilt(chosen: impl Iterator<Item = usize>) -> String {
    let mut text = "vn 0.3 0.1 1\nvn -0.2 0.4 2\nvn 0 -0.5 1\n".to_owned();
    for (corner, patch) in chosen.flat_map(|patch| [(0, patch), (1, patch), (2, patch)]) {
        let (x, y) = (0.01 * (patch % 4) as f64 - 0.02, 0.01 * (patch / 4) as f64 - 0.015);
        let [x, y, z] = [[x, y, 0.001], [x + 0.009, y, 0.004], [x, y + 0.009, -0.003]][corner];
        let color = if patch < 8 { "" } else { ["1 0.5 0", "0.2 1 0.3", "0 0 1"][corner] };
        writeln!(text, "v {x} {y} {z} {color}\nvt {} {}", 3.0 * x, 2.0 * y).expect("a string takes all");
        if corner == 2 {
            let material = ["picture", "paint", "nothing"][patch % 3];
            let [a, b, c] = [(-3, 1), (-2, 2), (-1, 3)].map(|(vertex, normal)| {
                let uv = if patch % 2 == 0 { vertex.to_string() } else { String::new() };
                let normal = if patch / 2 % 2 == 0 { format!("/{normal}") } else { String::new() };
                format!("{vertex}/{uv}{normal}")
            });
            writeln!(text, "usemtl {material}\nf {a} {b} {c}").expect("a string takes all");
        }
    }
    text
}

const PATCHES: usize = 12;

/// What each pixel of a sensor sees of an OBJ whose materials are a picture of so many texels a side, paint, and nothing; the
/// agent's, the sensor's and the object's keys are TOML.
fn colors_of(obj: String, side: u32, [agent, sensor, object]: [&str; 3]) -> Vec<Option<[u8; 4]>> {
    let mtl = "newmtl picture\nmap_Kd data/ball/texture_map.png\nnewmtl paint\nKd 0.9 0.2 0.4\nnewmtl nothing\n\
               newmtl grey\nKd 0.784313725 0.784313725 0.784313725\n";
    let mut files = ball(4, 4, side);
    files.0.insert("it.obj".to_owned(), format!("mtllib it.mtl\n{obj}").into_bytes());
    files.0.insert("it.mtl".to_owned(), mtl.as_bytes().to_vec());
    let text = format!(
        "[[agents]]\nid = \"a\"\nkind = \"free\"\n{agent}\n[[agents.sensors]]\nid = \"patch\"\n{sensor}\n\
         [[objects]]\nname = \"it\"\nfile = \"it.obj\"\n{object}\n"
    );
    let world = world(&text, files);
    let (agent, planes) = (&world.agents()[0], ClipPlanes::of(&world));
    let sensor = &agent.sensors()[0];
    let view = View::new(&world, agent, sensor, &planes);
    let chosen = Modalities::from_word("rgba").expect("a known word");
    let rgba = view.render(chosen, &mut || true).expect("nobody says no").rgba;
    let all = Rectangle { columns: [0, sensor.width as i32 - 1], rows: [0, sensor.height as i32 - 1] };
    let visible = view.look(all, &mut || true).expect("nobody says no");
    rgba.iter().enumerate().map(|(pixel, color)| visible.at(pixel).map(|_| *color)).collect()
}

#[test]
fn a_triangles_colours_depend_on_no_other_triangle() {
    let look = |obj| colors_of(obj, 64, ["position = [0.0, 0.0, 0.05]", "resolution = [48, 48]\nzoom = 2", ""]);
    let whole = look(quilt(0..PATCHES));
    for patch in 0..PATCHES {
        let alone = look(quilt(std::iter::once(patch)));
        let seen: Vec<usize> = (0..alone.len()).filter(|pixel| alone[*pixel].is_some()).collect();
        assert!(seen.len() > 20, "{patch}: {}", seen.len());
        assert!(seen.iter().all(|pixel| alone[*pixel] == whole[*pixel]), "{patch}");
    }
}

#[test]
fn whole_numbers_in_texture_coordinates_change_no_colour() {
    let look = |start: [i32; 2]| {
        // Eighths, which f32 still holds beside 2²⁰.
        let [u, v] = start.map(f64::from);
        let corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(|[x, y]| {
            let [s, t] = [x, y].map(|side| 0.5 + 0.375 * f64::from(side));
            format!("v {} {} 0\nvt {} {}\n", 0.01 * f64::from(x), 0.01 * f64::from(y), u + s, v + t)
        });
        let obj = format!("{}usemtl picture\nf 1/1 2/2 3/3 4/4\n", corners.concat());
        colors_of(obj, 64, ["position = [0.0, 0.0, 0.03]", "resolution = [32, 32]\nzoom = 2", ""])
    };
    let near = look([0, 0]);
    let colors: BTreeSet<[u8; 4]> = near.iter().flatten().copied().collect();
    assert!(colors.len() > 50, "{}", colors.len());
    for start in [[1, -1], [-7, 4], [1 << 20, -(1 << 20)]] {
        assert!(look(start) == near, "{start:?}");
    }
}

/// The bytes of Monty's MuJoCo, whose images of this triangle are even along rows; lit at each pixel, they were up to 226.
#[test]
fn a_triangle_is_lit_at_its_corners() {
    let obj = "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nvn 0.8 0 0.6\nvn -0.8 0 0.6\nvn 0 0 1\nusemtl grey\nf 1//1 2//2 3//3\n";
    let above_its_middle = "position = [0.0, -0.3333333333, 0.6]";
    let colors = colors_of(obj.to_owned(), 4, [above_its_middle, "resolution = [64, 64]\nzoom = 1", ""]);
    for (row, grey) in [(20, 193), (40, 184)] {
        let seen = &colors[64 * row + 8..64 * row + 56];
        assert!(seen.iter().all(|color| *color == Some([grey, grey, grey, 255])), "{row}: {seen:?}");
    }
}

/// Its corners see the picture from no distance or from many, and some pixels see more texels than they.
#[test]
fn a_triangle_that_passes_the_camera_has_colours() {
    let obj = "v -0.00042337170452810824 1.3333333730697632 -1.4742684364318848\n\
               v -0.00042337170452810824 0 0.4914228022098541\nv 0.00042337170452810824 -0.6666666865348816 0.4914228022098541\n\
               vt 0.5892438 0.4977\nvt 0.5867438 0.5027\nvt 0.5867438 0.4952\nusemtl picture\nf 1/1 2/2 3/3\n";
    for side in [4, 64, 512] {
        let around = "position = [0, 0, 0]\nrotation_deg = [0, 180, 0]";
        let turned =
            "rotation_deg = [34.633172187490004, 83.0819890107328, 171.81215461009373]\nscale = 6.474952711060245";
        let colors = colors_of(obj.to_owned(), side, [around, "resolution = [3, 3]", turned]);
        assert!(colors.iter().any(Option::is_some), "{side}: {colors:?}");
    }
}
