"""The detector `ralph` in Python, to be read with spec/clauses/ralph.md."""
import itertools
import os
import sys
from collections import Counter, deque
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import loopstone
from ports.shared import check_state, loop


def common_prefix(a, b):
    return len(os.path.commonprefix((a, b)))


def longest_common_subsequence(a, b):
    """Its length. What both begin and end with belongs to it; for the rest, one step over b for each character of a.

    Bit i of `row` is clear where the length for the first i + 1 characters of b is one more than for the first i
    (Hyyrö 2004).
    """
    start = common_prefix(a, b)
    a, b = a[start:], b[start:]
    end = common_prefix(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    places = {}
    for i, character in enumerate(b):
        places[character] = places.get(character, 0) | 1 << i
    full = (1 << len(b)) - 1
    row = full
    for character in a:
        hits = row & places.get(character, 0)
        row = (row + hits | row - hits) & full
    return start + end + len(b) - bin(row).count("1")


def ratio(a, b):
    """RA-7, as an exact fraction."""
    total = len(a) + len(b)
    return Fraction(200 * longest_common_subsequence(a, b), total) if total else Fraction(100)


def may_reach(a, b, least):
    """Whether the ratio can be `least` at all, by the characters that the two have in common, wherever they stand."""
    total = len(a) + len(b)
    if 200 * min(len(a), len(b)) < least * total:
        return False
    return 200 * sum((Counter(a) & Counter(b)).values()) >= least * total


def ratio_function(reading, args):
    """RA-12"""
    return float(ratio(*loopstone.take(args, a=str, b=str)))


class Ralph:
    detector, readings, features = "ralph", ["text"], ["functions", "snapshot", "evidence", "replies"]
    functions = {"ralph.ratio": ratio_function}

    def __init__(self, reading, config):
        numbers = loopstone.settings(config, window=5, similarity=90)  # RA-2
        self.window, self.least = numbers["window"], numbers["similarity"]
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # RA-10
        self.outputs = deque()  # pairs of a text and its index, None for one from before a restore

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "output" or event["text"] == "":  # RA-1, RA-4
            return {"loop": False}
        text = event["text"]
        best, similar = self.least, None  # RA-5: in exact numbers
        for earlier, earlier_index in self.outputs:  # RA-3
            if may_reach(text, earlier, best):
                found = ratio(text, earlier)
                if found >= best:  # RA-9: of equally similar ones the latest
                    best, similar = found, [earlier_index, index]
        self.outputs.append((text, index))  # RA-6
        if len(self.outputs) > self.window:
            self.outputs.popleft()
        if similar is None:
            return {"loop": False}
        return loop("similar", similar, similarity=float(best))  # RA-8

    def snapshot(self):  # RA-11
        return {"outputs": [text for text, index in self.outputs]}

    def restore(self, state):
        check_state(set(state) == {"outputs"} and type(state["outputs"]) is list)
        check_state(len(state["outputs"]) <= self.window)
        check_state(all(type(text) is str and text for text in state["outputs"]))
        self.outputs = deque((text, None) for text in state["outputs"])


if __name__ == "__main__":
    loopstone.serve("loopstone-ralph-python", "1.0", Ralph)
