#!/usr/bin/env python3
"""Process start to the first answered reset: startup.py SACCADE [RUNS]. Prints minimum and median in milliseconds."""
import json, statistics, struct, subprocess, sys, time

body = json.dumps({"id": 1, "command": "reset", "sensor_ids": ["patch"]}).encode()
times = []
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
    start = time.perf_counter()
    peer = subprocess.Popen([sys.argv[1], "port", "--modalities", "percept"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    peer.stdin.write(struct.pack(">I", len(body)) + body)
    peer.stdin.flush()
    (length,) = struct.unpack(">I", peer.stdout.read(4))
    peer.stdout.read(length)
    times.append(1000 * (time.perf_counter() - start))
    peer.stdin.close()
    peer.wait()
print(f"start to first answered reset: minimum {min(times):.1f} ms, median {statistics.median(times):.1f} ms")
