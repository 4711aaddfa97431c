//! The facets of a mesh's triangles, eight at once: a lane for each.
//!
//! By the widest vectors of the CPU, which does not show in an image: each lane is calculated by the same steps of IEEE's
//! arithmetic.

use fearless_simd::{Simd, f32x8, prelude::*};
use wide::{bytemuck, f32x4};

use super::facet::{Change, Facet, Form, Linear, Picture};
use super::light::{Light, Lit};
use super::object_view::ObjectView;
use super::visible::Seen;
use crate::assets::{Detail, EIGHT, Level, Mesh, Octaves, Surface, Texture, UNIT, dot, whole};

/// Of each triangle three numbers: x, y and z, or what x, y and 1 are multiplied with.
type Three<S> = [f32x8<S>; 3];

/// Eight triangles in the camera's frame.
struct Corners<S: Simd> {
    /// Metres.
    points: [Three<S>; 3],
    /// How near a ray's point is to the second corner and to the third, times the nearness. All is at the first corner of those
    /// seen so much from their edge that only rounding would say.
    shares: [Three<S>; 2],
    /// The nearness itself.
    nearness: Three<S>,
    /// Of the plane.
    normal: Three<S>,
    /// -1 where the back is seen, else 1.
    sides: f32x8<S>,
}

/// Adds those of at most eight triangles, named as `Visible` does. `steps` lead to a pixel's right neighbour along x, and to its
/// lower along y; by steps of 0, pictures are seen as from near.
#[inline(always)]
pub fn add<'v, S: Simd>(
    simd: S,
    facets: &mut Vec<Facet<'v>>,
    view: &'v ObjectView<'v>,
    mesh: &'v Mesh,
    seen: &[u64],
    light: Option<&Light>,
    steps: [f64; 2],
) {
    let eight: [usize; EIGHT] = std::array::from_fn(|lane| Seen::unpacked(seen[lane.min(seen.len() - 1)]).triangle);
    let surfaces = eight.map(|triangle| &mesh.surfaces[triangle]);
    let materials = eight.map(|triangle| mesh.material(triangle));
    let textures: Eight<Option<&Texture>> =
        std::array::from_fn(|lane| surfaces[lane].uv.and(materials[lane].texture.as_ref()));
    let corners = Corners::new(simd, view, mesh, eight);
    let lit = light.map_or([Lit::flat(simd); 3], |light| corners.lit(view, surfaces, light));
    let pictures = textures.iter().any(Option::is_some).then(|| corners.pictures(surfaces, textures, &lit, steps));
    for lane in 0..seen.len() {
        let (own, surface) = (materials[lane].color, surfaces[lane]);
        let (Some(pictures), Some(texture)) = (&pictures, textures[lane]) else {
            let own = own.or(surface.colors.map(|_| WHITE));
            let color = color_of(own.unwrap_or(view.object.spec.color.map(|part| part as f32)), 1.0);
            facets.push(Facet::Even(corners.shade(lane, &lit, color, own.is_some(), surface)));
            continue;
        };
        let color = color_of(own.unwrap_or(WHITE), UNIT);
        let detail = pictures.detail(lane, texture);
        let level = detail.map(|detail| texture.level(detail));
        if let Some(level) = level.filter(|level| surface.colors.is_none() && level.holds(pictures.ends[lane])) {
            facets.push(pictures.inside(lane, color, level));
            continue;
        }
        let shade = corners.shade(lane, &lit, color, true, surface);
        facets.push(Facet::Picture(shade, pictures.one(lane, texture, detail)));
    }
}

/// One of each lane.
type Eight<T> = [T; EIGHT];

const WHITE: [f32; 3] = [1.0; 3];

fn color_of([red, green, blue]: [f32; 3], unit: f32) -> f32x4 {
    f32x4::new([red, green, blue, 0.0]) * f32x4::splat(unit)
}

/// What lies on eight triangles of their textures, and how these are lit.
struct Pictures {
    /// (u, v, light, 0), of the first corner.
    starts: Eight<f32x4>,
    /// From there on, times the nearness: what x, y and 1 are multiplied with.
    forms: [Eight<f32x4>; 3],
    /// Of the corners the least u and v, and with the sign turned the most.
    ends: Eight<f32x4>,
    /// By part, as `Change` has them.
    texels: [Eight<f32>; 4],
    nearness: [Eight<f32>; 4],
    /// Which triangles are seen from nearly one distance.
    is_even: u32,
    /// Of that, the logarithm of a pixel's length in texels.
    octaves: Octaves,
}

impl Pictures {
    /// How far all of a triangle is seen from, if that is one distance.
    fn detail(&self, lane: usize, texture: &Texture) -> Option<Detail> {
        (self.is_even >> lane & 1 == 1).then(|| texture.detail_of(self.octaves.at(lane)))
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
        let [texels, nearness] = [&self.texels, &self.nearness].map(|parts| parts.map(|part| part[lane]));
        let change = Change { texels: f32x4::new(texels), nearness: f32x4::new(nearness) };
        Picture { texture, uv: Linear(self.starts[lane], Form(self.form(lane))), change, detail }
    }
}

