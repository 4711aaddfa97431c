//! Faces of more than three corners, cut into triangles that cover exactly the outline.

use crate::math::Vector;

/// The triangles of a polygon, by the places of its corners, in its own sense of rotation. A polygon whose corners all bend
/// the same way is a fan around its first; another loses ear after ear. One without area has no triangles.
pub fn triangulate(corners: &[Vector]) -> Vec<[usize; 3]> {
    let normal = newell_normal(corners);
    if corners.len() < 3 || normal.norm_squared() == 0.0 {
        return Vec::new();
    }
    let all: Vec<usize> = (0..corners.len()).collect();
    let bends_outwards = |i: usize| {
        let n = corners.len();
        turn(corners, &normal, [(i + n - 1) % n, i, (i + 1) % n]) >= 0.0
    };
    if all.iter().all(|i| bends_outwards(*i)) {
        return (1..corners.len() - 1).map(|i| [0, i, i + 1]).collect();
    }
    cut_ears(corners, &normal, all)
}

/// Its length is twice the area of the polygon's projection along it.
fn newell_normal(corners: &[Vector]) -> Vector {
    let Some(first) = corners.first() else { return Vector::zeros() };
    let pairs = corners.iter().zip(corners.iter().skip(1));
    pairs.map(|(a, b)| (a - first).cross(&(b - first))).sum()
}

/// Above 0 where the way from a over b to c bends like the polygon.
fn turn(corners: &[Vector], normal: &Vector, [a, b, c]: [usize; 3]) -> f64 {
    (corners[b] - corners[a]).cross(&(corners[c] - corners[b])).dot(normal)
}

fn cut_ears(corners: &[Vector], normal: &Vector, mut left: Vec<usize>) -> Vec<[usize; 3]> {
    let mut triangles = Vec::with_capacity(left.len());
    while left.len() > 3 {
        let n = left.len();
        let around = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let is_ear = |i: &usize| is_ear(corners, normal, &left, around(*i));
        // A polygon that crosses itself may have no ear; then the corner goes that bends outwards most.
        let widest =
            || (0..n).max_by(|i, j| turn(corners, normal, around(*i)).total_cmp(&turn(corners, normal, around(*j))));
        let ear = (0..n).find(is_ear).or_else(widest).expect("more than three corners are left");
        triangles.push(around(ear));
        left.remove(ear);
    }
    triangles.extend(<[usize; 3]>::try_from(left));
    triangles
}

fn is_ear(corners: &[Vector], normal: &Vector, left: &[usize], ear: [usize; 3]) -> bool {
    let [a, b, c] = ear;
    let is_inside = |p: usize| {
        let is_left_of = |from: usize, to: usize| turn(corners, normal, [from, to, p]) >= 0.0;
        is_left_of(a, b) && is_left_of(b, c) && is_left_of(c, a)
    };
    let stands_apart = |p: &&usize| !ear.contains(p) && ear.iter().all(|e| corners[*e] != corners[**p]);
    turn(corners, normal, ear) > 0.0 && !left.iter().filter(stands_apart).any(|p| is_inside(*p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vector], triangles: &[[usize; 3]]) -> f64 {
        let of = |[a, b, c]: &[usize; 3]| (corners[*b] - corners[*a]).cross(&(corners[*c] - corners[*a])).z / 2.0;
        assert!(triangles.iter().all(|t| of(t) >= 0.0), "{triangles:?}");
        triangles.iter().map(of).sum()
    }

    #[test]
    fn every_start_of_a_concave_outline_gives_its_area() {
        let outline = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (3.0, 3.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];
        let corners: Vec<Vector> = outline.iter().map(|(x, y)| Vector::new(*x, *y, 0.0)).collect();
        for start in 0..corners.len() {
            let mut turned = corners.clone();
            turned.rotate_left(start);
            let triangles = triangulate(&turned);
            assert_eq!((triangles.len(), area(&turned, &triangles)), (6, 8.0), "{start}");
        }
    }

    #[test]
    fn a_quad_is_two_and_a_line_none() {
        let quad = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vector::new(x, y, 0.0));
        assert_eq!(triangulate(&quad), [[0, 1, 2], [0, 2, 3]]);
        let line = [0.0, 1.0, 2.0, 1.0].map(|x| Vector::new(x, 0.0, 0.0));
        assert!(triangulate(&line).is_empty());
    }
}
