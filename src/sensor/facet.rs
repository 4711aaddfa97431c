//! A surface as it is coloured: some numbers for each triangle, few for each pixel that sees it.
//!
//! What is linear on a triangle is, times the nearness, linear over the pixels too.

use wide::f32x4;

use super::closed_form::normal_of;
use super::object_view::ObjectView;
use super::triangle::{Facing, moved};
use super::visible::Seen;
use crate::assets::{Level, Mesh, Surface, Texture};
use crate::math::Vector;
use crate::world::Shape;

#[derive(Clone, Debug)]
pub struct Facet<'v> {
    color: f32x4,
    normal: Normal<'v>,
    /// What its vertices multiply the colour with.
    corners: Option<Box<Form>>,
    picture: Option<Picture<'v>>,
}

/// In the camera's frame, of any length; behind it 1 where the paint is a mesh's own, else 0.
#[derive(Clone, Copy, Debug)]
enum Normal<'v> {
    /// Flat or between those of the corners.
    Form(Form),
    Curved(&'v ObjectView<'v>),
}

/// What lies on a triangle of a texture.
#[derive(Clone, Debug)]
struct Picture<'v> {
    texture: &'v Texture,
    /// (u, v, u, v), times the nearness.
    uv: Form,
    /// How they change from pixel to pixel, in texels and times the nearness: both along x, both along y.
    change: f32x4,
    /// How the nearness changes, times the picture's sides.
    nearness: f32x4,
    /// How far all of the triangle is seen from, if that is one distance.
    level: Option<Level<'v>>,
}

/// A pixel's ray (x, y, -1) and how near it meets the surface.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    pub x: f32,
    pub y: f32,
    pub nearness: f64,
}

impl<'v> Facet<'v> {
    /// Black, which no light changes.
    pub const NOTHING: Facet<'static> = Facet {
        color: f32x4::ZERO,
        normal: Normal::Form(Form([f32x4::ZERO, f32x4::ZERO, f32x4::new([0.0, 0.0, 0.0, 1.0])])),
        corners: None,
        picture: None,
    };

    /// `steps` lead to a pixel's right neighbour along x, and to its lower along y; without them, pictures are seen as from near.
    pub fn new(view: &'v ObjectView<'v>, seen: Seen, steps: Option<[f64; 2]>) -> Self {
        let color = color_of(view.object.spec.color);
        let plain = Self { color, normal: Normal::Curved(view), corners: None, picture: None };
        match &view.object.shape {
            Shape::Mesh(shape) => plain.on(&shape.mesh, &Corners::new(view, seen.triangle), seen.triangle, steps),
            // MuJoCo's facets, too, have the normals of the ideal surface.
            Shape::Hull(_) | Shape::Cuboid { .. } => {
                let flat = Corners::new(view, seen.triangle).flat();
                Self { normal: Normal::Form(flat), ..plain }
            }
            _ => plain,
        }
    }

    fn on(self, mesh: &'v Mesh, corners: &Corners, triangle: usize, steps: Option<[f64; 2]>) -> Self {
        let (material, surface) = (mesh.material(triangle), &mesh.surfaces[triangle]);
        let picture = surface.uv.zip(material.texture.as_ref());
        let picture = picture.map(|(uv, texture)| Picture::new(texture, uv, corners, steps));
        let says_nothing = material.color.is_none() && picture.is_none() && surface.colors.is_none();
        let color = if says_nothing { self.color } else { color_of(material.color.unwrap_or([1.0; 3])) };
        let normal = Normal::Form(corners.normal(surface, if says_nothing { 0.0 } else { 1.0 }));
        let colors =
            surface.colors.map(|colors| corners.between(colors.map(|[r, g, b]| [r, g, b, 0.0].map(f64::from))));
        let colors = colors.map(Box::new);
        Self { color, normal, corners: colors, picture }
    }

    /// Of any length; behind it 1 where the paint is a mesh's own, else 0.
    #[inline(always)]
    pub fn normal(&self, pixel: &Pixel) -> f32x4 {
        match &self.normal {
            Normal::Form(form) => form.at(pixel),
            Normal::Curved(view) => curved(view, pixel),
        }
    }

    /// Where a pixel sees the picture, as (u, v, u, v).
    #[inline(always)]
    pub fn uv(&self, pixel: &Pixel) -> f32x4 {
        match &self.picture {
            Some(picture) => picture.uv.at(pixel) * f32x4::splat(pixel.depth()),
            None => f32x4::ZERO,
        }
    }

    /// The colour that a pixel sees before there is light.
    #[inline(always)]
    pub fn paint(&self, pixel: &Pixel, uv: f32x4) -> f32x4 {
        let mut color = self.color;
        if let Some(picture) = &self.picture {
            color *= picture.texel(pixel, uv);
        }
        if let Some(corners) = &self.corners {
            color *= corners.at(pixel) * f32x4::splat(pixel.depth());
        }
        color
    }
}

