//! Draws an object into a band: by its closed form pixel by pixel, by its triangles one after the other, or by rays through its
//! tree where triangles outnumber the pixels. Which of the last two it is never shows in a result: both take a triangle by the
//! same arithmetic.

use std::mem::take;

use super::band::Work;
use super::cover::{Covered, Screen};
use super::crossing::{Crossing, is_hole};
use super::entries::{RAYS, Row};
use super::object_view::{ObjectView, Places};
use super::triangle::Facing;
use super::visible::{Grid, Rectangle, Seen, Visible};
use crate::assets::{Caster, Clusters, Frustum, Mesh};
use crate::math::Vector;
use crate::protocol::Abandoned;
use crate::world::Shape;

/// Draws into one band.
#[derive(Debug)]
pub struct Painter<'g> {
    pub grid: &'g Grid,
    /// A surface nearer than this is not seen, metres.
    pub near_m: f64,
    /// Room for the numbers of clusters.
    pub clusters: Vec<u32>,
    /// And for those of one cluster's triangles that may cover a pixel.
    pub covered: Vec<Covered>,
}

/// What is drawn, and where.
struct Task<'t> {
    view: &'t ObjectView<'t>,
    clusters: &'t Clusters,
    /// The mesh, if some of its materials have two sides or holes.
    odd: Option<&'t Mesh>,
    rectangle: Rectangle,
}

