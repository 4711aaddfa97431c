#!/usr/bin/env python3
"""The time of a two-sensor step: MuJoCo, Embree and Saccade side by side, in one run, in turns, on one core:

    pip install mujoco numpy pillow
    apt-get install libosmesa6 g++ libembree-dev        (Debian; without the last two Embree is left out, and said so)
    cargo build --release
    benches/compare/speed.py target/release/saccade [--rounds 20]

The standard agent, 20 cm before its object, with a patch of 64² that magnifies 10 times and a view finder of 64², turns to
other directions within 2°, so that no view comes back soon. The contenders take turns in bursts of six steps, since an
episode goes on with what the step before left in the caches; the first step of each burst only warms up and is not
counted. What each side does for one step:

- mujoco: turns the body, mj_forward, and for each camera update_scene and three renders of its own Renderer: rgb, depth and
  segmentation. Monty's light and quality (one directional light, 4096² shadow map, 4 samples a pixel), software GL. Its shadow
  map is most of its time and makes shadows that Saccade does not draw, so the fair comparison is the one with
  the shadow map off. The time ends with numpy arrays in this process; there is no pipe, and one Renderer serves both cameras,
  where Monty has one for each.
- saccade: the request as JSON over a pipe to `saccade port`, and its reply, depth, rgba and semantic as base64, up to its last
  byte. `arrays` adds json.loads and base64 to numpy arrays, this process's own work; `arrays, binary` is with the arrays' bytes
  behind the JSON instead. `antialiasing` is with the world's four samples a pixel, as MuJoCo has them; else it is one.
- saccade, bytes to bytes: the same request to the same reply in base64 without a pipe and this process, as MuJoCo has none:
  what `saccade bench` tells of the whole step, three times in the course of the rounds.
- embree (visibility alone: no colours, no images): packets of 16 rays with their hits, by the best instructions of this CPU,
  beside Saccade's visibility as `saccade bench` tells it, which any x86-64 gives.

Both see the same: the line `depth differs` compares the images of the first step."""
import argparse, base64, json, math, os, shutil, statistics, struct, subprocess, sys, tempfile, time
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "osmesa")
os.environ.setdefault("LP_NUM_THREADS", "0")  # software GL without threads of its own
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import mujoco
import numpy
from PIL import Image

from monty import MESH, SCENE, camera, quaternion_of, words

SLICES, STACKS, TEXELS = 128, 64, 2048
SIDE, WITHIN_DEG = 64, 2.0
GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples are spread evenly, in no order
BURST = 6
ROTATION_DEG = [20, 35, 0]
ZOOMS = {"patch": 10, "view_finder": 1}

WORLD = """data = {{ layout = "mujoco", root = {root} }}
modalities = ["depth", "rgba", "semantic"]
encoding = "base64"
[[agents]]
id = "agent_id_0"
kind = "distant"
position = [0, 1.5, 0.2]
{sensors}
[[objects]]
name = "{name}"
scale = {scale}
position = [0, 1.5, 0]
rotation_deg = {rotation}
semantic_id = 1
"""


def write_ball(folder):
    """The bumpy textured ball of benches/scenes/ball.rs."""
    folder.mkdir()
    v, u = (grid.ravel() for grid in numpy.meshgrid(*(numpy.arange(n + 1) / n for n in (STACKS, SLICES)), indexing="ij"))
    azimuth, elevation = 2 * math.pi * u, math.pi * (v - 0.5)
    radius = 0.05 * (1 + 0.02 * numpy.sin(9 * azimuth) * numpy.sin(11 * elevation))
    flat = radius * numpy.cos(elevation)
    points = numpy.stack([flat * numpy.cos(azimuth), radius * numpy.sin(elevation), -flat * numpy.sin(azimuth)], 1)
    corner = numpy.arange(1, (STACKS + 1) * (SLICES + 1) + 1).reshape(STACKS + 1, SLICES + 1)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]))
    triangles = numpy.stack([a, b, c, a, c, d], 1).reshape(-1, 3)
    with open(folder / "textured.obj", "w") as obj:
        corner = "v {0:.6f} {1:.6f} {2:.6f}\nvt {3:.6f} {4:.6f}\nvn {0:.6f} {1:.6f} {2:.6f}\n"
        obj.writelines(corner.format(*point, s, t) for point, s, t in zip(points, u, v))
        obj.writelines(f"f {i}/{i}/{i} {j}/{j}/{j} {k}/{k}/{k}\n" for i, j, k in triangles)
    row, column = numpy.indices((TEXELS, TEXELS))
    waves = numpy.stack([120 + 100 * numpy.sin(n * 0.02) for n in (row, column, row + column)], 2)
    grain = numpy.random.RandomState(1).randint(8, size=waves.shape)
    Image.fromarray((waves + grain).astype(numpy.uint8)).save(folder / "texture_map.png")
    return len(triangles)