impl<S: Simd> Corners<S> {
    #[inline(always)]
    fn new(simd: S, view: &ObjectView, mesh: &Mesh, triangles: Eight<usize>) -> Self {
        // In f64 up to here, so that edges keep their digits however far they are.
        let mut edges = [[f32x4::ZERO; 3]; EIGHT];
        for (edges, triangle) in edges.iter_mut().zip(triangles) {
            let [a, b, c] = mesh.corners(triangle);
            *edges = [a - view.camera, b - a, c - a]
                .map(|edge| f32x4::new([edge.x as f32, edge.y as f32, edge.z as f32, 0.0]));
        }
        let [a, ab, ac] = lanes(simd, &edges).map(|[x, y, z, _]| view.turn.of([x, y, z]));
        let normal = cross(ab, ac);
        let side = dot(&normal, &a);
        let size = |[x, y, z]: Three<S>| x.abs() + y.abs() + z.abs();
        let (slanted, height) = (size(a) * SLANTED * size(ab) * size(ac), side.abs());
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let is_sharp = height.simd_gt(slanted) & height.simd_gt(SMALLEST);
        let inverse = is_sharp.select(one / side, zero);
        // A ray's z is -1.
        let form = |[x, y, z]: Three<S>| [x * inverse, y * inverse, -z * inverse];
        let sum = |a: Three<S>, b: Three<S>| [0, 1, 2].map(|axis| a[axis] + b[axis]);
        Self {
            points: [a, sum(a, ab), sum(a, ac)],
            shares: [form(cross(ac, a)), form(cross(a, ab))],
            nearness: form(normal),
            normal,
            sides: side.simd_gt(0.0).select(-one, one),
        }
    }

    /// From a number of the first corner to others, times the nearness.
    #[inline(always)]
    fn between(&self, [a, b, c]: Three<S>) -> Three<S> {
        let ([of_b, of_c], b, c) = (&self.shares, b - a, c - a);
        let of = |part: usize| b * of_b[part] + c * of_c[part];
        [of(0), of(1), of(2)]
    }

    /// How the corners are lit. Flat where their normals say nothing; those look at the camera also where the back is seen.
    #[inline(always)]
    fn lit(&self, view: &ObjectView, surfaces: Eight<&Surface>, light: &Light) -> [Lit<S>; 3] {
        let simd = self.sides.simd;
        let mut normals = [[f32x4::ZERO; 3]; EIGHT];
        for (normals, surface) in normals.iter_mut().zip(surfaces) {
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = surface.normals.unwrap_or_default();
            *normals = [[ax, ay, az, bx], [by, bz, cx, cy], [cz, 0.0, 0.0, 0.0]].map(f32x4::new);
        }
        let [[ax, ay, az, bx], [by, bz, cx, cy], [cz, ..]] = lanes(simd, &normals);
        let normals = [ax, ay, az, bx, by, bz, cx, cy, cz];
        let size = normals.iter().fold(f32x8::splat(simd, 0.0), |sum, part| sum + part.abs());
        let is_flat = size.simd_le(0.0);
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = normals;
        let normals = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]].map(|normal| view.normal_turn.of(normal));
        [0, 1, 2].map(|corner| {
            let normal = [0, 1, 2].map(|axis| is_flat.select(self.normal[axis], normals[corner][axis]) * self.sides);
            light.at(&normal, &self.points[corner])
        })
    }

    /// The colours of one of them in the light. A mesh's own, of pictures or of vertices, is multiplied with how white is lit: up
    /// to 1.15, which the reference's images show. To one of the world the highlight is added.
    fn shade(&self, lane: usize, lit: &[Lit<S>; 3], color: f32x4, is_own: bool, surface: &Surface) -> Linear {
        let one = |lanes: &f32x8<S>| f32x4::splat(lanes[lane]);
        let [a, b, c] = [0, 1, 2].map(|corner| {
            let (diffuse, gloss) = (one(&lit[corner].diffuse), one(&lit[corner].gloss));
            let [red, green, blue] = surface.colors.map_or([1.0; 3], |colors| colors[corner]);
            let color = color * f32x4::new([red, green, blue, 0.0]);
            if is_own { color * (diffuse + gloss) } else { color * diffuse + gloss }
        });
        let [of_b, of_c] = &self.shares;
        Linear(a, Form([0, 1, 2].map(|part| (b - a) * one(&of_b[part]) + (c - a) * one(&of_c[part]))))
    }

    #[inline(always)]
    fn pictures(
        &self,
        surfaces: Eight<&Surface>,
        textures: Eight<Option<&Texture>>,
        lit: &[Lit<S>; 3],
        [x, y]: [f64; 2],
    ) -> Pictures {
        let simd = self.sides.simd;
        let mut places = [[f32x4::ZERO; 2]; EIGHT];
        for (places, surface) in places.iter_mut().zip(surfaces) {
            let [[au, av], [bu, bv], [cu, cv]] = surface.uv.unwrap_or_default();
            *places = [[au, av, bu, bv], [cu, cv, 0.0, 0.0]].map(f32x4::new);
        }
        let [[au, av, bu, bv], [cu, cv, ..]] = lanes(simd, &places);
        let repeats = |axis: usize| {
            let ones = textures.map(|texture| f32::from(texture.is_some_and(|texture| texture.repeats(axis))));
            f32x8::simd_from(simd, ones)
        };
        let (us, vs) = (Coordinates::new([au, bu, cu], repeats(0)), Coordinates::new([av, bv, cv], repeats(1)));
        let light = lit.map(|lit| lit.diffuse + lit.gloss);
        let (u, v, of_light) = (self.between(us.corners), self.between(vs.corners), self.between(light));
        let zero = f32x8::splat(simd, 0.0);
        let sizes = textures.map(|texture| texture.map_or([0.0; 2], |texture| texture.size()));
        let side = |step: f64, axis: usize| f32x8::simd_from(simd, sizes.map(|size| (step * size[axis]) as f32));
        let sides = [side(x, 0), side(x, 1), side(y, 0), side(y, 1)];
        let texels = [u[0] * sides[0], v[0] * sides[1], u[1] * sides[2], v[1] * sides[3]];
        let [a, b, _] = self.nearness;
        let nearness = [a * sides[0], a * sides[1], b * sides[2], b * sides[3]];
        // The longest of a pixel's sides at each corner.
        let longest = |corner: usize| {
            let [.., z] = self.points[corner];
            let (u, v) = (us.corners[corner] - us.corners[0], vs.corners[corner] - vs.corners[0]);
            let change = |at: usize, coordinate: f32x8<S>| ((texels[at] - coordinate * nearness[at]) * z).abs();
            change(0, u).max(change(1, v)).max(change(2, u).max(change(3, v)))
        };
        let [a, b, c] = [0, 1, 2].map(longest);
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        Pictures {
            starts: by_triangle([us.corners[0], vs.corners[0], light[0], zero]),
            forms: [0, 1, 2].map(|part| by_triangle([u[part], v[part], of_light[part], zero])),
            ends: by_triangle([us.least, vs.least, -us.most, -vs.most]),
            texels: texels.map(Into::into),
            nearness: nearness.map(Into::into),
            is_even: most.simd_le(least * NEARLY).to_bitmask() as u32,
            octaves: Octaves::of((least + most) * 0.5),
        }
    }
}