impl Painter<'_> {
    pub fn draw(&mut self, view: &ObjectView, visible: &mut Visible, work: &mut Work) -> Result<(), Abandoned> {
        let rectangle = view.covers(self.grid, &visible.band);
        if rectangle.is_empty() {
            return Ok(());
        }
        visible.drawn = visible.drawn.with(&rectangle);
        match (view.object.clusters(), &view.object.shape) {
            (None, _) => self.draw_closed_form(view, &rectangle, visible, work),
            (Some(clusters), Shape::Mesh(shape)) => {
                let odd = has_odd_materials(&shape.mesh).then_some(&*shape.mesh);
                self.draw_mesh(&Task { view, clusters, odd, rectangle }, &shape.mesh, visible, work)
            }
            (Some(clusters), _) => {
                let task = Task { view, clusters, odd: None, rectangle };
                self.find_clusters(&task);
                self.draw_clusters(&task, visible, work)
            }
        }
    }

    fn draw_closed_form(
        &self,
        view: &ObjectView,
        rectangle: &Rectangle,
        visible: &mut Visible,
        work: &mut Work,
    ) -> Result<(), Abandoned> {
        let number = Seen { object: view.index, triangle: 0 }.packed();
        let [first, last] = rectangle.columns.map(|column| column as usize);
        for row in rectangle.rows[0]..=rectangle.rows[1] {
            let (nearness, seen) = visible.span(row, rectangle.columns);
            let rays = Row::new(view, self.grid.y_at[row as usize]);
            let places = self.grid.x_at[first..=last].chunks(RAYS);
            for ((x_at, nearness), seen) in places.zip(nearness.chunks_mut(RAYS)).zip(seen.chunks_mut(RAYS)) {
                let x: [f64; RAYS] = std::array::from_fn(|ray| x_at[ray.min(x_at.len() - 1)]);
                let entries = rays.enters(&view.object.shape, &x);
                for ((entry, nearest), seen) in entries.iter().zip(nearness).zip(seen) {
                    let near = if *entry > self.near_m { 1.0 / entry } else { 0.0 };
                    if near > *nearest {
                        (*nearest, *seen) = (near, number);
                    }
                }
            }
            work.spend(CLOSED_FORM * (last - first + 1))?;
        }
        Ok(())
    }

    fn draw_mesh(&mut self, task: &Task, mesh: &Mesh, visible: &mut Visible, work: &mut Work) -> Result<(), Abandoned> {
        let by_triangles = self.find_clusters(task) * TRIANGLE;
        let is_drawn = by_triangles > task.rectangle.pixels() * RAY
            && self.draw_by_rays(task, mesh, RAYS_FOR_TRIANGLES * by_triangles, visible, work)?;
        if is_drawn { Ok(()) } else { self.draw_clusters(task, visible, work) }
    }

    /// Notes the clusters that may be seen, and counts their triangles.
    fn find_clusters(&mut self, task: &Task) -> usize {
        let frustum = frustum(task.view, self.grid, &task.rectangle);
        let mut triangles = 0;
        self.clusters.clear();
        task.clusters.visit(&frustum, |number| {
            self.clusters.push(number as u32);
            triangles += task.clusters.clusters[number].triangles.len();
        });
        triangles
    }

    fn draw_clusters(&mut self, task: &Task, visible: &mut Visible, work: &mut Work) -> Result<(), Abandoned> {
        let screen = Screen::new(task.view, self.grid, &task.rectangle);
        let mut covered = take(&mut self.covered);
        for number in &self.clusters {
            let cluster = &task.clusters.clusters[*number as usize];
            screen.cover(cluster, task.clusters.eights(cluster), &mut covered);
            for Covered { triangle, pixels } in &covered {
                self.draw_triangle(task, *triangle, pixels, visible, work)?;
            }
            work.spend(TRIANGLE * cluster.triangles.len())?;
        }
        self.covered = covered;
        Ok(())
    }

    fn draw_triangle(
        &self,
        task: &Task,
        triangle: usize,
        covered: &Rectangle,
        visible: &mut Visible,
        work: &mut Work,
    ) -> Result<(), Abandoned> {
        let facing = facing(task.view, task.odd, triangle);
        if facing.side >= 0.0 {
            return Ok(());
        }
        match task.odd.filter(|mesh| may_have_hole(mesh, triangle)) {
            Some(mesh) => {
                work.spend(HOLE * covered.pixels())?;
                self.fill_around_holes(task.view, mesh, triangle, &facing, covered, visible);
            }
            None => {
                work.spend(covered.pixels())?;
                self.fill(task.view, triangle, &facing, covered, visible);
            }
        }
        Ok(())
    }

    fn fill(&self, view: &ObjectView, triangle: usize, facing: &Facing, covered: &Rectangle, visible: &mut Visible) {
        let number = Seen { object: view.index, triangle }.packed();
        if covered.columns[1] - covered.columns[0] >= WIDE {
            return self.fill_wide(number, facing, covered, visible);
        }
        let x_at = &self.grid.x_at[covered.columns[0] as usize..=covered.columns[1] as usize];
        for row in covered.rows[0]..=covered.rows[1] {
            let (nearness, seen) = visible.span(row, covered.columns);
            facing.row(self.grid.y_at[row as usize]).draw(x_at, 1.0 / self.near_m, number, nearness, seen);
        }
    }

    /// Row by row no farther than to its edges.
    #[inline(never)]
    fn fill_wide(&self, number: u64, facing: &Facing, covered: &Rectangle, visible: &mut Visible) {
        let slants = facing.slants(self.grid.column);
        for row in covered.rows[0]..=covered.rows[1] {
            let facing = facing.row(self.grid.y_at[row as usize]);
            let [first, last] = slants.columns(&facing, covered.columns);
            if first <= last {
                let (nearness, seen) = visible.span(row, [first, last]);
                let x_at = &self.grid.x_at[first as usize..=last as usize];
                facing.draw(x_at, 1.0 / self.near_m, number, nearness, seen);
            }
        }
    }

    /// Pixel by pixel, since each that would be drawn asks the texture.
    fn fill_around_holes(
        &self,
        view: &ObjectView,
        mesh: &Mesh,
        triangle: usize,
        facing: &Facing,
        covered: &Rectangle,
        visible: &mut Visible,
    ) {
        let number = Seen { object: view.index, triangle }.packed();
        for row in covered.rows[0]..=covered.rows[1] {
            let (nearness, seen) = visible.span(row, covered.columns);
            let y = self.grid.y_at[row as usize];
            let x_at = &self.grid.x_at[covered.columns[0] as usize..=covered.columns[1] as usize];
            for ((x, nearest), seen) in x_at.iter().zip(nearness).zip(seen) {
                let near = facing.nearness(*x, y);
                if near > *nearest && near < 1.0 / self.near_m && is_open_at(view, mesh, triangle, *x, y) {
                    (*nearest, *seen) = (near, number);
                }
            }
        }
    }

    /// The pixels that the noted clusters may cover.
    fn around_clusters(&self, task: &Task) -> Rectangle {
        let mut places = Places::nowhere();
        for number in &self.clusters {
            let cluster = &task.clusters.clusters[*number as usize];
            places.add_ball(&task.view.to_camera(&cluster.centre), task.view.radius(cluster.radius), self.grid);
        }
        places.rectangle(&task.rectangle)
    }

    /// Whether it came to the end with so much work: rays that pass most triangles, as of many at one place, take far longer
    /// than drawing these. What was drawn until then stays as it would be drawn again.
    fn draw_by_rays(
        &self,
        task: &Task,
        mesh: &Mesh,
        most_work: usize,
        visible: &mut Visible,
        work: &mut Work,
    ) -> Result<bool, Abandoned> {
        let (Task { view, odd, .. }, rectangle) = (task, self.around_clusters(task));
        if rectangle.is_empty() {
            return Ok(true);
        }
        let [first, last] = rectangle.columns.map(|column| column as usize);
        let (mut caster, mut done) = (mesh.bvh.from(&view.camera), 0);
        for row in rectangle.rows[0]..=rectangle.rows[1] {
            let (nearness, seen) = visible.span(row, rectangle.columns);
            let y = self.grid.y_at[row as usize];
            for ((x, nearest), seen) in self.grid.x_at[first..=last].iter().zip(nearness).zip(seen) {
                let mut ray =
                    Nearest { x: *x, y, most: 1.0 / self.near_m, nearness: *nearest, triangle: None, tried: 0 };
                let leaves = ray.find(view, &mut caster, *odd);
                if let Some(triangle) = ray.triangle {
                    (*nearest, *seen) = (ray.nearness, Seen { object: view.index, triangle }.packed());
                }
                let cost = RAY.max(LEAF * leaves + TRIED * ray.tried);
                work.spend(cost)?;
                done += cost;
                if done > most_work {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

fn has_odd_materials(mesh: &Mesh) -> bool {
    mesh.materials.iter().any(|material| material.is_double_sided || material.alpha_cutoff.is_some())
}

/// One of an object's triangles; of what has two sides, the one that is seen.
#[inline(always)]
fn facing(view: &ObjectView, odd: Option<&Mesh>, triangle: usize) -> Facing {
    let facing = view.facing(triangle);
    let is_turned = facing.side > 0.0 && odd.is_some_and(|mesh| mesh.material(triangle).is_double_sided);
    if is_turned { facing.turned() } else { facing }
}

fn may_have_hole(mesh: &Mesh, triangle: usize) -> bool {
    mesh.material(triangle).alpha_cutoff.is_some()
}

/// Costs in instructions, so many for a pixel that a triangle may cover: some 20. A ray through a mesh of 16 k triangles takes 2000
/// if it hits and 300 if not, and each of its branches may be mistaken; a triangle that covers no pixel takes 40 and no branch.
const TRIANGLE: usize = 2;
const RAY: usize = 80;
const LEAF: usize = 10;
const TRIED: usize = 20;
const HOLE: usize = 40;
const CLOSED_FORM: usize = 16;

/// Columns from which on it pays to find those that a triangle covers on each row.
const WIDE: i32 = 8;

/// How much longer than their triangles rays may take, before these are drawn after all.
const RAYS_FOR_TRIANGLES: usize = 4;

fn is_open_at(view: &ObjectView, mesh: &Mesh, triangle: usize, x: f64, y: f64) -> bool {
    let ray = view.ray(Vector::new(x, y, -1.0));
    !is_hole(mesh, triangle, &Crossing::of_plane(mesh, triangle, &ray))
}

/// The nearest triangle of a mesh along one ray.
struct Nearest {
    x: f64,
    y: f64,
    most: f64,
    nearness: f64,
    triangle: Option<usize>,
    /// How many were asked.
    tried: usize,
}

impl Nearest {
    /// Says how many leaves of the tree it went through.
    fn find(&mut self, view: &ObjectView, caster: &mut Caster, odd: Option<&Mesh>) -> usize {
        let ray = view.ray(Vector::new(self.x, self.y, -1.0));
        caster.visit(&ray.direction, |triangle| {
            self.tried += 1;
            let near = facing(view, odd, triangle).nearness(self.x, self.y);
            self.take(near, triangle, view, odd);
            1.0 / self.nearness
        })
    }

    /// Of equals the first of the object's, which is the one that would be drawn first.
    fn take(&mut self, near: f64, triangle: usize, view: &ObjectView, odd: Option<&Mesh>) {
        let is_first_of_equals = near == self.nearness && self.triangle.is_some_and(|other| triangle < other);
        if (near > self.nearness || is_first_of_equals) && near < self.most {
            let lets_through =
                |mesh| may_have_hole(mesh, triangle) && !is_open_at(view, mesh, triangle, self.x, self.y);
            if odd.is_some_and(lets_through) {
                return;
            }
            (self.nearness, self.triangle) = (near, Some(triangle));
        }
    }
}

/// What lies in front of the camera and between the planes through it and the borders of some pixels' centres.
fn frustum(view: &ObjectView, grid: &Grid, rectangle: &Rectangle) -> Frustum {
    let [left, right] = rectangle.columns.map(|column| grid.x_at[column as usize]);
    let [top, bottom] = rectangle.rows.map(|row| grid.y_at[row as usize]);
    let inward = [
        Vector::new(1.0, 0.0, left),
        Vector::new(-1.0, 0.0, -right),
        Vector::new(0.0, -1.0, -top),
        Vector::new(0.0, 1.0, bottom),
        Vector::new(0.0, 0.0, -1.0),
    ];
    Frustum { camera: view.camera, planes: inward.map(|normal| view.plane(&normal.normalize())) }
}
