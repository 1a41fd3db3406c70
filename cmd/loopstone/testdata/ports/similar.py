"""Finds outputs that are 95 percent alike, or as much as it is told, and says no more. With an argument it has a fault:
it looks at the latest output only.
"""
import sys

import loopstone

BROKEN = len(sys.argv) > 1


def common(a, b):
    """The length of the longest common subsequence, with one bit for each character of a."""
    places = {}
    for i, letter in enumerate(a):
        places[letter] = places.get(letter, 0) | 1 << i
    full = rest = (1 << len(a)) - 1
    for letter in b:
        found = rest & places.get(letter, 0)
        rest = (rest + found | rest - found) & full
    return len(a) - bin(rest).count("1")


class Similar:
    detector, readings, features = "ralph", ["text"], []
    members, defaults = ["loop", "kind"], "own"

    def __init__(self, reading, config):
        self.settings = loopstone.settings(config, window=5, similarity=95)
        self.reset()

    def reset(self):
        self.outputs = []

    def observe(self, event):
        if event["type"] != "output" or not event["text"]:
            return {"loop": False}
        text, least = event["text"], self.settings["similarity"]
        seen = self.outputs[-1:] if BROKEN else self.outputs
        loop = any(200 * common(other, text) >= least * (len(other) + len(text)) for other in seen)
        self.outputs = (self.outputs + [text])[-self.settings["window"]:]
        return {"loop": True, "kind": "similar"} if loop else {"loop": False}


loopstone.serve("similar", "1.0", Similar)
