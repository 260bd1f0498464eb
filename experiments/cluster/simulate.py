#!/usr/bin/env python3
"""Predicts how much of a cluster's time goes into games, by a simulation of events with the rules of crates/cluster/src/dispatch.rs.

    python3 experiments/cluster/simulate.py             the table of docs/cluster-details.md
    python3 experiments/cluster/simulate.py --check     the measured generations on one worker of two threads
    python3 experiments/cluster/simulate.py --cores 64 --depth 5 --games 4800 --delay 0.001

A generation of GAMES games starts when the driver has them all, and ends when the last result is counted. Efficiency is the time that the
cores would need without any waiting, divided by the time of the generation. The driver and the server are each one
queue: a part occupies them for a fixed time and a time for each of its games. A server with several cores does better. Left out: lost
messages, the limit of the network's bytes, workers that fetch the work one after the other, and that units end within a part.
"""
import argparse
import heapq
import itertools
import math
import random

# Seconds of one core for a game at a depth, on the machine of docs/cluster-details.md.
GAME = {3: 0.0000368, 5: 0.000273, 7: 0.00185, 9: 0.0186}
# How much single games differ: the standard deviation in means of a game.
SPREAD = 0.4
# Processor time of the driver and the server for a part, and for each of its games (measured: see docs/cluster-details.md).
DRIVER_PART, DRIVER_GAME = 150e-6, 1.35e-6
SERVER_PART, SERVER_GAME = 600e-6, 1.6e-6
# A worker's, assumed to be like the driver's.
WORKER_PART, WORKER_GAME = 150e-6, 1.35e-6
# Seconds of a generation besides its parts: its work goes to the workers, and it is ended. Fitted to the measured generations of depth 3.
FIXED = 0.03

# The constants of dispatch.rs and worker.rs.
TARGET, OUT_A_THREAD, LONGEST_WAY, CROWDED_WAY, HELD_A_THREAD, MOST_GAMES = 1.0, 2, 1.0, 0.2, 3, 1500


