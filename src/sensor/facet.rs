//! A surface as it is coloured: some numbers for each triangle, few for each pixel that sees it.
//!
//! What is linear on a triangle is, times the nearness, linear over the pixels too.

use wide::f32x4;

use super::closed_form::normal_of;
use super::object_view::ObjectView;
use super::shading::Pixel;
use super::triangle::{Facing, moved};
use super::visible::Seen;
use crate::assets::{Level, Mesh, Surface, Texture};
use crate::math::Vector;
use crate::world::Shape;

#[derive(Clone, Debug)]
pub struct Facet<'v> {
    color: f32x4,
    normal: Normal<'v>,
    picture: Option<Picture<'v>>,
    /// What its vertices multiply the colour with.
    corners: Option<Form>,
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
    change: Change,
    /// How far all of the triangle is seen from, if that is one distance.
    level: Option<Level<'v>>,
}

/// How a picture changes from pixel to pixel.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// Of u and v along x and along y, in texels and times the nearness.
    texels: f32x4,
    /// Of the nearness, times the picture's sides.
    nearness: f32x4,
}

impl<'v> Facet<'v> {
    /// Black, which no light changes.
    pub const NOTHING: Facet<'static> =
        Facet { color: f32x4::ZERO, normal: Normal::Form(Form([f32x4::ZERO; 3])), picture: None, corners: None };

    /// `steps` lead to a pixel's right neighbour along x, and to its lower along y; without them, pictures are seen as from near.
    pub fn new(view: &'v ObjectView<'v>, seen: Seen, steps: Option<[f64; 2]>) -> Self {
        let color = color_of(view.object.spec.color);
        let plain = |normal| Self { color, normal, picture: None, corners: None };
        match &view.object.shape {
            Shape::Mesh(shape) => Self::of_mesh(view, &shape.mesh, seen.triangle, steps),
            // MuJoCo's facets, too, have the normals of the ideal surface.
            Shape::Hull(_) | Shape::Cuboid { .. } => plain(Normal::Form(Corners::new(view, seen.triangle).flat(0.0))),
            _ => plain(Normal::Curved(view)),
        }
    }

    fn of_mesh(view: &'v ObjectView<'v>, mesh: &'v Mesh, triangle: usize, steps: Option<[f64; 2]>) -> Self {
        let corners = Corners::new(view, triangle);
        let (material, surface) = (mesh.material(triangle), &mesh.surfaces[triangle]);
        let picture = surface.uv.zip(material.texture.as_ref());
        let says_nothing = material.color.is_none() && picture.is_none() && surface.colors.is_none();
        let (color, is_own) = match says_nothing {
            true => (view.object.spec.color, 0.0),
            false => (material.color.unwrap_or([1.0; 3]), 1.0),
        };
        Self {
            color: color_of(color),
            normal: Normal::Form(corners.normal(view, surface, is_own)),
            picture: picture.map(|(uv, texture)| Picture::new(texture, uv, &corners, steps)),
            corners: surface.colors.map(|colors| corners.between(colors.map(|[r, g, b]| f32x4::new([r, g, b, 0.0])))),
        }
    }

    /// Gives a pixel its normal, and its places in the picture.
    #[inline(always)]
    pub fn begin(&self, y: f32, pixel: &mut Pixel) {
        pixel.normal = match &self.normal {
            Normal::Form(form) => form.at(pixel.x, y),
            Normal::Curved(view) => curved(view, y, pixel),
        };
        if let Some(picture) = &self.picture {
            picture.place(y, pixel);
        }
    }

    /// Gives it the colour that it has before there is light.
    #[inline(always)]
    pub fn paint(&self, y: f32, pixel: &mut Pixel) {
        let mut color = self.color;
        if let Some(picture) = &self.picture {
            color *= picture.texel(y, pixel);
        }
        if let Some(corners) = &self.corners {
            color *= corners.at(pixel.x, y) * f32x4::splat(pixel.depth);
        }
        pixel.color = color;
    }
}

fn color_of(color: [f64; 3]) -> f32x4 {
    let [red, green, blue] = color.map(|part| part as f32);
    f32x4::new([red, green, blue, 1.0])
}

/// The normal of a curved surface.
fn curved(view: &ObjectView, y: f32, pixel: &Pixel) -> f32x4 {
    let ray = view.ray(Vector::new(pixel.x.into(), y.into(), -1.0));
    let [x, y, z] = view.turned_normal(&normal_of(&view.object.shape, ray.at(pixel.depth.into()))).into();
    f32x4::new([x as f32, y as f32, z as f32, 0.0])
}

/// Four of a x + b y + c.
#[derive(Clone, Copy, Debug)]
struct Form([f32x4; 3]);

impl Form {
    fn even(numbers: f32x4) -> Self {
        Self([f32x4::ZERO, f32x4::ZERO, numbers])
    }

    #[inline(always)]
    fn at(&self, x: f32, y: f32) -> f32x4 {
        let [a, b, c] = self.0;
        a * f32x4::splat(x) + (b * f32x4::splat(y) + c)
    }
}

/// The sum of three, each so often.
#[inline(always)]
fn sum([first, second, third]: [f32x4; 3], [a, b, c]: [f32; 3]) -> f32x4 {
    first * f32x4::splat(a) + second * f32x4::splat(b) + third * f32x4::splat(c)
}

/// A triangle's corners as the camera sees them.
struct Corners {
    /// Planar, metres.
    depths: [f32; 3],
    /// What x, y and 1 are multiplied with: for each corner, its weight times the nearness.
    weights: [[f32; 3]; 3],
    /// The same of the nearness itself.
    nearness: [f64; 3],
    /// Below 0 where the back is seen.
    side: f64,
}

