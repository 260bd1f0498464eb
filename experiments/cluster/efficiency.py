#!/usr/bin/env python3
"""What is left of the speed of this process's threads when a worker plays through a server, and when it is far away.

    sudo python3 experiments/cluster/efficiency.py target/release/tictune [--depths 3,5,7] [--seconds 5] [--rounds 3]

Makes three network namespaces and removes them at the end: `near` has the NATS server and the driver, `far` a worker,
and `way` between them a proxy that passes every byte on later, in each direction (delay.py). Nothing else of the
machine's network is touched. Needs root, Debian's iproute2 and nats-server, and all cores for itself. Each way has as
many threads as there are cores. The ways take turns, so that a machine that gets slower does so for all of them.
Prints every measurement, then a table of medians.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEAR, WAY, FAR = (f"tictune-{name}-{os.getpid()}" for name in ("near", "way", "far"))
SERVER, PROXY = "10.77.1.1:4222", "10.77.2.1:4222"


def run(command, **more):
    return subprocess.run(command.split(), check=True, text=True, **more)


def inside(namespace, *command):
    return ["ip", "netns", "exec", namespace, *map(str, command)]


def connect(a, address_a, b, address_b, number):
    """A cable between two namespaces."""
    ends = f"tt{number}a{os.getpid() % 10000}", f"tt{number}b{os.getpid() % 10000}"
    run(f"ip link add {ends[0]} netns {a} type veth peer name {ends[1]} netns {b}")
    for namespace, end, address in ((a, ends[0], address_a), (b, ends[1], address_b)):
        run(f"ip -n {namespace} addr add {address}/24 dev {end}")
        run(f"ip -n {namespace} link set {end} up")


class Background:
    """A program that is ended with the block."""

    def __init__(self, namespace, *command, ready=None):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(inside(namespace, *command), stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 20
        while ready:
            self.log.seek(0)
            if ready in (said := self.log.read()):
                break
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit(f"{command}: {said}")
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def play(tictune, depth, games, more):
    """Plays a match and gives its games per second."""
    agents = [f"minimax:depth={depth},weights=liang-{name}" for name in ("comprehensive", "optimized")]
    command = inside(NEAR, tictune, "match", *agents, "--games", games, "--json", *more)
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result["games"] / result["seconds"]


def measure(args):
    on_server = ["--executor", f"nats://{SERVER}"]
    worker = lambda namespace, place: Background(namespace, args.tictune, "worker", f"nats://{place}", ready="is ready")
    far = f"worker, {args.milliseconds:g} ms away"
    # As many games as take the threads about so long, by a shorter match.
    games = dict.fromkeys(args.depths, 200)
    for seconds in (args.seconds / 5, args.seconds):
        for depth in args.depths:
            games[depth] = max(200, int(seconds * play(args.tictune, depth, games[depth], [])) // 2 * 2)
    speeds = {}
    print("round,depth,games,way,games_per_second")
    for number in range(1, args.rounds + 1):
        for way in ("threads", "worker", far):
            place = {"worker": (NEAR, SERVER), far: (FAR, PROXY)}.get(way)
            running = worker(*place) if place else None
            for depth in args.depths:
                speed = play(args.tictune, depth, games[depth], on_server if place else [])
                speeds.setdefault((depth, way), []).append(speed)
                print(f"{number},{depth},{games[depth]},{way.replace(',', '')},{speed:.1f}", flush=True)
            if running:
                running.__exit__()
    print(f"\n| depth | games | threads, games/s | worker | {far} |\n|---|---|---|---|---|")
    for depth in args.depths:
        threads, near, away = (statistics.median(speeds[depth, way]) for way in ("threads", "worker", far))
        print(f"| {depth} | {games[depth]} | {threads:.0f} | {near / threads:.1%} | {away / threads:.1%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tictune")
    parser.add_argument("--depths", type=lambda text: [int(depth) for depth in text.split(",")], default=[3, 5, 7])
    parser.add_argument("--seconds", type=float, default=5, help="of play of each match (default 5)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=float, default=20, help="each way (default 20)")
    args = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin"
    try:
        for namespace in (NEAR, WAY, FAR):
            run(f"ip netns add {namespace}")
            run(f"ip -n {namespace} link set lo up")
        connect(NEAR, "10.77.1.1", WAY, "10.77.1.2", 1)
        connect(WAY, "10.77.2.1", FAR, "10.77.2.2", 2)
        with tempfile.TemporaryDirectory() as folder:
            server = Background(NEAR, "nats-server", "-js", "-sd", folder, "-a", "10.77.1.1", ready="Server is ready")
            with server, Background(WAY, sys.executable, HERE / "delay.py", PROXY, SERVER, args.milliseconds):
                measure(args)
    finally:
        for namespace in (NEAR, WAY, FAR):
            subprocess.run(["ip", "netns", "del", namespace], stderr=subprocess.DEVNULL)


main()
