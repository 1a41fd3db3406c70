"""The detector `swarm` in Python, to be read with spec/clauses/swarm.md."""
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.fingerprint import fingerprint
from ports.shared import check_state, loop

MOST = 2**53 - 1  # SW-22, SW-25
MEMBERS = {"fingerprint": str, "tool": str, "count": int, "workers": list}  # SW-16

MESSAGE = """\
[System] GLOBAL DOOM LOOP: {count} calls to {tool} across
{workers} workers. The entire swarm is stuck on this approach.
1. Try a fundamentally different strategy
2. Do NOT retry the same tool/parameters
3. Consider whether the task goal itself needs re-evaluation"""


class Total:
    """What is known of a fingerprint: its tool, its calls, its workers (SW-5), the indices of its latest calls.

    There may be very many of them, each with few calls, so this is small.
    """

    __slots__ = ("tool", "count", "workers", "indices")

    def __init__(self, tool, count=0, workers=()):
        self.tool, self.count, self.workers, self.indices = tool, count, set(workers), []

    def add(self, worker, index):
        self.count = min(self.count + 1, MOST)  # SW-4, SW-25
        self.workers.add(worker)
        self.indices.append(index)
        del self.indices[:-100]  # SW-10


def snapshot(totals):
    """SW-16, SW-17; Python compares texts by code points."""
    return {
        "fingerprints": [
            {"fingerprint": name, "tool": total.tool, "count": total.count, "workers": sorted(total.workers)}
            for name, total in sorted(totals.items())
        ]
    }


def read_snapshot(state):
    """The totals of a snapshot in any order (SW-19), checked whole (SW-23)."""
    check_state(type(state) is dict and set(state) == {"fingerprints"})  # SW-20, SW-21
    check_state(type(state["fingerprints"]) is list)
    totals = {}
    for entry in state["fingerprints"]:
        check_state(type(entry) is dict and set(entry) == set(MEMBERS))  # SW-20, SW-21
        check_state(all(type(entry[name]) is kind for name, kind in MEMBERS.items()))
        check_state(all(type(worker) is str for worker in entry["workers"]))
        total = Total(entry["tool"], entry["count"], entry["workers"])
        check_state(len(total.workers) == len(entry["workers"]))  # SW-22, from here on
        check_state(1 <= len(total.workers) <= total.count <= MOST)
        check_state(entry["fingerprint"] not in totals)
        totals[entry["fingerprint"]] = total
    return totals


def merge_function(reading, args):
    """SW-26 to SW-31"""
    (states,) = loopstone.take(args, states=list)
    merged = {}
    for state in states:
        for name, part in read_snapshot(state).items():  # SW-29
            total = merged.setdefault(name, Total(part.tool))
            check_state(total.tool == part.tool)  # SW-30
            total.count = min(total.count + part.count, MOST)
            total.workers |= part.workers
    return snapshot(merged)


class Swarm:
    detector, readings, features = "swarm", ["text"], ["messages", "merge", "snapshot", "evidence", "replies"]
    functions = {"swarm.merge": merge_function}

    def __init__(self, reading, config):
        self.config = loopstone.settings(config, threshold=10, min_workers=2)  # SW-12 to SW-14
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # SW-15
        self.totals = {}

    def check(self, event):
        if event["type"] == "tool_call" and "worker" not in event:  # SW-2
            raise loopstone.Refused("invalid_event", field="worker")

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "tool_call":  # SW-1
            return {"loop": False}
        name = fingerprint(event["tool"], event["args"])  # SW-3
        if name not in self.totals:
            self.totals[name] = Total(event["tool"])
        total = self.totals[name]
        total.add(event["worker"], index)
        count, workers = total.count, len(total.workers)
        if count < self.config["threshold"] or workers < self.config["min_workers"]:  # SW-6
            return {"loop": False}
        message = MESSAGE.format(count=count, tool=event["tool"], workers=workers)  # SW-9
        return loop("global", total.indices, count=count, workers=workers, message=message)  # SW-8, SW-10

    def snapshot(self):
        return snapshot(self.totals)

    def restore(self, state):  # SW-18
        self.totals = read_snapshot(state)


if __name__ == "__main__":
    loopstone.serve("loopstone-swarm-python", "1.0", Swarm)
