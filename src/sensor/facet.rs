//! A triangle as it is coloured: its normal and its paint over the pixels that see it.

use super::light::LightRow;
use super::object_view::ObjectView;
use super::triangle::{Facing, moved};
use super::visible::Seen;
use crate::assets::{Level, Mesh, Surface, Texture};
use crate::math::Vector;
use crate::world::Shape;

#[derive(Clone, Debug)]
pub struct Facet<'v> {
    pub seen: Seen,
    /// The sum of the corners' weights.
    weight: Form,
    normal: Normal,
    paint: Paint<'v>,
}

#[derive(Clone, Copy, Debug)]
enum Normal {
    Flat([f32; 3]),
    /// Between those of the corners, of any length.
    Smooth([Form; 3]),
}

#[derive(Clone, Debug)]
enum Paint<'v> {
    /// The colour of the world file.
    Plain([f32; 3]),
    Material(PaintedMaterial<'v>),
}

/// What a mesh's own materials say, multiplied.
#[derive(Clone, Debug)]
struct PaintedMaterial<'v> {
    color: [f32; 3],
    corners: Option<[Form; 3]>,
    texture: Option<Painted<'v>>,
}

#[derive(Clone, Debug)]
struct Painted<'v> {
    texture: &'v Texture,
    /// u and v, times the weight.
    uv: [Form; 2],
    /// Texels along u and v, times the step to the neighbouring pixel along x and along y.
    texels: [[f64; 2]; 2],
    /// How far all of the triangle is seen from, if that is one distance.
    level: Option<Level>,
}

/// a x + b y - c.
#[derive(Clone, Copy, Debug)]
struct Form([f64; 3]);

impl Form {
    fn at(&self, x: f64, y: f64) -> f64 {
        self.along(y).at(x)
    }

    fn along(&self, y: f64) -> Line {
        Line([self.0[0], self.0[1] * y - self.0[2]])
    }

    fn sum(forms: &[Form; 3]) -> Self {
        Self([0, 1, 2].map(|part| forms[0].0[part] + forms[1].0[part] + forms[2].0[part]))
    }

    /// What the weights make of a number at each corner.
    fn between(weights: &[Form; 3], corners: [f64; 3]) -> Self {
        Self([0, 1, 2].map(|part| {
            weights[0].0[part] * corners[0] + weights[1].0[part] * corners[1] + weights[2].0[part] * corners[2]
        }))
    }
}

impl<'v> Facet<'v> {
    /// `steps` lead to a pixel's right neighbour along x, and to its lower along y.
    pub fn new(view: &'v ObjectView<'v>, seen: Seen, steps: [f64; 2]) -> Self {
        let (rows, offset) = view.rows();
        let corners = view.corners(seen.triangle).map(|c| moved(&rows, &offset, &[[c.x], [c.y], [c.z]]));
        let facing = Facing::<1>::new(corners.each_ref());
        let weights = facing.weights().map(Form);
        // The plane's own normal over its distance looks away from the camera.
        let flat = -Vector::from(facing.plane()).normalize();
        let places = corners.map(|[[x], [y], [z]]| [-x / z, -y / z]);
        let (mut normal, mut paint) = (Normal::flat(flat), None);
        if let Shape::Mesh(shape) = &view.object.shape {
            normal = Normal::of(view, &shape.mesh.surfaces[seen.triangle], &weights, flat);
            paint = PaintedMaterial::of(&shape.mesh, seen.triangle, &weights, steps, &places);
        }
        let paint = paint.map_or(Paint::Plain(view.object.spec.color.map(|part| part as f32)), Paint::Material);
        Self { seen, weight: Form::sum(&weights), normal, paint }
    }

    /// Puts the normals of a row's pixels.
    pub fn normals(&self, x_at: &[f64], y: f64, light: &mut LightRow) {
        match &self.normal {
            Normal::Flat(flat) => x_at.iter().for_each(|_| light.push(*flat)),
            Normal::Smooth(forms) => {
                let lines = forms.each_ref().map(|form| form.along(y));
                x_at.iter().for_each(|x| light.push(lines.each_ref().map(|line| line.at(*x) as f32)));
            }
        }
    }

    /// The colours of a row's pixels, of which the first has this number in the light; without light, the paint itself.
    pub fn color(&self, x_at: &[f64], y: f64, light: Option<(&LightRow, usize)>, mut put: impl FnMut([f32; 3])) {
        match (&self.paint, light) {
            (Paint::Plain(color), None) => x_at.iter().for_each(|_| put(*color)),
            (Paint::Plain(color), Some((light, first))) => {
                (first..first + x_at.len()).for_each(|pixel| put(light.shade(pixel, *color)));
            }
            (Paint::Material(paint), None) => {
                let row = PaintRow::new(paint, &self.weight, y);
                x_at.iter().for_each(|x| put(row.color(*x, false)));
            }
            (Paint::Material(paint), Some((light, first))) => {
                let row = PaintRow::new(paint, &self.weight, y);
                (first..).zip(x_at).for_each(|(pixel, x)| put(light.shade_painted(pixel, row.color(*x, true))));
            }
        }
    }
}

/// A paint along one row.
struct PaintRow<'f> {
    color: [f32; 3],
    weight: Line,
    corners: Option<[Line; 3]>,
    texture: Option<(&'f Painted<'f>, [Line; 2])>,
    sum: &'f Form,
}

