"""What Monty's MuJoCo simulator draws with: its light and its samples, for one textured object at [0, 1.5, 0]."""
import math

# `mesh` are more attributes of the mesh, `cameras` the elements with cameras, `geom` the attributes of the object.
SCENE = """<mujoco>
  <visual>
    <global offwidth="{side}" offheight="{side}"/>
    <quality shadowsize="4096" offsamples="4"/>
    <headlight ambient="0.5 0.5 0.5" diffuse="0 0 0" specular="0 0 0"/>
  </visual>
  <asset>
    <texture name="texture" type="2d" file="{folder}/texture_map.png"/>
    <material name="material" texture="texture"/>
    <mesh name="mesh" file="{folder}/textured.obj" {mesh}/>
  </asset>
  <worldbody>
    <light type="directional" dir="0 0 -1" diffuse="0.6 0.6 0.6" specular="0.1 0.1 0.1" castshadow="{shadows}"/>
    {cameras}
    <geom pos="0 1.5 0" quat="{quaternion}" {geom}/>
  </worldbody>
</mujoco>"""

MESH = 'type="mesh" mesh="mesh" material="material"'


def camera(zoom, name="camera"):
    return f'<camera name="{name}" fovy="{math.degrees(2 * math.atan(1 / zoom))}"/>'


def quaternion_of(degrees):
    """w, x, y, z of a turn about the fixed axes x, then y, then z."""
    (cx, cy, cz), (sx, sy, sz) = ([f(math.radians(angle) / 2) for angle in degrees] for f in (math.cos, math.sin))
    return [cx * cy * cz + sx * sy * sz, sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz]


def words(numbers):
    return " ".join(repr(float(number)) for number in numbers)
