//! The whole percept of one 64×64 patch, from rendered depth to pose vectors and curvatures, and its parts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::math::{Pose, Vector};
use saccade::sensor::{Camera, Curvature, DepthImage, Features, Patch, PointCloud, SurfaceNormal};
use saccade::world::{DepthTo3DLocations, PerceptSpec, SurfaceNormalMethod, Transform};

const SIDE: u32 = 64;

/// A ball of 10 cm, 10 cm away, that fills a patch of zoom 10.
fn depth_of_a_ball() -> Vec<f32> {
    let camera = Camera::with([SIDE; 2], 10.0, 90.0);
    let pixels = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column)));
    let depth = |(row, column)| {
        let ray = camera.ray(row, column);
        let (squared, along) = (ray.norm_squared(), -ray.z * 0.2);
        ((along - (along * along - squared * (0.04 - 0.01)).sqrt()) / squared) as f32
    };
    pixels.map(depth).collect()
}

fn cloud_of(depth_m: &[f32]) -> PointCloud {
    let mut image = DepthImage::new(SIDE, SIDE, depth_m);
    image.transform(&[Transform::MISSING_TO_1_M], || 0, &mut || true).expect("nobody says no");
    let camera = Camera::with([SIDE; 2], 10.0, 90.0);
    let pose = Pose::translation(0.0, 1.5, 0.2);
    PointCloud::new(image, None, &camera, Some(pose), &DepthTo3DLocations::default(), &mut || true)
        .expect("nobody says no")
}

fn percept(c: &mut Criterion) {
    let depth_m = depth_of_a_ball();
    let spec = PerceptSpec::default();
    let mut group = c.benchmark_group("percept of 64×64");
    group.bench_function("whole", |b| {
        b.iter(|| {
            let cloud = cloud_of(black_box(&depth_m));
            let features = Features::of(&Patch::new(&cloud), &spec, &mut || true).expect("it is a square");
            (cloud.coverage(&mut || true), features)
        });
    });
    group.bench_function("points and mask", |b| b.iter(|| cloud_of(black_box(&depth_m))));
    let cloud = cloud_of(&depth_m);
    let patch = Patch::new(&cloud);
    for method in [SurfaceNormalMethod::Tls, SurfaceNormalMethod::Ols, SurfaceNormalMethod::Naive] {
        group.bench_function(format!("normal, {method:?}"), |b| {
            b.iter(|| SurfaceNormal::of(black_box(&patch), method, &mut || true));
        });
    }
    let normal = Vector::z();
    group.bench_function("curvatures", |b| {
        b.iter(|| Curvature::of(black_box(&patch), &normal, true, &mut || true));
    });
    group.finish();
}

criterion_group!(benches, percept);
criterion_main!(benches);