class Mujoco:
    def __init__(self, folder, geom, shadows):
        cameras = "".join(camera(zoom, name) for name, zoom in ZOOMS.items())
        self.model = mujoco.MjModel.from_xml_string(SCENE.format(
            side=SIDE, folder=folder / "ball", shadows=shadows, mesh="", geom=geom,
            cameras=f'<body name="agent" pos="0 1.5 0.2">{cameras}</body>', quaternion=words(quaternion_of(ROTATION_DEG))))
        self.data = mujoco.MjData(self.model)
        self.renderer = mujoco.Renderer(self.model, SIDE, SIDE)

    def step(self, yaw_deg):
        half = math.radians(yaw_deg) / 2
        self.model.body("agent").quat = [math.cos(half), 0, math.sin(half), 0]
        mujoco.mj_forward(self.model, self.data)
        return {camera: self.look(camera) for camera in ZOOMS}

    def look(self, camera):
        self.renderer.update_scene(self.data, camera=camera)
        rgb = self.renderer.render()
        self.renderer.enable_depth_rendering()
        depth = self.renderer.render()
        self.renderer.disable_depth_rendering()
        self.renderer.enable_segmentation_rendering()
        ids = self.renderer.render()
        self.renderer.disable_segmentation_rendering()
        return {"rgba": rgb, "depth": depth, "semantic": ids}


