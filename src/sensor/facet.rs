//! A surface as it is coloured: some numbers for each triangle, few for each pixel that sees it.
//!
//! What is linear on a triangle is, times the nearness, linear over the pixels too.

use wide::f32x4;

use super::closed_form::normal_of;
use super::object_view::ObjectView;
use super::shading::{Hit, Pixel};
use crate::assets::{Detail, Level, Texture};
use crate::math::Vector;
use crate::world::Shape;

/// With a tag of its own, which each pixel asks for twice: in a spare value of another field it takes three instructions more.
#[derive(Clone, Debug)]
#[repr(u8)]
pub enum Facet<'v> {
    /// Of a mesh, with a picture's part between texels, seen from one distance: its colour; and the place's column and row in
    /// parts of 256 of a texel, and the light.
    Inside(f32x4, Linear, Level<'v>),
    /// Of a mesh, with any other part of a picture: its colours in the light.
    Picture(Linear, Picture<'v>),
    /// Of a mesh, without.
    Even(Linear),
    /// Of what has no mesh: its colour, and where it looks.
    Solid(f32x4, Normal<'v>),
}

/// Four numbers on a triangle: those of its first corner, and what is added of a form times the depth.
#[derive(Clone, Copy, Debug)]
pub struct Linear(pub f32x4, pub Form);

/// In the camera's frame, of any length; behind it 1, since each pixel is lit.
#[derive(Clone, Copy, Debug)]
pub enum Normal<'v> {
    Flat(f32x4),
    /// Of an ellipsoid: so much times the depth, and so much beside.
    Ellipsoid(Form, f32x4),
    Curved(&'v ObjectView<'v>),
}

/// What lies on a triangle of a texture.
#[derive(Clone, Debug)]
pub struct Picture<'v> {
    pub texture: &'v Texture,
    /// (u, v).
    pub uv: Linear,
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
    /// Black, which is not lit.
    pub const NOTHING: Facet<'static> = Facet::Solid(f32x4::ZERO, Normal::Flat(f32x4::ZERO));

    /// Of what has no mesh.
    pub fn new(view: &'v ObjectView<'v>, triangle: usize) -> Self {
        let [red, green, blue] = view.object.spec.color.map(|part| part as f32);
        let normal = match &view.object.shape {
            // MuJoCo's facets, too, have the normals of the ideal surface.
            Shape::Hull(_) | Shape::Cuboid { .. } => Normal::Flat(flat(view, triangle)),
            Shape::Sphere { radius } => ellipsoid(view, &Vector::repeat(*radius)),
            Shape::Ellipsoid { radii } => ellipsoid(view, radii),
            _ => Normal::Curved(view),
        };
        Self::Solid(f32x4::new([red, green, blue, 1.0]), normal)
    }

    /// Gives a pixel its colour but for the picture, where it sees that, or but for the light, and then its normal.
    #[inline(always)]
    pub fn begin(&self, hit: Hit, pixel: &mut Pixel) {
        match self {
            Facet::Inside(color, linear, level) => {
                let place = linear.at(hit);
                pixel.places = level.places_inside(place);
                pixel.texels = level.upper_left(pixel.places);
                pixel.color = *color * f32x4::splat(place.to_array()[2]);
            }
            Facet::Picture(shade, picture) => {
                picture.place(hit, pixel);
                pixel.color = shade.at(hit);
            }
            Facet::Even(shade) => pixel.color = shade.at(hit),
            Facet::Solid(color, normal) => {
                pixel.normal = normal.at(hit);
                pixel.color = *color;
            }
        }
    }

    /// Multiplies its colour with what it sees of the picture.
    #[inline(always)]
    pub fn paint(&self, pixel: &mut Pixel) {
        match self {
            Facet::Inside(_, _, level) => pixel.color *= level.sample_inside(pixel.places, pixel.texels),
            Facet::Picture(_, picture) => pixel.color *= picture.texel(pixel),
            Facet::Even(_) | Facet::Solid(..) => {}
        }
    }
}

impl Linear {
    #[inline(always)]
    fn at(&self, hit: Hit) -> f32x4 {
        let Linear(start, form) = self;
        form.at(hit) + *start
    }
}

impl Normal<'_> {
    #[inline(always)]
    fn at(&self, hit: Hit) -> f32x4 {
        match self {
            Normal::Flat(normal) => *normal,
            Normal::Ellipsoid(form, rest) => form.at(hit) + *rest,
            Normal::Curved(view) => curved(view, hit),
        }
    }
}

/// Linear in the point, which is a ray times its depth.
fn ellipsoid(view: &ObjectView, radii: &Vector) -> Normal<'static> {
    let (of_ray, rest) = view.normals_of_ellipsoid(radii);
    let column = |axis: usize| of_ray.column(axis).into_owned();
    Normal::Ellipsoid(Form([column(0), column(1), -column(2)].map(|column| four(&column, 0.0))), four(&rest, 1.0))
}

/// The normal of another curved surface.
fn curved(view: &ObjectView, hit: Hit) -> f32x4 {
    let ray = view.ray(Vector::new(hit.x.into(), hit.y.into(), -1.0));
    four(&view.turned_normal(&normal_of(&view.object.shape, ray.at(hit.depth.into()))), 1.0)
}

fn four(numbers: &Vector, beside: f32) -> f32x4 {
    f32x4::new([numbers.x as f32, numbers.y as f32, numbers.z as f32, beside])
}

/// Four of a x + b y + c, times the depth.
#[derive(Clone, Copy, Debug)]
pub struct Form(pub [f32x4; 3]);

impl Form {
    #[inline(always)]
    fn at(&self, hit: Hit) -> f32x4 {
        let ([a, b, c], Hit { x, y, depth }) = (self.0, hit);
        (a * f32x4::splat(x) + (b * f32x4::splat(y) + c)) * f32x4::splat(depth)
    }
}

/// The normal of a triangle's plane, towards the camera.
fn flat(view: &ObjectView, triangle: usize) -> f32x4 {
    // Times the nearness, it looks away.
    four(&-Vector::from(view.facing(triangle).plane()).normalize(), 1.0)
}

impl Picture<'_> {
    #[inline(always)]
    fn place(&self, hit: Hit, pixel: &mut Pixel) {
        let Linear(start, form) = &self.uv;
        let along = form.at(hit);
        pixel.detail = self.detail.unwrap_or_else(|| self.texture.detail(self.change.longest(twice(along), hit.depth)));
        pixel.places = self.texture.places(twice(*start + along), &self.texture.level(pixel.detail));
    }

    #[inline(always)]
    fn texel(&self, pixel: &Pixel) -> f32x4 {
        self.texture.sample_between(&pixel.places, &self.texture.level(pixel.detail))
    }
}

/// (u, v, u, v) of (u, v).
#[inline(always)]
fn twice(uv: f32x4) -> f32x4 {
    let [u, v, ..] = uv.to_array();
    f32x4::new([u, v, u, v])
}

impl Change {
    /// Where (u, v, u, v) is so far along from the first corner, the longer of a pixel's sides in texels, as far as u and v change
    /// there: not the diagonal, since of the two the reference's images are nearer to this one.
    fn longest(&self, along: f32x4, depth: f32) -> f32 {
        let changes = (self.texels - along * self.nearness) * f32x4::splat(depth);
        changes
            .to_array()
            .into_iter()
            .fold(0.0, |longest, change| if change.abs() > longest { change.abs() } else { longest })
    }
}