impl Corners {
    fn new(view: &ObjectView, triangle: usize) -> Self {
        let (rows, offset) = view.rows();
        let corners = view.corners(triangle).map(|corner| moved(&rows, &offset, corner.into()));
        let facing = Facing::new(corners.each_ref());
        let to_nearness = -1.0 / facing.side;
        let [a, b, c] = facing.weights();
        let weights = |axis: usize, factor: f64| [a, b, c].map(|weight| (weight[axis] * factor) as f32);
        let [x, y, z] = facing.plane();
        Self {
            depths: corners.map(|[_, _, z]| -z as f32),
            weights: [weights(0, to_nearness), weights(1, to_nearness), weights(2, -to_nearness)],
            nearness: [x, y, -z],
            side: to_nearness,
        }
    }

    /// Numbers between those of the corners, times the nearness.
    #[inline(always)]
    fn between(&self, numbers: [f32x4; 3]) -> Form {
        Form(self.weights.map(|weights| sum(numbers, weights)))
    }

    /// The plane's own normal, towards the camera.
    fn flat(&self, last: f32) -> Form {
        // Over its distance it looks away.
        let [a, b, c] = self.nearness;
        let flat = Vector::new(-a, -b, c).normalize();
        Form::even(f32x4::new([flat.x as f32, flat.y as f32, flat.z as f32, last]))
    }

    /// Flat where the corners' normals say nothing; those look at the camera also where the back is seen.
    fn normal(&self, view: &ObjectView, surface: &Surface, last: f32) -> Form {
        match surface.normals.filter(|normals| normals.iter().flatten().any(|part| *part != 0.0)) {
            Some(normals) => {
                let side = if self.side < 0.0 { -1.0 } else { 1.0 };
                let columns = view.normal_columns.map(|column| column * f32x4::splat(side));
                let Form([a, b, c]) = self.between(normals.map(|[x, y, z]| f32x4::new([x, y, z, 0.0])));
                let turned = |normal: f32x4| {
                    let [x, y, z, _] = normal.to_array();
                    sum(columns, [x, y, z])
                };
                Form([turned(a), turned(b), turned(c) + f32x4::new([0.0, 0.0, 0.0, last])])
            }
            None => self.flat(last),
        }
    }
}

impl<'v> Picture<'v> {
    fn new(texture: &'v Texture, uv: [[f32; 2]; 3], corners: &Corners, steps: Option<[f64; 2]>) -> Self {
        let form = corners.between(uv.map(|[u, v]| f32x4::new([u, v, u, v])));
        let change = Change::new(&form, corners, texture.size(), steps.unwrap_or_default());
        let level = match steps {
            Some(_) => change.common(uv, corners.depths).map(|texels| texture.level(texels)),
            None => Some(texture.nearest()),
        };
        Self { texture, uv: form, change, level }
    }

    #[inline(always)]
    fn uv(&self, y: f32, pixel: &Pixel) -> f32x4 {
        self.uv.at(pixel.x, y) * f32x4::splat(pixel.depth)
    }

    #[inline(always)]
    fn place(&self, y: f32, pixel: &mut Pixel) {
        if let Some(level) = &self.level {
            pixel.places = self.texture.places(self.uv(y, pixel), level);
        }
    }

    #[inline(always)]
    fn texel(&self, y: f32, pixel: &Pixel) -> f32x4 {
        match &self.level {
            Some(level) => self.texture.sample_between(pixel.places, level),
            None => self.texel_from_afar(y, pixel),
        }
    }

    #[inline(never)]
    fn texel_from_afar(&self, y: f32, pixel: &Pixel) -> f32x4 {
        let uv = self.uv(y, pixel);
        self.texture.sample_at(uv, &self.texture.level(self.change.longest(uv, pixel.depth)))
    }
}

impl Change {
    fn new(uv: &Form, corners: &Corners, [width, height]: [f64; 2], [x, y]: [f64; 2]) -> Self {
        let sides = f32x4::new([x * width, x * height, y * width, y * height].map(|texels| texels as f32));
        let [[ux, vx, ..], [uy, vy, ..], _] = uv.0.map(|part| part.to_array());
        let [a, b, _] = corners.nearness.map(|part| part as f32);
        Self { texels: f32x4::new([ux, vx, uy, vy]) * sides, nearness: f32x4::new([a, a, b, b]) * sides }
    }

    /// The longer of a pixel's sides in texels, as far as u and v change there: not the diagonal, since of the two the reference's
    /// images are nearer to this one.
    fn longest(&self, uv: f32x4, depth: f32) -> f32 {
        let changes = (self.texels - uv * self.nearness) * f32x4::splat(depth);
        changes
            .to_array()
            .into_iter()
            .fold(0.0, |longest, change| if change.abs() > longest { change.abs() } else { longest })
    }

    /// The same at all corners, where they see the picture from nearly the same distance: finding it for each pixel takes as long
    /// as the rest of its colour.
    fn common(&self, uv: [[f32; 2]; 3], depths: [f32; 3]) -> Option<f32> {
        // A tenth of the way from one image to the next.
        const NEARLY: f32 = 1.07;
        let [a, b, c] = [0, 1, 2].map(|corner| {
            let [u, v] = uv[corner];
            self.longest(f32x4::new([u, v, u, v]), depths[corner])
        });
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        (most <= NEARLY * least).then_some((least + most) / 2.0)
    }
}