/// A texture coordinate of the corners, where the picture repeats itself from the first 0 to 1 on that they reach.
struct Coordinates<S: Simd> {
    corners: Three<S>,
    least: f32x8<S>,
    most: f32x8<S>,
}

impl<S: Simd> Coordinates<S> {
    /// `repeats` is 1 where the picture does so, else 0.
    #[inline(always)]
    fn new([a, b, c]: Three<S>, repeats: f32x8<S>) -> Self {
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        let start = whole(least) * repeats;
        Self { corners: [a - start, b - start, c - start], least: least - start, most: most - start }
    }
}

/// Of a triangle's side, in sizes of its distance and its edges: from there on f32 says something.
const SLANTED: f32 = 1e-4;
const SMALLEST: f32 = 1e-30;

/// So much apart are the lengths in texels at the corners that see the picture from nearly the same distance, a tenth of the
/// way from one image to the next: finding it for each pixel takes half as long as the rest of its colour.
const NEARLY: f32 = 1.07;

/// For each number, its lanes.
#[inline(always)]
fn lanes<S: Simd, const N: usize>(simd: S, rows: &Eight<[f32x4; N]>) -> [[f32x8<S>; 4]; N] {
    std::array::from_fn(|at| {
        let [near, far] = [0, 4].map(|first| f32x4::transpose([0, 1, 2, 3].map(|lane| rows[first + lane][at])));
        [0, 1, 2, 3].map(|part| f32x8::simd_from(simd, bytemuck::cast::<_, Eight<f32>>([near[part], far[part]])))
    })
}

/// For each lane, its numbers.
#[inline(always)]
fn by_triangle<S: Simd>(numbers: [f32x8<S>; 4]) -> Eight<f32x4> {
    let halves = numbers.map(|lanes| bytemuck::cast::<Eight<f32>, [f32x4; 2]>(lanes.into()));
    bytemuck::cast([0, 1].map(|half| f32x4::transpose(halves.map(|lanes| lanes[half]))))
}

// Sums of lanes are closures or functions, seldom what `map` calls: that is often compiled apart, for CPUs without wide vectors.
#[inline(always)]
fn cross<S: Simd>(a: Three<S>, b: Three<S>) -> Three<S> {
    let of = |next: usize, last: usize| a[next] * b[last] - a[last] * b[next];
    [of(1, 2), of(2, 0), of(0, 1)]
}