class Speed:
    """What parts tell of later ones, as in dispatch.rs."""

    def __init__(self, game=None, way=0.0):
        self.game, self.way, self.shortest = game, way, way

    def learn_game(self, games, played, share):
        game = played / games
        self.game = game if self.game is None else self.game + share * (game - self.game)

    def learn_way(self, seconds):
        way = min(max(seconds, 0.0), LONGEST_WAY)
        if self.way == 0.0:
            self.way = self.shortest = way
        self.shortest = min(self.shortest, way)
        self.way = min(way, self.way * 1.02, max(self.shortest, CROWDED_WAY))

    def next_work(self):
        self.way, self.shortest = (min(way * 1.5, LONGEST_WAY) for way in (self.way, self.shortest))

    def part(self, games_left, threads):
        if self.game is None:
            return 2
        games_in = lambda seconds: int(seconds / max(self.game, 1e-9))
        share = lambda parts: -(-games_left // (parts * threads))
        worth = max(min(games_in(self.way), share(1)), games_in(self.way / 2))
        return max(min(games_in(TARGET), max(share(3), worth)), 1)


def generation(cores, games, game, delay, speed, rng):
    """Seconds of a generation, parts handed out, and the busy time of driver and server.

    `delay` is one way between driver or worker and the server."""
    order, events = itertools.count(), []
    left, out, parts, counted, back = games, {}, 0, 0, 0
    speed.next_work()
    threads = [0.0] * cores  # when each is free
    heapq.heapify(threads)
    free = {"driver": 0.0, "server": 0.0}
    busy = {"driver": 0.0, "server": 0.0}

    def occupy(who, now, seconds):
        free[who] = max(free[who], now) + seconds
        busy[who] += seconds
        return free[who]

    def hand_out(now):
        nonlocal left, parts
        while True:
            if left > 0 and len(out) < cores * OUT_A_THREAD:
                count = min(speed.part(left, cores), MOST_GAMES)
                count = min(count + count % 2, left)
                left, number, attempts = left - count, parts, 1
                parts += 1
                out[number] = [count, now, 1]
            else:
                again = due(now)
                if again is None:
                    return
                number, (count, _, attempts) = again, out[again]
                out[number] = [count, now, attempts + 1]
            sent = occupy("driver", now, DRIVER_PART / 2)
            heapq.heappush(events, (sent + delay, next(order), "stored", number, None))

    def due(now):
        """A late part that an idle thread plays once more, at the end of a work."""
        if left > 0 or sum(part[2] for part in out.values()) >= cores or speed.game is None:
            return None
        late = [(part[1], number) for number, part in out.items()
                if now - part[1] > max(2 * speed.game * part[0], TARGET / 10) * part[2]]
        return min(late)[1] if late else None

    hand_out(0.0)
    heapq.heappush(events, (0.05, next(order), "tick", None, None))
    while events:
        now, _, what, number, played = heapq.heappop(events)
        if what == "tick":
            hand_out(now)
            heapq.heappush(events, (now + 0.05, next(order), "tick", None, None))
        elif what == "stored":
            count = out[number][0] if number in out else 0
            if count:
                passed = occupy("server", now, SERVER_PART / 2)
                heapq.heappush(events, (passed + delay, next(order), "at worker", number, None))
        elif what == "at worker" and number in out:
            count = out[number][0]
            seconds = count * game * max(0.1, rng.gauss(1.0, SPREAD / math.sqrt(count)))
            start = max(now, heapq.heappop(threads))
            end = start + seconds + WORKER_PART + WORKER_GAME * count
            heapq.heappush(threads, end)
            heapq.heappush(events, (end + delay, next(order), "result", number, seconds))
        elif what == "result":
            count = out[number][0] if number in out else 1
            passed = occupy("server", now, SERVER_PART / 2 + SERVER_GAME * count)
            heapq.heappush(events, (passed + delay, next(order), "answer", number, played))
        elif what == "answer" and number in out:
            count, sent, attempts = out.pop(number)
            done = occupy("driver", now, DRIVER_PART / 2 + DRIVER_GAME * count)
            back += count
            speed.learn_game(count, played, count / max(back, 2 * count))
            if attempts == 1:
                speed.learn_way(now - sent - played)
            counted += count
            if counted == games:
                return done, parts, busy
            hand_out(done)
    raise RuntimeError("games were lost")


def efficiency(cores, games, game, delay, generations=12, seed=1):
    """The mean of generations after the first two, which learn the speed."""
    speed, rng, total, parts = Speed(), random.Random(seed), 0.0, 0
    use = {"driver": 0.0, "server": 0.0}
    for number in range(generations):
        seconds, count, busy = generation(cores, games, game, delay, speed, rng)
        if number >= 2:
            total, parts = total + seconds + FIXED, parts + count
            for who in use:
                use[who] += busy[who]
    mean = total / (generations - 2)
    ideal = games * game / cores
    return ideal / mean, mean, parts / (generations - 2), {who: time / total for who, time in use.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cores", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--depth", type=int, nargs="+", default=[5, 7, 9])
    parser.add_argument("--games", type=int, nargs="+", default=[4800, 48000])
    parser.add_argument("--delay", type=float, nargs="+", default=[0.0002, 0.01], help="seconds, one way to the server")
    args = parser.parse_args()
    if args.check:
        measured = [(3, 960, 0.054), (3, 4800, 0.127), (3, 24000, 0.503), (5, 4800, 0.677), (5, 24000, 3.264), (7, 4800, 4.69)]
        print("depth,games,measured_seconds,simulated_seconds")
        for depth, games, seconds in measured:
            simulated = efficiency(2, games, GAME[depth], 0.00005)[1]
            print(f"{depth},{games},{seconds},{simulated:.3f}")
        return
    print("games,delay_ms,depth,cores,efficiency,seconds,parts,driver_busy,server_busy")
    for games, delay, depth, cores in itertools.product(args.games, args.delay, args.depth, args.cores):
        share, seconds, parts, use = efficiency(cores, games, GAME[depth], delay, generations=6 if cores > 200 else 12)
        print(f"{games},{delay * 1000:g},{depth},{cores},{share:.2f},{seconds:.3f},{parts:.0f},{use['driver']:.2f},{use['server']:.2f}")


if __name__ == "__main__":
    main()
