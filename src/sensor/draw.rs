//! Draws an object into a band: by its closed form pixel by pixel, by its triangles one after the other, or by rays through its
//! tree where triangles outnumber the pixels. Which of the last two it is never shows in a result: both take a triangle by the
//! same arithmetic.

use super::band::Work;
use super::crossing::{Crossing, is_hole};
use super::entries::{RAYS, Row};
use super::object_view::{ObjectView, ROUNDING_PIXELS, in_front};
use super::triangle::{Facing, moved};
use super::visible::{Grid, Rectangle, Seen, Visible};
use crate::assets::{Block, Cluster, Clusters, LANES, Mesh};
use crate::math::Vector;
use crate::protocol::Abandoned;
use crate::world::Shape;

/// Draws into one band.
#[derive(Debug)]
pub struct Painter<'g> {
    pub grid: &'g Grid,
    /// A surface nearer than this is not seen, metres.
    pub near_m: f64,
    /// Room for the corners of a cluster.
    pub corners: Vec<Placed>,
    /// Room for the numbers of clusters.
    pub clusters: Vec<u32>,
}

/// What is drawn, and where.
struct Task<'t> {
    view: &'t ObjectView<'t>,
    clusters: &'t Clusters,
    /// The mesh, if some of its materials have two sides or holes.
    odd: Option<&'t Mesh>,
    rectangle: Rectangle,
}

/// A corner in the camera's frame, and the columns and rows next to where it is seen.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    at: [[f64; 1]; 3],
    /// The first at or behind it, and the last at or before it.
    columns: [i32; 2],
    rows: [i32; 2],
    is_in_front: bool,
}