fn color_of(color: [f64; 3]) -> f32x4 {
    let [red, green, blue] = color.map(|part| part as f32);
    f32x4::new([red, green, blue, 1.0])
}

/// The normal of a curved surface.
fn curved(view: &ObjectView, pixel: &Pixel) -> f32x4 {
    let ray = view.ray(Vector::new(pixel.x.into(), pixel.y.into(), -1.0));
    let normal = view.turned_normal(&normal_of(&view.object.shape, ray.at(1.0 / pixel.nearness)));
    f32x4::new([normal.x as f32, normal.y as f32, normal.z as f32, 0.0])
}

impl Pixel {
    /// In f32, which colours are calculated in.
    #[inline(always)]
    fn depth(&self) -> f32 {
        1.0 / self.nearness as f32
    }
}

/// Four of a x + b y + c.
#[derive(Clone, Copy, Debug)]
struct Form([f32x4; 3]);

impl Form {
    fn even(numbers: [f64; 4]) -> Self {
        Self([f32x4::ZERO, f32x4::ZERO, f32x4::new(numbers.map(|number| number as f32))])
    }

    #[inline(always)]
    fn at(&self, pixel: &Pixel) -> f32x4 {
        let [a, b, c] = self.0;
        a * f32x4::splat(pixel.x) + (b * f32x4::splat(pixel.y) + c)
    }
}

/// A triangle's corners as the camera sees them.
struct Corners<'v> {
    view: &'v ObjectView<'v>,
    /// Planar, metres.
    depths: [f64; 3],
    /// Each corner's weight times the nearness: what x, y and 1 are multiplied with.
    weights: [[f64; 3]; 3],
    /// The same of the nearness itself.
    nearness: [f64; 3],
    /// Below 0 where the back is seen.
    side: f64,
}

impl<'v> Corners<'v> {
    fn new(view: &'v ObjectView<'v>, triangle: usize) -> Self {
        let (rows, offset) = view.rows();
        let corners = view.corners(triangle).map(|c| moved(&rows, &offset, &[[c.x], [c.y], [c.z]]));
        let facing = Facing::<1>::new(corners.each_ref());
        let to_nearness = -1.0 / facing.side[0];
        let form = |[a, b, c]: [f64; 3], factor: f64| [a * factor, b * factor, -c * factor];
        Self {
            view,
            depths: corners.map(|[_, _, [z]]| -z),
            weights: facing.weights().map(|weight| form(weight, to_nearness)),
            nearness: form(facing.plane(), 1.0),
            side: to_nearness,
        }
    }

    /// Numbers between those of the corners.
    fn between(&self, [first, second, third]: [[f64; 4]; 3]) -> Form {
        let [a, b, c] = &self.weights;
        Form([0, 1, 2].map(|part| {
            let number = |i: usize| a[part] * first[i] + b[part] * second[i] + c[part] * third[i];
            f32x4::new([0, 1, 2, 3].map(|i| number(i) as f32))
        }))
    }

