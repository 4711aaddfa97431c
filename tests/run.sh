#!/usr/bin/env bash
# Installs what the tests need, checks the style, builds, plays the demo and runs every test. The last line is the sum
# over all test executables; the exit status is 0 only if everything passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp)
sum() {
    awk '/^test result:/ { for (i = 2; i <= NF; i++) { if ($i == "passed;") p += $(i - 1); if ($i == "failed;") f += $(i - 1) } }
         END { printf "%d passed, %d failed\n", p, f }' "$log"
    rm -f "$log"
}
trap sum EXIT

say() { printf '\n== %s\n' "$*"; }

has_jiffy() { erl -noinput -eval 'halt(case code:which(jiffy) of non_existing -> 1; _ -> 0 end).' >/dev/null 2>&1; }

install_clients() {
    local packages=()
    command -v escript >/dev/null || packages+=(erlang-base)
    has_jiffy || packages+=(erlang-jiffy)
    command -v elixir >/dev/null || packages+=(elixir)
    command -v python3 >/dev/null || packages+=(python3)
    command -v valgrind >/dev/null || packages+=(valgrind)
    command -v qemu-x86_64 >/dev/null || packages+=(qemu-user)
    [[ ${#packages[@]} -gt 0 ]] || return 0
    say "installing ${packages[*]}"
    if ! command -v apt-get >/dev/null; then
        echo "tests/run.sh needs Erlang, its codec jiffy, Elixir, Python 3, valgrind and qemu-x86_64, and without apt-get it" \
            "cannot install what is missing here (Debian's names: ${packages[*]}): install it, then run this again" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "${packages[@]}" </dev/null
}

install_clients
export SACCADE_REQUIRE_CLIENTS=1
if [[ -d ../shared/conformance/meshes ]]; then
    SACCADE_MESHES=$(cd ../shared/conformance/meshes && pwd)
    export SACCADE_MESHES
fi
export CARGO_TERM_COLOR=never

say "style"
cargo fmt --check
cargo clippy --locked --all-targets -- -D warnings

say "release build and demo"
cargo build --locked --release
SACCADE_RELEASE=$(cd "${CARGO_TARGET_DIR:-target}/release" && pwd)/saccade
export SACCADE_RELEASE
"$SACCADE_RELEASE" demo

say "tests"
cargo test --locked --no-fail-fast 2>&1 | tee "$log"
