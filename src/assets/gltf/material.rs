//! Materials: base colour and its texture, both sides or one, alpha as a mask.

use ::gltf as format;
use format::material::AlphaMode;
use format::texture::WrappingMode;

use super::super::error::AssetError;
use super::super::image::decode;
use super::super::mesh::{Material, MeshBuilder};
use super::super::source::Files;
use super::super::texture::{Image, Texture, Wrap};
use super::accessor::{Buffers, resource};
use crate::math::{cos, pow, sin};

/// The document's materials, and where the builder has them.
#[derive(Debug)]
pub struct Materials {
    of_document: Vec<UvTransform>,
    /// The builder's material for primitives that name none.
    plain: Option<u32>,
}

/// u and v of a set, scaled, turned, moved: KHR_texture_transform.
#[derive(Clone, Copy, Debug)]
pub struct UvTransform {
    set: u32,
    scale: [f64; 2],
    rotation: f64,
    offset: [f64; 2],
}

impl UvTransform {
    const NONE: UvTransform = UvTransform { set: 0, scale: [1.0; 2], rotation: 0.0, offset: [0.0; 2] };

    pub fn apply(&self, [u, v]: [f64; 2]) -> [f32; 2] {
        let [u, v] = [u * self.scale[0], v * self.scale[1]];
        let (s, c) = (sin(self.rotation), cos(self.rotation));
        [c * u + s * v + self.offset[0], c * v - s * u + self.offset[1]].map(|part| part as f32)
    }
}

impl Materials {
    pub fn read(
        file: &str,
        document: &format::Document,
        buffers: &Buffers,
        builder: &mut MeshBuilder,
        files: &mut Files,
    ) -> Result<Self, AssetError> {
        // Materials share a picture that they take in the same way.
        let mut textures: Vec<(usize, Texture)> = Vec::new();
        let mut of_document = Vec::new();
        for material in document.materials() {
            let pbr = material.pbr_metallic_roughness();
            let texture = match pbr.base_color_texture() {
                None => None,
                Some(info) => {
                    let (image, sampler) = (info.texture().source(), info.texture().sampler());
                    let wrap = [sampler.wrap_s(), sampler.wrap_t()].map(wrap);
                    let known = textures.iter().find(|(index, known)| *index == image.index() && known.wrap == wrap);
                    let texture = match known {
                        Some((_, texture)) => texture.clone(),
                        None => Texture::new(read_image(file, &image, buffers, files)?, wrap),
                    };
                    textures.push((image.index(), texture.clone()));
                    Some(texture)
                }
            };
            of_document.push(pbr.base_color_texture().map_or(UvTransform::NONE, |info| uv_transform(&info)));
            let [red, green, blue, alpha] = pbr.base_color_factor();
            let cutoff = (material.alpha_mode() == AlphaMode::Mask).then(|| material.alpha_cutoff().unwrap_or(0.5));
            builder.materials.push(Material {
                color: Some([red, green, blue].map(|part| display(part.into()) as f32)),
                texture,
                is_double_sided: material.double_sided(),
                // The factor's alpha is multiplied into the texture's; so the bar is lower by as much.
                alpha_cutoff: cutoff.map(|cutoff| if alpha > 0.0 { f64::from(cutoff / alpha) } else { f64::INFINITY }),
            });
        }
        Ok(Self { of_document, plain: None })
    }

    /// Where the builder has a primitive's material.
    pub fn of(&mut self, material: &format::Material, builder: &mut MeshBuilder) -> u32 {
        match (material.index(), self.plain) {
            (Some(index), _) => index as u32,
            (None, Some(plain)) => plain,
            (None, None) => {
                let plain = builder.materials.len() as u32;
                builder.materials.push(Material::PLAIN);
                self.plain = Some(plain);
                plain
            }
        }
    }

    /// The set of uv that a material uses, and what it does with them.
    pub fn uv_of(&self, material: &format::Material) -> (u32, UvTransform) {
        let transform = material.index().map_or(UvTransform::NONE, |index| self.of_document[index]);
        (transform.set, transform)
    }
}

fn uv_transform(info: &format::texture::Info) -> UvTransform {
    let Some(transform) = info.texture_transform() else {
        return UvTransform { set: info.tex_coord(), ..UvTransform::NONE };
    };
    UvTransform {
        set: transform.tex_coord().unwrap_or(info.tex_coord()),
        scale: transform.scale().map(f64::from),
        rotation: transform.rotation().into(),
        offset: transform.offset().map(f64::from),
    }
}

fn wrap(mode: WrappingMode) -> Wrap {
    match mode {
        WrappingMode::ClampToEdge => Wrap::Clamp,
        WrappingMode::MirroredRepeat => Wrap::Mirror,
        WrappingMode::Repeat => Wrap::Repeat,
    }
}

fn read_image(file: &str, image: &format::Image, buffers: &Buffers, files: &Files) -> Result<Image, AssetError> {
    match image.source() {
        format::image::Source::View { view, .. } => {
            decode(&format!("{file} (image {})", image.index()), buffers.view(&view)?)
        }
        format::image::Source::Uri { uri, .. } => {
            let (name, bytes) = resource(file, uri, files)?;
            decode(&name, &bytes)
        }
    }
}

/// A part of a colour of glTF, which is linear, as screens take it: sRGB.
pub fn display(linear: f64) -> f64 {
    let linear = linear.clamp(0.0, 1.0);
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * pow(linear, 1.0 / 2.4) - 0.055 }
}