    /// The plane's own normal, towards the camera.
    fn flat(&self) -> Form {
        // Over its distance it looks away.
        let [a, b, c] = self.nearness;
        let flat = Vector::new(-a, -b, c).normalize();
        Form::even([flat.x, flat.y, flat.z, 0.0])
    }

    /// Flat where the corners' normals say nothing; those look at the camera also where the back is seen.
    fn normal(&self, surface: &Surface, last: f32) -> Form {
        let normals = surface.normals.filter(|normals| normals.iter().flatten().any(|part| *part != 0.0));
        let mut form = normals.map_or_else(
            || self.flat(),
            |normals| {
                let side = if self.side < 0.0 { -1.0 } else { 1.0 };
                self.between(normals.map(|normal| {
                    let normal = self.view.turned_normal(&Vector::from(normal.map(f64::from)));
                    [side * normal.x, side * normal.y, side * normal.z, 0.0]
                }))
            },
        );
        form.0[2] += f32x4::new([0.0, 0.0, 0.0, last]);
        form
    }
}

impl<'v> Picture<'v> {
    fn new(texture: &'v Texture, uv: [[f32; 2]; 3], corners: &Corners, steps: Option<[f64; 2]>) -> Self {
        let form = corners.between(uv.map(|[u, v]| [u, v, u, v].map(f64::from)));
        let nearest =
            Self { texture, uv: form, change: f32x4::ZERO, nearness: f32x4::ZERO, level: Some(texture.nearest()) };
        steps.map_or(nearest.clone(), |steps| nearest.seen_from_afar(uv, corners, steps))
    }

    fn seen_from_afar(self, uv: [[f32; 2]; 3], corners: &Corners, [x, y]: [f64; 2]) -> Self {
        let [width, height] = self.texture.size();
        let texels = f32x4::new([x * width, x * height, y * width, y * height].map(|texels| texels as f32));
        let [[ux, vx, ..], [uy, vy, ..], _] = self.uv.0.map(|part| part.to_array());
        let [a, b, _] = corners.nearness.map(|part| part as f32);
        let change = f32x4::new([ux, vx, uy, vy]) * texels;
        let mut picture = Self { change, nearness: f32x4::new([a, a, b, b]) * texels, ..self };
        picture.level = picture.common_level(uv, corners.depths);
        picture
    }

    /// Where the corners see the picture from nearly the same distance, that between: finding it for each pixel takes as long as
    /// the rest of its colour.
    fn common_level(&self, uv: [[f32; 2]; 3], depths: [f64; 3]) -> Option<Level<'v>> {
        // A tenth of the way from one image to the next.
        const NEARLY: f32 = 1.07;
        let longest = |corner: usize| {
            let [u, v] = uv[corner];
            self.longest(f32x4::new([u, v, u, v]), depths[corner] as f32)
        };
        let [a, b, c] = [0, 1, 2].map(longest);
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        (most <= NEARLY * least).then(|| self.texture.level((least + most) / 2.0))
    }

    #[inline(always)]
    fn texel(&self, pixel: &Pixel, uv: f32x4) -> f32x4 {
        match &self.level {
            Some(level) => self.texture.sample_at(uv, level),
            None => self.texture.sample_at(uv, &self.texture.level(self.longest(uv, pixel.depth()))),
        }
    }

    /// The longer of a pixel's sides in texels, as far as u and v change there: not the diagonal, since of the two the reference's
    /// images are nearer to this one.
    fn longest(&self, uv: f32x4, depth: f32) -> f32 {
        let changes = (self.change - uv * self.nearness) * f32x4::splat(depth);
        changes
            .to_array()
            .into_iter()
            .fold(0.0, |longest, change| if change.abs() > longest { change.abs() } else { longest })
    }
}
