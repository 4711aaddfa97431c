#!/usr/bin/env python3
"""Writes the shipped mesh anew: make_demo_mug.py worlds/objects/demo_mug.glb, from the repository's root.

A mug of 8 by 10 cm, in metres, +y up, its origin in its middle: a lathed wall with an inside, and a handle on -x whose ends
are sunk into the wall; two closed surfaces whose faces run counter-clockwise as seen from outside. Its picture goes once
around: a checker, a large S on +z and on -z, a band; below that the colours of inside and handle. The file holds the same
bytes wherever this runs: coordinates are rounded to 1e-7 m before they become float32, and the picture is not compressed."""
import json, math, struct, sys, zlib

AROUND, ALONG_HANDLE, AROUND_HANDLE = 64, 24, 12
RADIUS, INNER_RADIUS, HALF_HEIGHT, FLOOR = 0.04, 0.036, 0.05, 0.005
HANDLE_RADIUS, HANDLE_REACH, HANDLE_HALF_HEIGHT = 0.0055, 0.026, 0.026
SIDE, INK = 256, [
    (28, 78, 156), (246, 226, 168), (214, 58, 44), (250, 248, 240), (38, 138, 92), (240, 234, 220), (232, 138, 36)]
BLUE, SAND, RED, WHITE, GREEN, CREAM, ORANGE = range(7)
# Rows of the picture: the outside of the wall, then the inside and the handle in one colour each.
WALL_ROWS, INSIDE_ROW, HANDLE_ROW = 192, 208, 240


def picture():
    """A row of palette indices for each row of pixels."""
    return [[ink(row, column) for column in range(SIDE)] for row in range(SIDE)]


def ink(row, column):
    if row >= WALL_ROWS:
        return CREAM if row < (INSIDE_ROW + HANDLE_ROW) // 2 else ORANGE
    if row < 32:
        return [RED, WHITE][(row // 16 + column // 8) % 2]
    if row >= 168:
        return GREEN
    up = 0.1 * (0.5 - (row + 0.5) / WALL_ROWS)
    across = 2 * math.pi * RADIUS * ((column + 0.5) / SIDE % 0.5 - 0.25)
    return SAND if is_in_letter(across, up) else BLUE


def is_in_letter(x, y):
    """Whether the letter S, two bows of 240 degrees, covers a point in metres from its middle."""
    return is_in_bow(x, y) or is_in_bow(-x, -y)


def is_in_bow(x, y):
    radius, half_stroke = 0.0135, 0.005
    angle = math.degrees(math.atan2(y - radius, x)) % 360
    return 30 < angle <= 270 and abs(math.hypot(x, y - radius) - radius) < half_stroke


def png(rows):
    """A PNG of four bits a pixel, its data in stored blocks: no version of a compressor changes it."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    data = b"".join(b"\0" + bytes(a << 4 | b for a, b in zip(row[::2], row[1::2])) for row in rows)
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data + struct.pack(">I", zlib.adler32(data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 4, 3, 0, 0, 0)
    palette = bytes(part for color in INK for part in color)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", palette) + chunk(b"IDAT", stored) + chunk(b"IEND", b"")


def arc(center, radius, start, end, steps):
    """Points of the profile's plane on an arc in degrees, with the normals there."""
    angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a), math.cos(a), math.sin(a)) for a in angles]


def profile():
    """The wall's outline from the middle below to the middle of the floor inside: x, y, normal, row of the picture."""
    edge, lip = 0.004, (RADIUS - INNER_RADIUS) / 2
    corner = arc((RADIUS - edge, edge - HALF_HEIGHT), edge, -90, 0, 4)
    rim = arc((RADIUS - lip, HALF_HEIGHT - lip), lip, 0, 180, 6)
    inner_corner = arc((INNER_RADIUS - edge, FLOOR + edge - HALF_HEIGHT), edge, 0, -90, 4)
    inner_corner = [(x, y, -nx, -ny) for x, y, nx, ny in inner_corner]
    heights = [corner[-1][1] + (rim[0][1] - corner[-1][1]) * step / 4 for step in (1, 2, 3)]
    outside = corner + [(RADIUS, y, 1, 0) for y in heights] + rim[:4]
    inside = rim[3:] + inner_corner + [(0, FLOOR - HALF_HEIGHT, 0, 1)]
    below = [(0, -HALF_HEIGHT, 0, -1), corner[0]]
    row = lambda y: min(max(WALL_ROWS * (0.5 - y / (2 * HALF_HEIGHT)), 0.5), WALL_ROWS - 0.5)
    return [[(*point, INSIDE_ROW) for point in below], [(*point, row(point[1])) for point in outside],
            [(*point, INSIDE_ROW) for point in inside]]


