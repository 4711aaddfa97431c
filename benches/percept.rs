//! The whole percept of one 64×64 patch, from rendered depth to pose vectors and curvatures, and its parts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use saccade::math::{Pose, Vector};
use saccade::sensor::{Camera, Curvature, DepthImage, Features, Patch, PointCloud, SurfaceNormal};
use saccade::world::{DepthTo3DLocations, PerceptSpec, SurfaceNormalMethod, Transform};

const SIDE: u32 = 64;

/// A ball of 10 cm around the origin, as a sensor at 0, 0, `distance_m` sees it; 0.0 beside the ball.
fn depth_of_a_ball(zoom: f64, distance_m: f64) -> Vec<f32> {
    let camera = camera(zoom);
    let pixels = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column)));
    let depth = |(row, column)| {
        let ray = camera.ray(row, column);
        let (squared, along) = (ray.norm_squared(), -ray.z * distance_m);
        let discriminant = along * along - squared * (distance_m * distance_m - 0.01);
        if discriminant < 0.0 { 0.0 } else { ((along - discriminant.sqrt()) / squared) as f32 }
    };
    pixels.map(depth).collect()
}

fn camera(zoom: f64) -> Camera {
    Camera::with([SIDE; 2], zoom, 90.0)
}

/// The left half of a depth image, up to the centre, and nothing on the right.
fn left_half(depth_m: &[f32]) -> Vec<f32> {
    let is_left = |index: usize| index % SIDE as usize <= SIDE as usize / 2;
    depth_m.iter().enumerate().map(|(index, depth)| if is_left(index) { *depth } else { 0.0 }).collect()
}

fn cloud_of(depth_m: &[f32], zoom: f64) -> PointCloud {
    let mut image = DepthImage::new(SIDE, SIDE, depth_m);
    image.transform(&[Transform::MISSING_TO_1_M], || 0, &mut || true).expect("nobody says no");
    let pose = Pose::translation(0.0, 1.5, 0.2);
    PointCloud::new(image, None, &camera(zoom), Some(pose), &DepthTo3DLocations::default(), &mut || true)
        .expect("nobody says no")
}

fn percept(c: &mut Criterion) {
    let spec = PerceptSpec::default();
    let depth_m = depth_of_a_ball(10.0, 0.2);
    let looks = [
        ("whole", depth_m.clone(), 10.0),
        ("whole, half of it on the object", left_half(&depth_m), 10.0),
        ("whole, a view finder with 5 % on the object", depth_of_a_ball(1.0, 0.4), 1.0),
    ];
    let mut group = c.benchmark_group("percept of 64×64");
    for (name, depth_m, zoom) in looks {
        group.bench_function(name, |b| {
            b.iter(|| {
                let cloud = cloud_of(black_box(&depth_m), zoom);
                let features = Features::of(&Patch::new(&cloud), &spec, &mut || true).expect("it is a square");
                (cloud.coverage(&mut || true), features)
            });
        });
    }
    group.bench_function("points and mask", |b| b.iter(|| cloud_of(black_box(&depth_m), 10.0)));
    let cloud = cloud_of(&depth_m, 10.0);
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
