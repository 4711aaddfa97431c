#!/usr/bin/env python3
"""Instructions of a step, counted by valgrind, against those of tests/goldens/instructions.json:

    tests/instructions.py target/release/saccade          compares
    tests/instructions.py target/release/saccade --mint   writes the file anew

Times depend on the machine and its mood, instructions hardly do. What is counted: ten steps of the default world, what two
runs with and without them differ by, and of that only what the binary itself executes: not the loader, the C library or
the kernel. On one machine a count repeats to within a few instructions. The margins:

- 3 % more or fewer, under the compiler that the file was minted with (the binary says by which it was made). That leaves
  room for crates that look at the CPU. Fewer is told too, so that the file keeps up and what is won is not lost unseen:
  mint it anew in the commit that moves the numbers.
- 25 % more under another compiler, which inlines differently: then only what got much slower is told. Mint it anew when the
  compiler of the project's machine changes."""
import json, re, struct, subprocess, sys, tempfile
from pathlib import Path

GOLDEN = Path(__file__).parent / "goldens" / "instructions.json"
STEPS = 10
MARGIN, OTHER_COMPILERS_MARGIN = 0.03, 0.25

TARGETS = {"cubeSolid": 0, "demo_mug": 5}
IMAGES = ["percept", "depth", "rgba", "semantic"]
REPLIES = {
    "percept": {"modalities": ["percept"]},
    "images as base64": {"modalities": IMAGES, "encoding": "base64"},
    "images as nested lists": {"modalities": IMAGES, "encoding": "nested"},
}


def frame(id, **request):
    body = json.dumps({"id": id, **request}).encode()
    return struct.pack(">I", len(body)) + body


def requests(episode, reply, steps):
    """A reset, and turns to the left and back."""
    yield frame(0, command="reset", episode=episode, **reply)
    for id in range(1, steps + 1):
        turn = {"action": ["turn_left", "turn_right"][id % 2], "agent_id": "agent_id_0", "rotation_degrees": 2.0}
        yield frame(id, command="step", actions=[turn])


def instructions(binary, stream):
    """All that a run's own code executes."""
    with tempfile.TemporaryDirectory() as scratch:
        capture, counts = Path(scratch, "requests"), Path(scratch, "counts")
        capture.write_bytes(b"".join(stream))
        valgrind = ["valgrind", "--tool=callgrind", "--compress-strings=no", f"--callgrind-out-file={counts}"]
        subprocess.run([*valgrind, binary, "replay", capture], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return own_cost(counts.read_text(), Path(binary).name)


def own_cost(counts, binary):
    """Adds up the costs that stand under the binary's own name; the line behind `calls=` is what the callee costs."""
    total, is_own, is_call = 0, False, False
    for line in counts.splitlines():
        if line.startswith("ob="):
            is_own = Path(line.removeprefix("ob=")).name == binary
        elif is_own and not is_call and re.match(r"[+*\d-]", line):
            total += int(line.split()[1])
        is_call = line.startswith("calls=")
    return total


def counts_of(binary):
    counts = {}
    for target, episode in TARGETS.items():
        for name, reply in REPLIES.items():
            with_steps, without = (instructions(binary, requests(episode, reply, steps)) for steps in (STEPS, 0))
            counts[f"{target}, {name}"] = (with_steps - without) // STEPS
    return counts


def compiler_of(binary):
    found = re.search(rb"rustc version [^\0]+", Path(binary).read_bytes())
    return found.group().decode() if found else "not known"


def verdict(expected, found, is_same_compiler):
    change = found / expected - 1
    is_wrong = abs(change) > MARGIN if is_same_compiler else change > OTHER_COMPILERS_MARGIN
    return f"{change:+.1%}{'  too far off' if is_wrong else ''}", is_wrong


def compare(golden, compiler, counts):
    is_same_compiler = compiler == golden["compiler"]
    wrong = counts.keys() != golden["instructions_per_step"].keys()
    if wrong:
        print("the cases are not those of the file")
    print(f"by {compiler}; minted by {golden['compiler']}")
    for name, found in counts.items():
        expected = golden["instructions_per_step"].get(name, found)
        text, is_wrong = verdict(expected, found, is_same_compiler)
        wrong |= is_wrong
        print(f"{name:<36} {expected:>12,} expected {found:>12,} found  {text}")
    if wrong:
        sys.exit("if it is meant so: tests/instructions.py target/release/saccade --mint, in the commit that moves the numbers")


binary = sys.argv[1]
compiler, counts = compiler_of(binary), counts_of(binary)
if sys.argv[2:] == ["--mint"]:
    GOLDEN.write_text(json.dumps({"compiler": compiler, "instructions_per_step": counts}, indent=2) + "\n")
else:
    compare(json.loads(GOLDEN.read_text()), compiler, counts)