impl Painter<'_> {
    pub fn draw(&mut self, view: &ObjectView, visible: &mut Visible, work: &mut Work) -> Result<(), Abandoned> {
        let rectangle = view.covers(self.grid, &visible.band);
        if rectangle.is_empty() {
            return Ok(());
        }
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
        let (view, sides) = (task.view, Sides::new(self.grid, &task.rectangle));
        let mut triangles = 0;
        self.clusters.clear();
        for (number, cluster) in (0..).zip(&task.clusters.clusters) {
            let is_seen = !cluster.is_turned_away(&view.camera)
                && sides.may_hold(&view.to_camera(&cluster.centre), view.radius(cluster.radius));
            if is_seen {
                self.clusters.push(number);
                triangles += cluster.triangles.len();
            }
        }
        triangles
    }

    fn draw_clusters(&mut self, task: &Task, visible: &mut Visible, work: &mut Work) -> Result<(), Abandoned> {
        for index in 0..self.clusters.len() {
            let cluster = &task.clusters.clusters[self.clusters[index] as usize];
            self.place_corners(task, cluster);
            for (triangle, corners) in cluster.triangles.clone().zip(task.clusters.triangles(cluster)) {
                self.draw_triangle(task, triangle, corners, visible, work)?;
            }
            work.spend(TRIANGLE * cluster.triangles.len())?;
        }
        Ok(())
    }

    fn place_corners(&mut self, task: &Task, cluster: &Cluster) {
        let (rows, offset) = task.view.rows();
        self.corners.clear();
        for corner in task.clusters.corners(cluster) {
            let at = moved(&rows, &offset, &[[corner.x], [corner.y], [corner.z]]);
            self.corners.push(Placed::new(at, self.grid));
        }
    }

    fn draw_triangle(
        &self,
        task: &Task,
        triangle: usize,
        corners: &[u8; 3],
        visible: &mut Visible,
        work: &mut Work,
    ) -> Result<(), Abandoned> {
        let [a, b, c] = corners.map(|corner| &self.corners[usize::from(corner)]);
        let covered = Placed::covers([a, b, c], &task.rectangle);
        if covered.is_empty() {
            return Ok(());
        }
        let facing = Facing::<1>::new([&a.at, &b.at, &c.at]);
        let material = task.odd.map(|mesh| mesh.material(triangle));
        let facing = match material {
            Some(material) if material.is_double_sided && facing.side[0] > 0.0 => facing.turned(0),
            _ => facing,
        };
        if facing.side[0] >= 0.0 {
            return Ok(());
        }
        match task.odd.filter(|_| material.is_some_and(|material| material.alpha_cutoff.is_some())) {
            Some(mesh) => {
                work.spend(HOLE * covered.pixels())?;
                self.fill_around_holes(task.view, mesh, triangle, &facing, &covered, visible);
            }
            None => {
                work.spend(covered.pixels())?;
                self.fill(task.view, triangle, &facing, &covered, visible);
            }
        }
        Ok(())
    }

    fn fill(&self, view: &ObjectView, triangle: usize, facing: &Facing<1>, covered: &Rectangle, visible: &mut Visible) {
        let number = Seen { object: view.index, triangle }.packed();
        let x_at = &self.grid.x_at[covered.columns[0] as usize..=covered.columns[1] as usize];
        for row in covered.rows[0]..=covered.rows[1] {
            let (nearness, seen) = visible.span(row, covered.columns);
            facing.row(self.grid.y_at[row as usize]).draw(x_at, 1.0 / self.near_m, number, nearness, seen);
        }
    }

    /// Pixel by pixel, since each that would be drawn asks the texture.
    fn fill_around_holes(
        &self,
        view: &ObjectView,
        mesh: &Mesh,
        triangle: usize,
        facing: &Facing<1>,
        covered: &Rectangle,
        visible: &mut Visible,
    ) {
        let number = Seen { object: view.index, triangle }.packed();
        for row in covered.rows[0]..=covered.rows[1] {
            let (nearness, seen) = visible.span(row, covered.columns);
            let y = self.grid.y_at[row as usize];
            let x_at = &self.grid.x_at[covered.columns[0] as usize..=covered.columns[1] as usize];
            for ((x, nearest), seen) in x_at.iter().zip(nearness).zip(seen) {
                let [near] = facing.nearness(*x, y);
                if near > *nearest && near < 1.0 / self.near_m && is_open_at(view, mesh, triangle, *x, y) {
                    (*nearest, *seen) = (near, number);
                }
            }
        }
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
        let Task { view, odd, rectangle, .. } = task;
        let [first, last] = rectangle.columns.map(|column| column as usize);
        let mut done = 0;
        for row in rectangle.rows[0]..=rectangle.rows[1] {
            let (nearness, seen) = visible.span(row, rectangle.columns);
            let y = self.grid.y_at[row as usize];
            for ((x, nearest), seen) in self.grid.x_at[first..=last].iter().zip(nearness).zip(seen) {
                let mut ray =
                    Nearest { x: *x, y, most: 1.0 / self.near_m, nearness: *nearest, triangle: None, blocks: 0 };
                if let Some((near, triangle)) = ray.of_mesh(view, mesh, *odd) {
                    *nearest = near;
                    *seen = Seen { object: view.index, triangle }.packed();
                }
                let cost = RAY.max(BLOCK * ray.blocks);
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

/// Costs, in pixels of a drawn triangle: measured, see `benches/`.
const TRIANGLE: usize = 12;
const RAY: usize = 250;
const BLOCK: usize = 30;
const HOLE: usize = 40;
const CLOSED_FORM: usize = 16;

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
    /// How many it passed.
    blocks: usize,
}

impl Nearest {
    fn of_mesh(&mut self, view: &ObjectView, mesh: &Mesh, odd: Option<&Mesh>) -> Option<(f64, usize)> {
        let (rows, offset) = view.rows();
        let ray = view.ray(Vector::new(self.x, self.y, -1.0));
        mesh.bvh.visit(&ray.origin, &ray.direction, |block| {
            self.blocks += 1;
            let [a, b, c] = block.corners.each_ref().map(|corner| moved::<LANES>(&rows, &offset, corner));
            let mut facing = Facing::<LANES>::new([&a, &b, &c]);
            if let Some(mesh) = odd {
                turn_two_sided(&mut facing, block, mesh);
            }
            for (lane, near) in facing.nearness(self.x, self.y).into_iter().take(block.count as usize).enumerate() {
                self.take(near, block.first as usize + lane, view, odd);
            }
            1.0 / self.nearness
        });
        self.triangle.map(|triangle| (self.nearness, triangle))
    }

    /// Of equals the first of the object's, which is the one that would be drawn first.
    fn take(&mut self, near: f64, triangle: usize, view: &ObjectView, odd: Option<&Mesh>) {
        let is_first_of_equals = near == self.nearness && self.triangle.is_some_and(|other| triangle < other);
        if (near > self.nearness || is_first_of_equals) && near < self.most {
            let has_hole = |mesh: &Mesh| mesh.material(triangle).alpha_cutoff.is_some();
            if odd.is_some_and(|mesh| has_hole(mesh) && !is_open_at(view, mesh, triangle, self.x, self.y)) {
                return;
            }
            (self.nearness, self.triangle) = (near, Some(triangle));
        }
    }
}

fn turn_two_sided(facing: &mut Facing<LANES>, block: &Block, mesh: &Mesh) {
    for lane in 0..block.count as usize {
        if facing.side[lane] > 0.0 && mesh.material(block.first as usize + lane).is_double_sided {
            *facing = facing.turned(lane);
        }
    }
}

impl Placed {
    fn new(at: [[f64; 1]; 3], grid: &Grid) -> Self {
        match in_front(&Vector::new(at[0][0], at[1][0], at[2][0])) {
            Some([x, y]) => {
                let [column, row] = grid.place_of(x, y).map(beside);
                Self { at, columns: column, rows: row, is_in_front: true }
            }
            None => Self { at, columns: [0; 2], rows: [0; 2], is_in_front: false },
        }
    }

    /// The pixels whose centres a triangle may cover.
    fn covers([a, b, c]: [&Placed; 3], within: &Rectangle) -> Rectangle {
        if !(a.is_in_front & b.is_in_front & c.is_in_front) {
            return *within;
        }
        let first = |[a, b, c]: [i32; 3]| a.min(b).min(c);
        let last = |[a, b, c]: [i32; 3]| a.max(b).max(c);
        let corners = [a, b, c];
        let columns = [first(corners.map(|p| p.columns[0])), last(corners.map(|p| p.columns[1]))];
        let rows = [first(corners.map(|p| p.rows[0])), last(corners.map(|p| p.rows[1]))];
        Rectangle { columns, rows }.meet(within)
    }
}

/// The first whole number at or behind a place, and the last at or before it.
fn beside(place: f64) -> [i32; 2] {
    const FAR: f64 = 1e6;
    let up = |place: f64| {
        let whole = place as i32;
        whole + i32::from(place > f64::from(whole))
    };
    let place = place.clamp(-FAR, FAR);
    [up(place - ROUNDING_PIXELS), -up(-place - ROUNDING_PIXELS)]
}

/// The planes through the camera and the borders of some pixels' centres.
struct Sides([Vector; 4]);

impl Sides {
    fn new(grid: &Grid, rectangle: &Rectangle) -> Self {
        let [left, right] = rectangle.columns.map(|column| grid.x_at[column as usize]);
        let [top, bottom] = rectangle.rows.map(|row| grid.y_at[row as usize]);
        let inward = [
            Vector::new(1.0, 0.0, left),
            Vector::new(-1.0, 0.0, -right),
            Vector::new(0.0, -1.0, -top),
            Vector::new(0.0, 1.0, bottom),
        ];
        Self(inward.map(|normal| normal.normalize()))
    }

    fn may_hold(&self, centre: &Vector, radius: f64) -> bool {
        // Rounding of the centre, far below the ball's own size unless it is very far.
        let radius = radius + 1e-12 * centre.amax();
        centre.z < radius && self.0.iter().all(|inward| inward.dot(centre) >= -radius)
    }
}
