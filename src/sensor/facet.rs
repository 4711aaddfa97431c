//! A surface as it is coloured: some numbers for each triangle, few for each pixel that sees it.
//!
//! What is linear on a triangle is, times the nearness, linear over the pixels too.

use wide::f32x4;

use super::closed_form::normal_of;
use super::object_view::ObjectView;
use super::shading::Pixel;
use crate::assets::{Detail, Level, Texture, UNIT};
use crate::math::Vector;
use crate::world::Shape;

#[derive(Clone, Debug)]
pub struct Facet<'v> {
    color: f32x4,
    normal: Normal<'v>,
    paint: Paint<'v>,
    /// What its vertices multiply the colour with.
    corners: Option<Form>,
}

/// In the camera's frame, of any length; behind it 1 where the paint is a mesh's own, else 0.
#[derive(Clone, Copy, Debug)]
enum Normal<'v> {
    /// Flat or between those of the corners.
    Form(Form),
    /// Of an ellipsoid: so much times the depth, and so much beside.
    Ellipsoid(Form, f32x4),
    Curved(&'v ObjectView<'v>),
}

/// What the colour is multiplied with.
#[derive(Clone, Debug)]
pub enum Paint<'v> {
    Even,
    /// A picture's part between texels, seen from one distance: places in parts of 256 of a texel, times the nearness.
    Inside(Form, Level<'v>),
    Picture(Picture<'v>),
}

/// What lies on a triangle of a texture.
#[derive(Clone, Debug)]
pub struct Picture<'v> {
    pub texture: &'v Texture,
    /// (u, v, u, v), times the nearness.
    pub uv: Form,
    pub change: Change,
    /// How far all of the triangle is seen from, if that is one distance.
    pub detail: Option<Detail>,
}

/// How a picture changes from pixel to pixel.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Of u and v along x and along y, in texels and times the nearness.
    pub texels: f32x4,
    /// Of the nearness, times the picture's sides.
    pub nearness: f32x4,
}

impl<'v> Facet<'v> {
    /// Black, which no light changes.
    pub const NOTHING: Facet<'static> =
        Facet { color: f32x4::ZERO, normal: Normal::Form(Form([f32x4::ZERO; 3])), paint: Paint::Even, corners: None };

    /// Of what has no mesh.
    pub fn new(view: &'v ObjectView<'v>, triangle: usize) -> Self {
        let color = color_of(view.object.spec.color);
        let normal = match &view.object.shape {
            // MuJoCo's facets, too, have the normals of the ideal surface.
            Shape::Hull(_) | Shape::Cuboid { .. } => Normal::Form(flat(view, triangle)),
            Shape::Sphere { radius } => ellipsoid(view, &Vector::repeat(*radius)),
            Shape::Ellipsoid { radii } => ellipsoid(view, radii),
            _ => Normal::Curved(view),
        };
        Self { color, normal, paint: Paint::Even, corners: None }
    }

    /// Of a mesh. `is_own` says whether the colour is the mesh's own and not the world's.
    #[inline(always)]
    pub fn of_mesh(color: [f64; 3], is_own: bool, normal: Form, paint: Paint<'v>, corners: Option<Form>) -> Self {
        let own = f32x4::new([0.0, 0.0, 0.0, f32::from(u8::from(is_own))]);
        let [a, b, c] = normal.0;
        let unit = if matches!(paint, Paint::Even) { 1.0 } else { UNIT };
        let color = color_of(color) * f32x4::splat(unit);
        Self { color, normal: Normal::Form(Form([a, b, c + own])), paint, corners }
    }

    /// Gives a pixel its normal, and its places in the picture.
    #[inline(always)]
    pub fn begin(&self, y: f32, pixel: &mut Pixel) {
        pixel.normal = match &self.normal {
            Normal::Form(form) => form.at(pixel.x, y),
            Normal::Ellipsoid(form, rest) => form.at(pixel.x, y) * f32x4::splat(pixel.depth) + *rest,
            Normal::Curved(view) => curved(view, y, pixel),
        };
        match &self.paint {
            Paint::Even => {}
            Paint::Inside(places, level) => {
                pixel.places = level.places_inside(places.at(pixel.x, y) * f32x4::splat(pixel.depth));
            }
            Paint::Picture(picture) => picture.place(y, pixel),
        }
    }

    /// Gives it the colour that it has before there is light.
    #[inline(always)]
    pub fn paint(&self, y: f32, pixel: &mut Pixel) {
        let mut color = self.color;
        match &self.paint {
            Paint::Even => {}
            Paint::Inside(_, level) => color *= level.sample_inside(pixel.places),
            Paint::Picture(picture) => color *= picture.texel(pixel),
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

/// Linear in the point, which is a ray times its depth.
fn ellipsoid(view: &ObjectView, radii: &Vector) -> Normal<'static> {
    let (of_ray, rest) = view.normals_of_ellipsoid(radii);
    let four = |numbers: Vector| f32x4::new([numbers.x as f32, numbers.y as f32, numbers.z as f32, 0.0]);
    let column = |axis: usize| of_ray.column(axis).into_owned();
    Normal::Ellipsoid(Form([four(column(0)), four(column(1)), four(-column(2))]), four(rest))
}

/// The normal of another curved surface.
fn curved(view: &ObjectView, y: f32, pixel: &Pixel) -> f32x4 {
    let ray = view.ray(Vector::new(pixel.x.into(), y.into(), -1.0));
    let [x, y, z] = view.turned_normal(&normal_of(&view.object.shape, ray.at(pixel.depth.into()))).into();
    f32x4::new([x as f32, y as f32, z as f32, 0.0])
}

/// Four of a x + b y + c.
#[derive(Clone, Copy, Debug)]
pub struct Form(pub [f32x4; 3]);

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

/// The normal of a triangle's plane, towards the camera.
fn flat(view: &ObjectView, triangle: usize) -> Form {
    // Times the nearness, it looks away.
    let normal = -Vector::from(view.facing(triangle).plane()).normalize();
    Form::even(f32x4::new([normal.x as f32, normal.y as f32, normal.z as f32, 0.0]))
}

impl Picture<'_> {
    #[inline(always)]
    fn place(&self, y: f32, pixel: &mut Pixel) {
        let uv = self.uv.at(pixel.x, y) * f32x4::splat(pixel.depth);
        pixel.detail = self.detail.unwrap_or_else(|| self.texture.detail(self.change.longest(uv, pixel.depth)));
        pixel.places = self.texture.places(uv, &self.texture.level(pixel.detail));
    }

    #[inline(always)]
    fn texel(&self, pixel: &Pixel) -> f32x4 {
        self.texture.sample_between(&pixel.places, &self.texture.level(pixel.detail))
    }
}

impl Change {
    /// The longer of a pixel's sides in texels, as far as u and v change there: not the diagonal, since of the two the reference's
    /// images are nearer to this one.
    fn longest(&self, uv: f32x4, depth: f32) -> f32 {
        let changes = (self.texels - uv * self.nearness) * f32x4::splat(depth);
        changes
            .to_array()
            .into_iter()
            .fold(0.0, |longest, change| if change.abs() > longest { change.abs() } else { longest })
    }
}
