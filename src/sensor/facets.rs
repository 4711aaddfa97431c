//! The facets of a mesh's triangles, four at once: a lane for each.
//!
//! What is calculated apart stays apart in the program too: all in one, more numbers would go to memory and back than are
//! calculated.

use wide::{bytemuck, f32x4, i32x4};

use super::facet::{Change, Facet, Form, Paint, Picture};
use super::object_view::ObjectView;
use super::visible::Seen;
use crate::assets::{Detail, Mesh, Surface, Texture, dot, whole};

/// Of each triangle three numbers: x, y and z, or what x, y and 1 are multiplied with.
type Three = [f32x4; 3];

/// Four triangles as the camera sees them.
struct Corners {
    /// Planar, metres.
    depths: Three,
    /// For each corner, its weight times the nearness.
    weights: [Three; 3],
    /// The same of the nearness itself.
    nearness: Three,
    /// -1 where the back is seen, else 1.
    sides: f32x4,
}

/// Adds those of at most four triangles, named as `Visible` does. `steps` lead to a pixel's right neighbour along x, and to its lower along y; without
/// them, pictures are seen as from near.
pub fn add<'v>(
    facets: &mut Vec<Facet<'v>>,
    view: &'v ObjectView<'v>,
    mesh: &'v Mesh,
    seen: &[u64],
    steps: Option<[f64; 2]>,
) {
    let four = [0, 1, 2, 3].map(|lane: usize| Seen::unpacked(seen[lane.min(seen.len() - 1)]).triangle);
    let surfaces = four.map(|triangle| &mesh.surfaces[triangle]);
    let materials = four.map(|triangle| mesh.material(triangle));
    let corners = Corners::new(view, mesh, four);
    let normals = forms(corners.normals(view, surfaces));
    let paints = corners.paints(surfaces);
    let textures = [0, 1, 2, 3].map(|lane| surfaces[lane].uv.and(materials[lane].texture.as_ref()));
    let pictures = textures.iter().any(Option::is_some).then(|| corners.pictures(surfaces, textures, steps));
    for lane in 0..seen.len() {
        let color = materials[lane].color;
        let paint = match (&pictures, textures[lane]) {
            (Some(pictures), Some(texture)) => pictures.one(lane, texture, steps.is_some()),
            _ => Paint::Even,
        };
        let is_own = color.is_some() || textures[lane].is_some() || paints[lane].is_some();
        let color = if is_own { color.unwrap_or([1.0; 3]) } else { view.object.spec.color };
        facets.push(Facet::of_mesh(color, is_own, normals[lane], paint, paints[lane]));
    }
}

/// What lies on four triangles of their textures.
struct Pictures {
    /// (u, v, u, v), times the nearness: what x, y and 1 are multiplied with.
    uv: [[f32x4; 4]; 3],
    /// Of the corners, (u, v, u, v).
    ends: [[f32x4; 4]; 2],
    texels: [f32x4; 4],
    nearness: [f32x4; 4],
    /// How long a pixel is in texels, of the corners where it is shortest and where it is longest.
    least: [f32; 4],
    most: [f32; 4],
}

impl Pictures {
    #[inline(always)]
    fn one<'v>(&self, lane: usize, texture: &'v Texture, is_smooth: bool) -> Paint<'v> {
        let change = Change { texels: self.texels[lane], nearness: self.nearness[lane] };
        let detail = match is_smooth {
            true => common(self.least[lane], self.most[lane]).map(|texels| texture.detail(texels)),
            false => Some(Detail::default()),
        };
        let (uv, ends) = (self.uv.each_ref().map(|part| part[lane]), [self.ends[0][lane], self.ends[1][lane]]);
        match detail.map(|detail| texture.level(detail)) {
            Some(level) if level.holds(ends) => Paint::Inside(Form(uv.map(|part| part * level.sizes())), level),
            _ => Paint::Picture(Picture { texture, uv: Form(uv), change, detail }),
        }
    }
}

