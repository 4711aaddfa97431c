#!/usr/bin/env python3
"""Draws one object of a data folder in MuJoCo, with Monty's light and camera, and with `saccade render`, side by side:

    pip install mujoco numpy pillow
    MUJOCO_GL=egl benches/compare/picture.py SACCADE DATA OBJECT [--rotation-deg X Y Z] [--out compare.png]

DATA is a folder in the layout of Monty's MuJoCo (<name>/textured.obj, texture_map.png, metadata.json if there is one); without
a screen MuJoCo draws with MUJOCO_GL=egl, or osmesa (Debian's libosmesa6). Left is MuJoCo, in the middle Saccade, right what
they differ by, four times as bright; the line on stdout says it in numbers. MuJoCo casts shadows and Saccade does not."""
import argparse, json, subprocess, sys, tempfile
from pathlib import Path

import mujoco
import numpy
from PIL import Image

from monty import MESH, SCENE, camera, quaternion_of, words

WORLD = """compat = "mujoco"
data = {{ layout = "mujoco", root = {root} }}
[[agents]]
id = "agent"
kind = "noop"
position = {camera}
[[agents.sensors]]
id = "camera"
resolution = [{size}, {size}]
zoom = {zoom}
antialiasing = true
[[objects]]
name = {name}
position = [0, 1.5, 0]
rotation_deg = {rotation}
"""


def by_mujoco(args):
    """The picture, and where its camera is: before the object's centre of mass."""
    folder = (args.data / args.object).resolve()
    metadata = folder / "metadata.json"
    place = json.loads(metadata.read_text()) if metadata.exists() else {"refpos": [0, 0, 0], "refquat": [1, 0, 0, 0]}
    model = mujoco.MjModel.from_xml_string(SCENE.format(
        side=args.size, folder=folder, shadows="true", cameras=camera(args.zoom), geom=MESH,
        mesh=f'refpos="{words(place["refpos"])}" refquat="{words(place["refquat"])}"',
        quaternion=words(quaternion_of(args.rotation_deg))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    model.cam_pos[0] = data.geom_xpos[0] + [0, 0, args.distance]
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, args.size, args.size) as renderer:
        renderer.update_scene(data, camera=0)
        return renderer.render(), model.cam_pos[0].tolist()


def by_saccade(args, position):
    with tempfile.TemporaryDirectory() as scratch:
        world = Path(scratch, "world.toml")
        world.write_text(WORLD.format(
            root=json.dumps(str(args.data.resolve())), name=json.dumps(args.object), camera=position, size=args.size,
            zoom=args.zoom, rotation=list(args.rotation_deg)))
        subprocess.run([args.saccade, "render", world, "--out", scratch], check=True, stdout=subprocess.DEVNULL)
        return numpy.asarray(Image.open(Path(scratch, "agent_camera_rgba.png")).convert("RGB"))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("saccade")
parser.add_argument("data", type=Path)
parser.add_argument("object")
parser.add_argument("--rotation-deg", type=float, nargs=3, default=[0.0, 0.0, 0.0], metavar=("X", "Y", "Z"))
parser.add_argument("--distance", type=float, default=0.3, help="of the camera from the object's centre, metres")
parser.add_argument("--zoom", type=float, default=1.5)
parser.add_argument("--size", type=int, default=480, help="pixels of a side")
parser.add_argument("--out", type=Path, default=Path("compare.png"))
args = parser.parse_args()
theirs, position = by_mujoco(args)
ours = by_saccade(args, position)
difference = numpy.abs(theirs.astype(int) - ours.astype(int))
amplified = numpy.minimum(4 * difference, 255).astype(numpy.uint8)
Image.fromarray(numpy.hstack([theirs, ours, amplified])).save(args.out)
seen = difference[(theirs.any(axis=2)) | (ours.any(axis=2))]
if not seen.size:
    sys.exit(f"{args.object}: nothing is in view; try another --distance or --zoom")
print(f"{args.out}: the object's colours differ by {numpy.median(seen):.0f} of 255 in the median, {seen.mean():.2f} in the mean")
