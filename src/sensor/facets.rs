//! The facets of a mesh's triangles, four at once: a lane for each.
//!
//! What is calculated apart stays apart in the program too: all in one, more numbers would go to memory and back than are
//! calculated.

use wide::{bytemuck, f32x4, i32x4};

use super::facet::{Change, Facet, Form, Linear, Picture};
use super::light::{Light, Lit};
use super::object_view::ObjectView;
use super::visible::Seen;
use crate::assets::{Detail, Level, Mesh, Surface, Texture, UNIT, dot, whole};

/// Of each triangle three numbers: x, y and z, or what x, y and 1 are multiplied with.
type Three = [f32x4; 3];

/// Four triangles in the camera's frame.
struct Corners {
    /// Metres.
    points: [Three; 3],
    /// How near a ray's point is to the second corner and to the third, times the nearness. All is at the first corner of those
    /// seen so much from their edge that only rounding would say.
    shares: [Three; 2],
    /// The nearness itself.
    nearness: Three,
    /// Of the plane.
    normal: Three,
    /// -1 where the back is seen, else 1.
    sides: f32x4,
}

/// Adds those of at most four triangles, named as `Visible` does. `steps` lead to a pixel's right neighbour along x, and to its
/// lower along y; without them, pictures are seen as from near.
pub fn add<'v>(
    facets: &mut Vec<Facet<'v>>,
    view: &'v ObjectView<'v>,
    mesh: &'v Mesh,
    seen: &[u64],
    light: Option<&Light>,
    steps: Option<[f64; 2]>,
) {
    let four = [0, 1, 2, 3].map(|lane: usize| Seen::unpacked(seen[lane.min(seen.len() - 1)]).triangle);
    let surfaces = four.map(|triangle| &mesh.surfaces[triangle]);
    let materials = four.map(|triangle| mesh.material(triangle));
    let textures = [0, 1, 2, 3].map(|lane| surfaces[lane].uv.and(materials[lane].texture.as_ref()));
    let corners = Corners::new(view, mesh, four);
    let lit = light.map_or([Lit::FLAT; 3], |light| corners.lit(view, surfaces, light));
    let pictures = textures.iter().any(Option::is_some).then(|| corners.pictures(surfaces, textures, &lit, steps));
    for lane in 0..seen.len() {
        let (own, surface) = (materials[lane].color, surfaces[lane]);
        facets.push(match (&pictures, textures[lane]) {
            (Some(pictures), Some(texture)) => {
                let color = color_of(own.unwrap_or(WHITE), UNIT);
                let detail = pictures.detail(lane, texture, steps.is_some());
                let level = detail.map(|detail| texture.level(detail));
                match level.filter(|level| surface.colors.is_none() && level.holds(pictures.ends[lane])) {
                    Some(level) => pictures.inside(lane, color, level),
                    None => {
                        let shade = corners.shade(lane, &lit, color, true, surface);
                        Facet::Picture(shade, pictures.one(lane, texture, detail))
                    }
                }
            }
            _ => {
                let own = own.or(surface.colors.map(|_| WHITE));
                let color = color_of(own.unwrap_or(view.object.spec.color), 1.0);
                Facet::Even(corners.shade(lane, &lit, color, own.is_some(), surface))
            }
        });
    }
}

const WHITE: [f64; 3] = [1.0; 3];

fn color_of(color: [f64; 3], unit: f32) -> f32x4 {
    let [red, green, blue] = color.map(|part| part as f32);
    f32x4::new([red, green, blue, 0.0]) * f32x4::splat(unit)
}

/// What lies on four triangles of their textures, and how these are lit.
struct Pictures {
    /// (u, v, light, 0), of the first corner.
    starts: [f32x4; 4],
    /// From there on, times the nearness: what x, y and 1 are multiplied with.
    forms: [[f32x4; 4]; 3],
    /// Of the corners the least u and v, and with the sign turned the most.
    ends: [f32x4; 4],
    texels: [f32x4; 4],
    nearness: [f32x4; 4],
    /// How long a pixel is in texels, of the corners where it is shortest and where it is longest.
    least: [f32; 4],
    most: [f32; 4],
}