impl<'f> PaintRow<'f> {
    fn new(paint: &'f PaintedMaterial<'f>, weight: &'f Form, y: f64) -> Self {
        let line = |form: &Form| form.along(y);
        Self {
            color: paint.color,
            weight: line(weight),
            corners: paint.corners.as_ref().map(|forms| forms.each_ref().map(line)),
            texture: paint.texture.as_ref().map(|painted| (painted, painted.uv.each_ref().map(line))),
            sum: weight,
        }
    }

    #[inline(always)]
    fn color(&self, x: f64, is_smoothed: bool) -> [f32; 3] {
        let to_one = 1.0 / self.weight.at(x);
        let mut color = self.color;
        if let Some(corners) = &self.corners {
            color = [0, 1, 2].map(|part| color[part] * (corners[part].at(x) * to_one) as f32);
        }
        if let Some((painted, [u, v])) = &self.texture {
            let uv = [u.at(x) * to_one, v.at(x) * to_one];
            let texel = painted.texel(uv, to_one, self.sum, is_smoothed);
            color = [0, 1, 2].map(|part| color[part] * texel[part]);
        }
        color
    }
}

/// a x + b, a form along a row.
#[derive(Clone, Copy, Debug)]
struct Line([f64; 2]);

impl Line {
    fn at(&self, x: f64) -> f64 {
        self.0[0] * x + self.0[1]
    }
}

impl Normal {
    fn flat(normal: Vector) -> Self {
        Normal::Flat([normal.x, normal.y, normal.z].map(|part| part as f32))
    }

    /// The flat one where the corners' say nothing.
    fn of(view: &ObjectView, surface: &Surface, weights: &[Form; 3], flat: Vector) -> Self {
        let Some(normals) = surface.normals.filter(|normals| normals.iter().flatten().any(|part| *part != 0.0)) else {
            return Normal::flat(flat);
        };
        let turned = normals.map(|normal| view.turned_normal(&Vector::from(normal.map(f64::from))));
        // From behind the weights are below 0, so these look at the camera as well.
        Normal::Smooth([0, 1, 2].map(|axis| Form::between(weights, turned.map(|normal| normal[axis]))))
    }
}

impl<'v> PaintedMaterial<'v> {
    /// `None` if they say nothing. The corners are seen at these places.
    fn of(
        mesh: &'v Mesh,
        triangle: usize,
        weights: &[Form; 3],
        steps: [f64; 2],
        places: &[[f64; 2]; 3],
    ) -> Option<Self> {
        let (material, surface) = (mesh.material(triangle), &mesh.surfaces[triangle]);
        let texture = surface.uv.zip(material.texture.as_ref());
        let texture = texture.map(|(uv, texture)| Painted::new(texture, uv, weights, steps, places));
        let corners = surface
            .colors
            .map(|colors| [0, 1, 2].map(|part| Form::between(weights, colors.map(|color| f64::from(color[part])))));
        let says_nothing = material.color.is_none() && texture.is_none() && corners.is_none();
        let color = material.color.unwrap_or([1.0; 3]).map(|part| part as f32);
        (!says_nothing).then_some(Self { color, corners, texture })
    }
}

impl<'v> Painted<'v> {
    fn new(
        texture: &'v Texture,
        uv: [[f32; 2]; 3],
        weights: &[Form; 3],
        steps: [f64; 2],
        places: &[[f64; 2]; 3],
    ) -> Self {
        let forms = [0, 1].map(|axis| Form::between(weights, uv.map(|corner| f64::from(corner[axis]))));
        let [width, height] = texture.size();
        let texels = steps.map(|step| [step * width, step * height]);
        let mut painted = Self { texture, uv: forms, texels, level: None };
        painted.level = painted.common_level(&Form::sum(weights), places);
        painted
    }

    /// Where the corners see the picture from nearly the same distance, that between: finding it for each pixel takes as long as
    /// the rest of its colour.
    fn common_level(&self, weight: &Form, places: &[[f64; 2]; 3]) -> Option<Level> {
        // A tenth of the way from one image to the next.
        const NEARLY: f64 = 1.07;
        let [a, b, c] = places.map(|[x, y]| {
            let to_one = 1.0 / weight.at(x, y);
            let uv = self.uv.each_ref().map(|form| form.at(x, y) * to_one);
            self.longest(uv, to_one, weight)
        });
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        (most <= NEARLY * least).then(|| self.texture.level((least + most) / 2.0))
    }

    fn texel(&self, uv: [f64; 2], to_one: f64, weight: &Form, is_smoothed: bool) -> [f32; 4] {
        if !is_smoothed {
            return self.texture.sample(uv);
        }
        let level = self.level.unwrap_or_else(|| self.texture.level(self.longest(uv, to_one, weight)));
        self.texture.sample_at(uv, level)
    }

    /// The longer of a pixel's sides in texels, as far as u and v change there: not the diagonal, since of the two the reference's
    /// images are nearer to this one.
    fn longest(&self, uv: [f64; 2], to_one: f64, weight: &Form) -> f64 {
        let mut longest = 0.0;
        for (axis, texels) in self.texels.iter().enumerate() {
            for part in 0..2 {
                let change = (self.uv[part].0[axis] - uv[part] * weight.0[axis]) * to_one * texels[part];
                longest = if change.abs() > longest { change.abs() } else { longest };
            }
        }
        longest
    }
}
