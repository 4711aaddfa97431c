#!/usr/bin/env python3
"""Records captures/demo.req.bin anew: make_demo.py SACCADE, from the repository's root.

Before the cube it looks away and back and goes forward three times by 1 cm. Then it plays the mug's episode: goes nearer,
looks around in a growing spiral that crosses the mug's edge, looks at its letter and asks for the digest."""
import json, os, struct, subprocess, sys

AGENT = {"agent_id": "agent_id_0"}
peer = subprocess.Popen([sys.argv[1], "port", "--record", "captures/demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
ids = iter(range(1, 10_000))


def call(request):
    body = json.dumps({"id": next(ids), **request}).encode()
    peer.stdin.write(struct.pack(">I", len(body)) + body)
    peer.stdin.flush()
    (length,) = struct.unpack(">I", peer.stdout.read(4))
    reply = json.loads(peer.stdout.read(length))
    assert "error" not in reply, reply


def step(action, **amount):
    call({"command": "step", "actions": [{"action": action, **AGENT, **amount}]})


call({"command": "reset", "sensor_ids": ["patch", "view_finder"]})
step("turn_left", rotation_degrees=60.0)
step("turn_right", rotation_degrees=60.0)
for _ in range(3):
    step("move_forward", distance=0.01)
call({"command": "reset", "sensor_ids": ["patch", "view_finder"], "episode": 5})
step("move_forward", distance=0.07)
cycle = ["look_up", "turn_left", "look_down", "turn_right"]
for run, length in enumerate([1, 1, 2, 2, 3, 3, 4, 4, 5, 4]):
    for _ in range(length):
        step(cycle[run % 4], rotation_degrees=12.0)
# Back to the middle, which is 24 degrees to the right and 36 below, then on to the letter's upper bow.
step("look_down", rotation_degrees=36.0)
step("turn_right", rotation_degrees=24.0)
step("turn_right", rotation_degrees=7.0)
step("move_forward", distance=0.01)
call({"command": "digest"})
peer.stdin.close()
peer.wait()
os.remove("captures/demo.rep.bin")