class Saccade:
    def __init__(self, binary, world, encoding="base64"):
        self.peer = subprocess.Popen([binary, "port", "--world", world], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.yaw_deg = 0.0
        self.call(command="reset", encoding=encoding)

    def call(self, **request):
        body = json.dumps({"id": 1, **request}).encode()
        self.peer.stdin.write(struct.pack(">I", len(body)) + body)
        self.peer.stdin.flush()
        (length,) = struct.unpack(">I", self.peer.stdout.read(4))
        return self.peer.stdout.read(length)

    def step(self, yaw_deg):
        turn = {"action": "turn_left", "agent_id": "agent_id_0", "rotation_degrees": yaw_deg - self.yaw_deg}
        self.yaw_deg = yaw_deg
        return self.call(command="step", actions=[turn])

    def arrays(self, yaw_deg):
        reply = self.step(yaw_deg)
        sensors = json.loads(reply.partition(b"\0")[0])["observations"]["agent_id_0"]
        return {sensor: {modality: array(reply, form) for modality, form in seen.items()} for sensor, seen in sensors.items()}


def array(reply, form):
    """Of base64, or of the bytes behind the JSON."""
    if "data" in form:
        return numpy.frombuffer(base64.b64decode(form["data"]), form["dtype"]).reshape(form["shape"])
    return numpy.frombuffer(reply, form["dtype"], math.prod(form["shape"]), form["offset"]).reshape(form["shape"])


def write_world(path, folder, name, scale, antialiasing):
    sensor = '[[agents.sensors]]\nid = "{}"\nresolution = [{side}, {side}]\nzoom = {}\nsemantic = true\nantialiasing = {smooth}\n'
    sensors = "".join(sensor.format(*item, side=SIDE, smooth=str(antialiasing).lower()) for item in ZOOMS.items())
    root = json.dumps(str(folder))
    path.write_text(WORLD.format(root=root, sensors=sensors, name=name, scale=scale, rotation=ROTATION_DEG))
    return path


def burst(step, first):
    """Milliseconds of each step but the first, by the number of that."""
    times = []
    for number in range(first, first + BURST):
        yaw_deg = WITHIN_DEG * math.modf(GOLDEN * number)[0]
        start = time.perf_counter()
        step(yaw_deg)
        times.append(1000 * (time.perf_counter() - start))
    return times[1:]


def bench(saccade, world):
    """The lines of `saccade bench`."""
    command = [saccade, "bench", world, "--encoding", "base64", "--seconds", "1"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def whole_step(saccade, world):
    """Milliseconds from a request's bytes to its reply's."""
    line = next(line for line in bench(saccade, world) if line.startswith("what was asked for "))
    return float(line.split()[-2]) / 1000


def medians(contenders, benches, rounds):
    """Milliseconds of a step, all contenders taking turns; the first round only warms up. The benches run three times."""
    times = {name: [] for name in [*contenders, *benches]}
    for number in range(rounds + 1):
        for name, step in contenders.items():
            of_burst = burst(step, BURST * number)
            times[name] += of_burst if number > 0 else []
        if number in (rounds // 3, 2 * rounds // 3, rounds):
            for name, of_step in benches.items():
                times[name].append(of_step())
    return {name: statistics.median(of_one) for name, of_one in times.items()}


def compare_steps(args, folder, title, name, scale, geom):
    with_shadows, without = (Mujoco(folder, geom, shadows) for shadows in ("true", "false"))
    ragged, smooth = (write_world(folder / f"{smooth}.toml", folder, name, scale, smooth) for smooth in (False, True))
    peers = [Saccade(args.saccade, world) for world in (ragged, ragged, smooth)] + [Saccade(args.saccade, ragged, "binary")]
    plain, arrays, antialiased, binary = peers
    times = medians({
        "mujoco, its shadow map on (as Monty ships it)": with_shadows.step,
        "mujoco, its shadow map off (the fair comparison)": without.step,
        "saccade": plain.step,
        "saccade, arrays": arrays.arrays,
        "saccade, arrays, binary": binary.arrays,
        "saccade, antialiasing": antialiased.step,
    }, {
        "saccade, bytes to bytes": lambda: whole_step(args.saccade, ragged),
        "saccade, bytes to bytes, antialiasing": lambda: whole_step(args.saccade, smooth),
    }, args.rounds)
    with_map, without_map, *_ = times.values()
    print(f"\n{title}: depth, rgba and semantic of both sensors")
    print(f"{'':<50} {'a step, ms':>10} {'map on / it':>12} {'map off / it':>13}")
    for name, ms in times.items():
        ratios = f" {with_map / ms:>11.1f}x {without_map / ms:>12.1f}x" if name.startswith("saccade") else ""
        print(f"{name:<50} {ms:>10.3f}{ratios}")
    ours, theirs = binary.arrays(0.0), without.step(0.0)
    for sensor in ZOOMS:
        on_both = (ours[sensor]["semantic"] > 0) & (theirs[sensor]["depth"] < 1)
        difference = numpy.abs(ours[sensor]["depth"] - theirs[sensor]["depth"])[on_both]
        print(f"depth differs on {on_both.sum()} pixels of the {sensor} by {1e6 * numpy.median(difference):.1f} µm in the median")
    for peer in peers:
        peer.call(command="close")


def compare_visibility(args, folder):
    print("\nthe mesh, visibility alone, µs")
    source = Path(__file__).parent / "embree.cpp"
    program = folder / "embree"
    if not shutil.which("g++"):
        return print("left out: Embree: g++ is not installed (Debian: g++)")
    built = subprocess.run(["g++", "-O2", source, "-o", program, "-lembree3"], capture_output=True, text=True)
    if built.returncode != 0:
        return print(f"left out: Embree: it could not be built (Debian: libembree-dev): {built.stderr.splitlines()[0]}")
    world = write_world(folder / "ball.toml", folder, "ball", 1, False)
    theirs, ours = {sensor: [] for sensor in ZOOMS}, {sensor: [] for sensor in ZOOMS}
    quaternion = [repr(part) for part in quaternion_of(ROTATION_DEG)]
    for _ in range(5):
        ran = subprocess.run([program, folder / "ball" / "textured.obj", *quaternion, *map(str, ZOOMS.values())],
                             capture_output=True, text=True, check=True)
        for sensor, us in zip(ZOOMS, ran.stdout.split()):
            theirs[sensor].append(float(us))
        lines = bench(args.saccade, world)
        for sensor in ZOOMS:
            line = next(line for line in lines if line.startswith(f"agent_id_0 {sensor} "))
            ours[sensor].append(float(line.split()[3]))
    for sensor in ZOOMS:
        embree, saccade = statistics.median(theirs[sensor]), statistics.median(ours[sensor])
        print(f"{sensor:<12} embree {embree:>8.1f}   saccade {saccade:>8.1f}   embree / saccade {embree / saccade:.2f}x")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("saccade", help="the release binary")
parser.add_argument("--rounds", type=int, default=20, help="bursts that each median is of")
args = parser.parse_args()
with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    triangles = write_ball(folder / "ball")
    print(f"MuJoCo {mujoco.__version__} with {os.environ['MUJOCO_GL']}; medians of {args.rounds} bursts of {BURST - 1} counted steps")
    compare_steps(args, folder, f"a textured mesh of {triangles} triangles", "ball", 1, MESH)
    compare_steps(args, folder, "a cube", "cubeSolid", 1, 'type="box" size="0.1 0.1 0.1"')
    compare_steps(args, folder, "a sphere", "sphere", 0.1, 'type="sphere" size="0.1"')
    compare_visibility(args, folder)