impl Corners {
    #[inline(never)]
    fn new(view: &ObjectView, mesh: &Mesh, triangles: [usize; 4]) -> Self {
        // In f64 up to here, so that edges keep their digits however far they are.
        let edges = triangles.map(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            let [a, ab, ac] = [a - view.camera, b - a, c - a];
            [a.x, a.y, a.z, ab.x, ab.y, ab.z, ac.x, ac.y, ac.z].map(|part| part as f32)
        });
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = lanes(edges);
        let [a, ab, ac] = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]].map(|edge| view.turn.of(edge));
        let (normal, beside_ab, beside_ac) = (cross(ab, ac), cross(a, ab), cross(a, ac));
        let side = dot(&normal, &a);
        let inverse = -f32x4::ONE / side;
        let of_a = [0, 1, 2].map(|axis| beside_ab[axis] - beside_ac[axis] - normal[axis]);
        let scaled = |three: Three| three.map(|part| part * inverse);
        let weights = [of_a, beside_ac, beside_ab.map(|part| -part)].map(scaled);
        // A ray's z is -1.
        let form = |[x, y, z]: Three| [x, y, -z];
        Self {
            depths: [-a[2], -(a[2] + ab[2]), -(a[2] + ac[2])],
            weights: weights.map(form),
            nearness: form(scaled(normal).map(|part| -part)),
            sides: side.simd_gt(f32x4::ZERO).bitselect(-f32x4::ONE, f32x4::ONE),
        }
    }

    /// Numbers between those of the corners, times the nearness.
    #[inline(always)]
    fn between(&self, [a, b, c]: Three) -> Three {
        let [of_a, of_b, of_c] = &self.weights;
        [0, 1, 2].map(|part| a * of_a[part] + b * of_b[part] + c * of_c[part])
    }

    /// For x, y and z. Flat where the corners' normals say nothing; those look at the camera also where the back is seen.
    #[inline(never)]
    fn normals(&self, view: &ObjectView, surfaces: [&Surface; 4]) -> [Three; 3] {
        let normals = surfaces.map(|surface| {
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = surface.normals.unwrap_or_default();
            [ax, ay, az, bx, by, bz, cx, cy, cz]
        });
        let normals = lanes(normals);
        let is_flat = normals.iter().fold(f32x4::ZERO, |sum, part| sum + part.abs()).simd_le(f32x4::ZERO);
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = normals.map(|part| part * self.sides);
        let [a, b, c] = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]].map(|normal| view.normal_turn.of(normal));
        // Across the plane: over its distance, the nearness looks away.
        let [x, y, rest] = self.nearness;
        let flat = [-x, -y, rest];
        [0, 1, 2].map(|axis| {
            let [x, y, rest] = self.between([a[axis], b[axis], c[axis]]);
            let or_flat = |curved: f32x4, flat: f32x4| is_flat.bitselect(flat, curved);
            [or_flat(x, f32x4::ZERO), or_flat(y, f32x4::ZERO), or_flat(rest, flat[axis])]
        })
    }

    /// What vertices have of red, green and blue.
    #[inline(never)]
    fn paints(&self, surfaces: [&Surface; 4]) -> [Option<Form>; 4] {
        if surfaces.iter().all(|surface| surface.colors.is_none()) {
            return [None; 4];
        }
        let colors = surfaces.map(|surface| surface.colors.unwrap_or_default());
        let parts = [0, 1, 2].map(|part| {
            let corner = |corner: usize| f32x4::new(colors.map(|colors| colors[corner][part]));
            self.between([corner(0), corner(1), corner(2)])
        });
        let forms = forms(parts);
        [0, 1, 2, 3].map(|lane| surfaces[lane].colors.map(|_| forms[lane]))
    }

    #[inline(never)]
    fn pictures(&self, surfaces: [&Surface; 4], textures: [Option<&Texture>; 4], steps: Option<[f64; 2]>) -> Pictures {
        let [au, av, bu, bv, cu, cv] = lanes(surfaces.map(|surface| {
            let [[au, av], [bu, bv], [cu, cv]] = surface.uv.unwrap_or_default();
            [au, av, bu, bv, cu, cv]
        }));
        let repeats = |axis: usize| textures.map(|texture| texture.is_some_and(|texture| texture.repeats(axis)));
        let (us, vs) = (Coordinates::new([au, bu, cu], repeats(0)), Coordinates::new([av, bv, cv], repeats(1)));
        let (u, v) = (self.between(us.corners), self.between(vs.corners));
        let ends = [(us.least, vs.least), (us.most, vs.most)].map(|(u, v)| f32x4::transpose([u, v, u, v]));
        let uv = [0, 1, 2].map(|part| f32x4::transpose([u[part], v[part], u[part], v[part]]));
        let sizes = textures.map(|texture| texture.map_or([0.0; 2], |texture| texture.size()));
        let [x, y] = steps.unwrap_or_default();
        let side = |step: f64, axis: usize| f32x4::new(sizes.map(|size| (step * size[axis]) as f32));
        let sides = [side(x, 0), side(x, 1), side(y, 0), side(y, 1)];
        let texels = [u[0] * sides[0], v[0] * sides[1], u[1] * sides[2], v[1] * sides[3]];
        let [a, b, _] = self.nearness;
        let nearness = [a * sides[0], a * sides[1], b * sides[2], b * sides[3]];
        // The longest of a pixel's sides at each corner.
        let longest = |[u, v]: [f32x4; 2], depth: f32x4| {
            let change = |at: usize, coordinate: f32x4| ((texels[at] - coordinate * nearness[at]) * depth).abs();
            change(0, u).fast_max(change(1, v)).fast_max(change(2, u).fast_max(change(3, v)))
        };
        let [at_a, at_b, at_c] = self.depths;
        let (a, b, c) = (
            longest([us.corners[0], vs.corners[0]], at_a),
            longest([us.corners[1], vs.corners[1]], at_b),
            longest([us.corners[2], vs.corners[2]], at_c),
        );
        let (least, most) = (a.fast_min(b).fast_min(c).to_array(), a.fast_max(b).fast_max(c).to_array());
        Pictures { uv, ends, texels: f32x4::transpose(texels), nearness: f32x4::transpose(nearness), least, most }
    }
}

