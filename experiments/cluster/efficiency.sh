#!/usr/bin/env bash
# Games a second by this process's threads, by one worker through a server, and by a worker 20 ms away from the server.
#   experiments/cluster/efficiency.sh target/release/tictune [GAMES_AT_DEPTH_5]
set -euo pipefail
tictune=$1
games=${2:-20000}
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
nats-server -js -sd "$folder" -a 127.0.0.1 -p 4340 >/dev/null 2>&1 &
python3 "$(dirname "$0")/delay.py" 4341 4340 20 &
sleep 1
play() { # DEPTH GAMES MORE...
    local depth=$1 count=$2
    shift 2
    "$tictune" match "minimax:depth=$depth,weights=liang-comprehensive" "minimax:depth=$depth,weights=liang-optimized" \
        --games "$count" --json "$@" | python3 -c 'import json,sys; r=json.load(sys.stdin); print(r["games"]/r["seconds"])'
}
echo "depth,games,way,games_per_second"
measure() { # NAME MORE...
    local name=$1
    shift
    for setting in "3 $((games * 10))" "5 $games" "7 $((games / 10))" "5 $((games / 10))" "3 $((games / 5))"; do
        # shellcheck disable=SC2086
        set -- "$setting" "$@"
        local depth=${1% *} count=${1#* }
        shift
        for _ in 1 2 3; do
            echo "$depth,$count,$name,$(play "$depth" "$count" "$@")"
        done
    done
}
measure threads
"$tictune" worker nats://127.0.0.1:4340 2>"$folder/near.log" &
near=$!
sleep 1
measure worker --executor nats://127.0.0.1:4340
kill $near
wait $near 2>/dev/null || true
"$tictune" worker nats://127.0.0.1:4341 2>"$folder/far.log" &
sleep 2
measure far-worker --executor nats://127.0.0.1:4340
