"""The detector `ralph` in Python, to be read with spec/clauses/ralph.md."""
import itertools
import os
import sys
from collections import Counter, deque, namedtuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.shared import check_state, loop


# An output in the window: its text, how often it has each character, its index, None for one from before a restore.
Output = namedtuple("Output", "text letters index")


def output(text, index):
    return Output(text, Counter(text), index)


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


def reaches(part, total, least):
    """Whether a ratio is `least` or more, in whole numbers, so exactly (RA-5): each of the two is a part and a total."""
    return part * least[1] >= least[0] * total


def may_reach(a, b, least):
    """Whether the ratio can be `least` at all, by the characters that the two have in common, wherever they stand."""
    total = len(a.text) + len(b.text)
    if not reaches(200 * min(len(a.text), len(b.text)), total, least):
        return False
    return reaches(200 * sum((a.letters & b.letters).values()), total, least)


def ratio(a, b):
    """RA-7, as a part and a total."""
    total = len(a) + len(b)
    return (200 * longest_common_subsequence(a, b), total) if total else (100, 1)


def ratio_function(reading, args):
    """RA-12"""
    part, total = ratio(*loopstone.take(args, a=str, b=str))
    return part / total


class Ralph:
    detector, readings, features = "ralph", ["text"], ["functions", "snapshot", "evidence", "replies"]
    functions = {"ralph.ratio": ratio_function}

    def __init__(self, reading, config):
        numbers = loopstone.settings(config, window=5, similarity=90)  # RA-2
        self.window, self.least = numbers["window"], numbers["similarity"]
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # RA-10
        self.outputs = deque()

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "output" or event["text"] == "":  # RA-1, RA-4
            return {"loop": False}
        latest = output(event["text"], index)
        best, similar = (self.least, 1), None
        for earlier in self.outputs:  # RA-3
            if may_reach(latest, earlier, best):
                found = ratio(latest.text, earlier.text)
                if reaches(*found, best):  # RA-9: of equally similar ones the latest
                    best, similar = found, [earlier.index, index]
        self.outputs.append(latest)  # RA-6
        if len(self.outputs) > self.window:
            self.outputs.popleft()
        if similar is None:
            return {"loop": False}
        return loop("similar", similar, similarity=best[0] / best[1])  # RA-8

    def snapshot(self):  # RA-11
        return {"outputs": [each.text for each in self.outputs]}

    def restore(self, state):
        check_state(set(state) == {"outputs"} and type(state["outputs"]) is list)
        check_state(len(state["outputs"]) <= self.window)
        check_state(all(type(text) is str and text for text in state["outputs"]))
        self.outputs = deque(output(text, None) for text in state["outputs"])


if __name__ == "__main__":
    loopstone.serve("loopstone-ralph-python", "1.0", Ralph)
