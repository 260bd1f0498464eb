#!/usr/bin/env bash
# A cluster on this machine: a NATS server and three workers of one thread each. See docs/cluster.md.
#
#     examples/cluster.sh [TICTUNE]            prints the address, and runs until Ctrl-C
#     examples/cluster.sh TICTUNE COMMAND...   runs this command of tictune on the cluster, and ends with its status
#
# WORKERS=N starts N workers. PORT=N is the port of the server; without it, a free port is chosen.
set -euo pipefail
PATH+=:/usr/sbin # Where Debian installs nats-server.

tictune=${1:-tictune}
for program in nats-server "$tictune"; do
    if ! command -v "$program" >/dev/null; then
        echo "$program was not found; docs/cluster.md says how to install it" >&2
        exit 2
    fi
done
"$tictune" worker --help >/dev/null # Prints an error and ends the script if the feature `cluster` is missing.

finish() {
    trap '' HUP INT TERM # `timeout` sends its signal twice.
    set +e
    # The command first: it may wait for its workers.
    if [[ ${command-} ]]; then
        kill "$command"
        wait "$command"
    fi
    jobs -p | sort -rn | xargs kill -KILL # The server last.
    wait
    rm -rf "$folder"
} 2>/dev/null
folder=$(mktemp -d)
trap finish EXIT
trap 'exit 130' HUP INT TERM

set -m # Ctrl-C does not reach what starts here, only the command and this script.
nats-server -js -a 127.0.0.1 -p "${PORT:--1}" -sd "$folder" -l "$folder/log" --ports_file_dir "$folder" &
until address=$(grep -os 'nats:[^"]*' "$folder"/*.ports); do
    kill -0 $! 2>/dev/null || { tail -n 1 "$folder/log" >&2; exit 1; }
    sleep 0.1
done
for ((worker = 0; worker < ${WORKERS:-3}; worker++)); do
    "$tictune" worker "$address" --threads 1 --quiet &
done
set +m

if (($# > 1)); then
    "$@" --executor "$address" <&0 &
    command=$!
    wait "$command"
else
    echo "$address has ${WORKERS:-3} workers until Ctrl-C. In another terminal:"
    echo "    $tictune evolve experiments/quickstart.toml --executor $address"
    wait
fi