/// A texture coordinate of the corners, where the picture repeats itself from the first 0 to 1 on that they reach.
struct Coordinates {
    corners: Three,
    least: f32x4,
    most: f32x4,
}

impl Coordinates {
    #[inline(always)]
    fn new(corners: Three, repeats: [bool; 4]) -> Self {
        let [a, b, c] = corners;
        let least = a.fast_min(b).fast_min(c);
        let repeats: f32x4 = bytemuck::cast(i32x4::new(repeats.map(|repeats| -i32::from(repeats))));
        let start = whole(least) & repeats;
        let most = a.fast_max(b).fast_max(c);
        Self { corners: corners.map(|at| at - start), least: least - start, most: most - start }
    }
}

/// The same length in texels at all corners, where they see the picture from nearly the same distance: finding it for each
/// pixel takes half as long as the rest of its colour.
fn common(least: f32, most: f32) -> Option<f32> {
    // A tenth of the way from one image to the next.
    const NEARLY: f32 = 1.07;
    (most <= NEARLY * least).then_some((least + most) / 2.0)
}

/// For each number, its four lanes.
#[inline(always)]
fn lanes<const N: usize>(numbers: [[f32; N]; 4]) -> [f32x4; N] {
    std::array::from_fn(|at| f32x4::new(numbers.map(|numbers| numbers[at])))
}

/// Of three numbers that are linear in a ray, for each lane.
#[inline(always)]
fn forms([x, y, z]: [Three; 3]) -> [Form; 4] {
    let [a, b, c] = [0, 1, 2].map(|part| f32x4::transpose([x[part], y[part], z[part], f32x4::ZERO]));
    [0, 1, 2, 3].map(|lane| Form([a[lane], b[lane], c[lane]]))
}

#[inline(always)]
fn cross(a: Three, b: Three) -> Three {
    [(1, 2), (2, 0), (0, 1)].map(|(next, last)| a[next] * b[last] - a[last] * b[next])
}