impl Pictures {
    /// How far all of a triangle is seen from, if that is one distance.
    fn detail(&self, lane: usize, texture: &Texture, is_smooth: bool) -> Option<Detail> {
        match is_smooth {
            true => common(self.least[lane], self.most[lane]).map(|texels| texture.detail(texels)),
            false => Some(Detail::default()),
        }
    }

    fn form(&self, lane: usize) -> [f32x4; 3] {
        self.forms.each_ref().map(|part| part[lane])
    }

    #[inline(always)]
    fn inside<'v>(&self, lane: usize, color: f32x4, level: Level<'v>) -> Facet<'v> {
        let (start, form) = (level.place(self.starts[lane]), self.form(lane).map(|part| level.scaled(part)));
        Facet::Inside(color, Linear(start, Form(form)), level)
    }

    fn one<'v>(&self, lane: usize, texture: &'v Texture, detail: Option<Detail>) -> Picture<'v> {
        let change = Change { texels: self.texels[lane], nearness: self.nearness[lane] };
        Picture { texture, uv: Linear(self.starts[lane], Form(self.form(lane))), change, detail }
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
        let normal = cross(ab, ac);
        let side = dot(&normal, &a);
        let size = |[x, y, z]: Three| x.abs() + y.abs() + z.abs();
        let is_sharp = side.abs().simd_gt((SLANTED * size(a) * size(ab) * size(ac)).fast_max(SMALLEST));
        let inverse = (f32x4::ONE / side) & is_sharp;
        // A ray's z is -1.
        let form = |[x, y, z]: Three| [x * inverse, y * inverse, -z * inverse];
        let sum = |a: Three, b: Three| [0, 1, 2].map(|axis| a[axis] + b[axis]);
        Self {
            points: [a, sum(a, ab), sum(a, ac)],
            shares: [form(cross(ac, a)), form(cross(a, ab))],
            nearness: form(normal),
            normal,
            sides: side.simd_gt(f32x4::ZERO).bitselect(-f32x4::ONE, f32x4::ONE),
        }
    }

    /// From a number of the first corner to others, times the nearness.
    #[inline(always)]
    fn between(&self, [a, b, c]: Three) -> Three {
        let ([of_b, of_c], b, c) = (&self.shares, b - a, c - a);
        [0, 1, 2].map(|part| b * of_b[part] + c * of_c[part])
    }

    /// How the corners are lit. Flat where their normals say nothing; those look at the camera also where the back is seen.
    #[inline(never)]
    fn lit(&self, view: &ObjectView, surfaces: [&Surface; 4], light: &Light) -> [Lit; 3] {
        let normals = lanes(surfaces.map(|surface| {
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = surface.normals.unwrap_or_default();
            [ax, ay, az, bx, by, bz, cx, cy, cz]
        }));
        let is_flat = normals.iter().fold(f32x4::ZERO, |sum, part| sum + part.abs()).simd_le(f32x4::ZERO);
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = normals;
        let normals = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]].map(|normal| view.normal_turn.of(normal));
        [0, 1, 2].map(|corner| {
            let normal = [0, 1, 2].map(|axis| is_flat.bitselect(self.normal[axis], normals[corner][axis]) * self.sides);
            light.at(&normal, &self.points[corner])
        })
    }

    /// The colours of one of them in the light. A mesh's own, of pictures or of vertices, is multiplied with how white is lit: up
    /// to 1.15, which the reference's images show. To one of the world the highlight is added.
    fn shade(&self, lane: usize, lit: &[Lit; 3], color: f32x4, is_own: bool, surface: &Surface) -> Linear {
        let one = |lanes: &f32x4| f32x4::splat(lanes.to_array()[lane]);
        let [a, b, c] = [0, 1, 2].map(|corner| {
            let (diffuse, gloss) = (one(&lit[corner].diffuse), one(&lit[corner].gloss));
            let [red, green, blue] = surface.colors.map_or([1.0; 3], |colors| colors[corner]);
            let color = color * f32x4::new([red, green, blue, 0.0]);
            if is_own { color * (diffuse + gloss) } else { color * diffuse + gloss }
        });
        let [of_b, of_c] = &self.shares;
        Linear(a, Form([0, 1, 2].map(|part| (b - a) * one(&of_b[part]) + (c - a) * one(&of_c[part]))))
    }

    #[inline(never)]
    fn pictures(
        &self,
        surfaces: [&Surface; 4],
        textures: [Option<&Texture>; 4],
        lit: &[Lit; 3],
        steps: Option<[f64; 2]>,
    ) -> Pictures {
        let [au, av, bu, bv, cu, cv] = lanes(surfaces.map(|surface| {
            let [[au, av], [bu, bv], [cu, cv]] = surface.uv.unwrap_or_default();
            [au, av, bu, bv, cu, cv]
        }));
        let repeats = |axis: usize| textures.map(|texture| texture.is_some_and(|texture| texture.repeats(axis)));
        let (us, vs) = (Coordinates::new([au, bu, cu], repeats(0)), Coordinates::new([av, bv, cv], repeats(1)));
        let light = lit.map(|lit| lit.diffuse + lit.gloss);
        let (u, v, of_light) = (self.between(us.corners), self.between(vs.corners), self.between(light));
        let starts = f32x4::transpose([us.corners[0], vs.corners[0], light[0], f32x4::ZERO]);
        let forms = [0, 1, 2].map(|part| f32x4::transpose([u[part], v[part], of_light[part], f32x4::ZERO]));
        let ends = f32x4::transpose([us.least, vs.least, -us.most, -vs.most]);
        let sizes = textures.map(|texture| texture.map_or([0.0; 2], |texture| texture.size()));
        let [x, y] = steps.unwrap_or_default();
        let side = |step: f64, axis: usize| f32x4::new(sizes.map(|size| (step * size[axis]) as f32));
        let sides = [side(x, 0), side(x, 1), side(y, 0), side(y, 1)];
        let texels = [u[0] * sides[0], v[0] * sides[1], u[1] * sides[2], v[1] * sides[3]];
        let [a, b, _] = self.nearness;
        let nearness = [a * sides[0], a * sides[1], b * sides[2], b * sides[3]];
        // The longest of a pixel's sides at each corner.
        let longest = |corner: usize| {
            let [.., z] = self.points[corner];
            let (u, v) = (us.corners[corner] - us.corners[0], vs.corners[corner] - vs.corners[0]);
            let change = |at: usize, coordinate: f32x4| ((texels[at] - coordinate * nearness[at]) * z).abs();
            change(0, u).fast_max(change(1, v)).fast_max(change(2, u).fast_max(change(3, v)))
        };
        let [a, b, c] = [0, 1, 2].map(longest);
        let (least, most) = (a.fast_min(b).fast_min(c).to_array(), a.fast_max(b).fast_max(c).to_array());
        Pictures {
            starts,
            forms,
            ends,
            texels: f32x4::transpose(texels),
            nearness: f32x4::transpose(nearness),
            least,
            most,
        }
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

/// Of a triangle's side, in sizes of its distance and its edges: from there on f32 says something.
const SLANTED: f32x4 = f32x4::splat(1e-4);
const SMALLEST: f32x4 = f32x4::splat(1e-30);

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

#[inline(always)]
fn cross(a: Three, b: Three) -> Three {
    [(1, 2), (2, 0), (0, 1)].map(|(next, last)| a[next] * b[last] - a[last] * b[next])
}