class Surface:
    def __init__(self):
        self.vertices, self.faces = [], []

    def grid(self, rows, is_point=lambda row: False):
        """Strips between rows of vertices; beside a row that is a single point there is one triangle a place, not two."""
        first, width = len(self.vertices), len(rows[0])
        self.vertices += [vertex for row in rows for vertex in row]
        for row in range(len(rows) - 1):
            for column in range(width - 1):
                a, b = first + row * width + column, first + (row + 1) * width + column
                if not is_point(row):
                    self.faces.append((a, a + 1, b))
                if not is_point(row + 1):
                    self.faces.append((a + 1, b + 1, b))


def vertex(position, normal, u, row):
    return (*position, *normal, u, row / SIDE)


def lathe(surface, outline):
    """Around y from -x by +z, so that the picture reads from left to right."""
    def ring(x, y, nx, ny, row):
        # The last place is the first again, to the bit.
        turns = [2 * math.pi * (place % AROUND) / AROUND for place in range(AROUND + 1)]
        spots = [(-math.cos(turn), math.sin(turn)) for turn in turns]
        return [vertex((x * c, y, x * s), (nx * c, ny, nx * s), place / AROUND, row) for place, (c, s) in enumerate(spots)]

    surface.grid([ring(*point) for point in outline], lambda row: outline[row][0] == 0)


def handle(surface):
    """A tube on half an ellipse in the plane z = 0, with a lid on each end."""
    def center(step):
        turn = math.pi * (step / ALONG_HANDLE - 0.5)
        out = (-math.cos(turn), math.sin(turn))
        along = (HANDLE_REACH * math.sin(turn), HANDLE_HALF_HEIGHT * math.cos(turn))
        length = math.hypot(*along)
        # In the middle of the wall at its ends.
        place = (HANDLE_REACH * out[0] - (RADIUS + INNER_RADIUS) / 2, HANDLE_HALF_HEIGHT * out[1])
        return place, (along[0] / length, along[1] / length)

    def ring(step, radius, lid=None):
        (x, y), (tx, ty) = center(step)
        vertices = []
        for place in range(AROUND_HANDLE + 1):
            turn = 2 * math.pi * (place % AROUND_HANDLE) / AROUND_HANDLE
            # Across the tube, in the plane and along z.
            c, s = math.cos(turn), math.sin(turn)
            normal = (-ty * c, tx * c, s)
            position = (x + radius * normal[0], y + radius * normal[1], radius * normal[2])
            shown = normal if lid is None else (lid * tx, lid * ty, 0)
            vertices.append(vertex(position, shown, place / AROUND_HANDLE, HANDLE_ROW))
        return vertices

    surface.grid([ring(step, HANDLE_RADIUS) for step in range(ALONG_HANDLE + 1)])
    for step, side in ((0, -1), (ALONG_HANDLE, 1)):
        rows = [ring(step, 0, side), ring(step, HANDLE_RADIUS, side)]
        surface.grid(rows[::-side], lambda row: rows[::-side][row] is rows[0])


def glb(surface, image):
    rounded = lambda number: round(number, 7) + 0.0
    packed = lambda parts: b"".join(struct.pack(f"<{len(v)}f", *map(rounded, v)) for v in parts)
    positions = [v[:3] for v in surface.vertices]
    parts = [packed(positions), packed(v[3:6] for v in surface.vertices), packed(v[6:] for v in surface.vertices),
             struct.pack(f"<{3 * len(surface.faces)}H", *(corner for face in surface.faces for corner in face)), image]
    views, binary = [], b""
    for part in parts:
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(part)})
        binary += part + b"\0" * (-len(part) % 4)
    float32 = lambda axis: struct.unpack("<f", struct.pack("<f", rounded(axis)))[0]
    bounds = {key: [float32(pick(axis)) for axis in zip(*positions)] for key, pick in (("min", min), ("max", max))}
    accessor = lambda view, kind, of: {"bufferView": view, "componentType": kind, "count": of[0], "type": of[1]}
    count = len(surface.vertices)
    document = {
        "asset": {"version": "2.0", "generator": "worlds/make_demo_mug.py"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "demo_mug"}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}}],
        "textures": [{"source": 0, "sampler": 0}], "samplers": [{"wrapS": 10497, "wrapT": 33071}],
        "images": [{"bufferView": 4, "mimeType": "image/png"}],
        "accessors": [{**accessor(0, 5126, (count, "VEC3")), **bounds}, accessor(1, 5126, (count, "VEC3")),
                      accessor(2, 5126, (count, "VEC2")), accessor(3, 5123, (3 * len(surface.faces), "SCALAR"))],
        "bufferViews": views, "buffers": [{"byteLength": len(binary)}]}
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


mug = Surface()
for outline in profile():
    lathe(mug, outline)
handle(mug)
with open(sys.argv[1], "wb") as out:
    out.write(glb(mug, png(picture())))
