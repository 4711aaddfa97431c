# Follows the README's decoder: what it reads of a binary reply must be what nested lists hold.
import os, subprocess

args = [os.environ["SACCADE"], "port", "--modalities", "depth,rgba,semantic,semantic_3d,sensor_frame_data,percept"]
peer = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(encoding):
    body = json.dumps({"id": 1, "command": "reset", "episode": 0, "encoding": encoding}).encode()
    peer.stdin.write(struct.pack(">I", len(body)) + body)
    peer.stdin.flush()
    (length,) = struct.unpack(">I", peer.stdout.read(4))
    return peer.stdout.read(length)


def as_f32(rows):
    return [list(struct.unpack(f"{len(row)}f", struct.pack(f"{len(row)}f", *row))) for row in rows]


binary, nested = decode(ask("binary")), json.loads(ask("nested"))
peer.stdin.close()
peer.wait()
for sensor in nested["observations"]["agent_id_0"].values():
    sensor["depth"] = as_f32(sensor["depth"])
    assert len({depth for row in sensor["depth"] for depth in row}) > 100
    assert len(sensor["rgba"]) == 64 and len(sensor["rgba"][63][63]) == 4 and len(sensor["semantic_3d"]) == 4096
assert binary == nested
print("equal")
