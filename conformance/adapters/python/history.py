"""The detector `history` in Python: a whole port beside its kit, to be read with spec/clauses/history.md.

    loopstone test -- python3 history.py
"""
import hashlib
import itertools
import json
import re
from collections import Counter, deque, namedtuple

import loopstone

WORD = re.compile(r"[^\t-\r ]+")  # HI-21: what stands between U+0009 to U+000D and U+0020
HASH = re.compile(r"[0-9a-f]{32}")
encode = json.JSONEncoder(sort_keys=True).encode  # what json.dumps makes anew for each text
MITIGATIONS = ("normalize", "tool_limits", "first_word_threshold")

# A call in the window. Its hash is None where its tool is in `normalize`, its word where it has none, and its index
# where it is from before a restore.
Call = namedtuple("Call", "tool hash word index")


def identity(call):
    """What equal calls have in common: their hash (HI-6), or their tool where it is in `normalize` (HI-18)."""
    return call.tool, call.hash


def opening(call):
    """What first_word counts (HI-20), None for a call that has no word (HI-21)."""
    return None if call.word is None else (call.tool, call.word)


class Tally:
    """How often each key occurs, and how often the most frequent one does, at a cost that does not grow."""

    def __init__(self):
        self.counts, self.highest = Counter(), 0
        self.reached = Counter()  # n: how many keys occur n times or more

    def add(self, key):
        self.counts[key] += 1
        self.reached[self.counts[key]] += 1
        self.highest = max(self.highest, self.counts[key])

    def remove(self, key):
        self.reached[self.counts[key]] -= 1
        if not self.reached[self.highest]:
            self.highest -= 1
        self.counts[key] -= 1
        if not self.counts[key]:
            del self.counts[key]


def digest(tool, args):
    """HI-6. The text is that of Python itself, so HI-7 to HI-9 hold of themselves."""
    text = encode(args)
    return hashlib.md5(f"{tool}:{text}".encode()).hexdigest()


def first_word(args):
    """HI-21"""
    command = args.get("command")
    found = WORD.search(command) if type(command) is str else None
    return found.group() if found else None


def hash_function(reading, args):
    """HI-27, HI-28"""
    return digest(*loopstone.take(args, tool=str, args=dict))


def positive(value):
    return type(value) is int and value >= 1  # a boolean is no int then (PR-31)


def check_mitigations(config):
    """HI-17. The defaults here only have to be legal."""
    normalize, limits = config.get("normalize", []), config.get("tool_limits", {})
    legal = {
        "normalize": type(normalize) is list and all(type(tool) is str for tool in normalize),
        "tool_limits": type(limits) is dict and all(map(positive, limits.values())),
        "first_word_threshold": positive(config.get("first_word_threshold", 1)),
    }
    for name in MITIGATIONS:
        if not legal[name]:
            raise loopstone.Refused("invalid_config", field=name)


class History:
    detector, readings = "history", ["code"]
    features = ["hashes", "mitigations", "snapshot", "evidence", "int-float", "replies"]
    functions = {"history.hash": hash_function}

    def __init__(self, reading, config):
        check_mitigations(config)
        self.normalize = frozenset(config.get("normalize", ()))
        self.limits = config.get("tool_limits", {})
        self.word_threshold = config.get("first_word_threshold")
        rest = {name: value for name, value in config.items() if name not in MITIGATIONS}
        numbers = loopstone.settings(rest, repeat_threshold=3, history_size=20)  # HI-2, HI-3, HI-4
        self.threshold, self.size = numbers["repeat_threshold"], numbers["history_size"]
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # HI-5
        self.window, self.equal, self.tools, self.openings = deque(), Tally(), Counter(), Tally()

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "tool_call":  # HI-1
            return {"loop": False}
        tool, args = event["tool"], event["args"]
        if len(self.window) == self.size:  # HI-10
            self.forget_oldest()
        self.remember(Call(tool, None if tool in self.normalize else digest(tool, args), first_word(args), index))
        return self.verdict()

    def remember(self, call):
        self.window.append(call)
        self.equal.add(identity(call))
        if call.tool in self.limits:
            self.tools[call.tool] += 1
        if call.word is not None:
            self.openings.add(opening(call))

    def forget_oldest(self):
        call = self.window.popleft()
        self.equal.remove(identity(call))
        if call.tool in self.limits:
            self.tools[call.tool] -= 1
        if call.word is not None:
            self.openings.remove(opening(call))

    def verdict(self):
        """The whole window is judged (HI-15); of several rules the first gives the verdict (HI-22)."""
        if self.equal.highest >= self.threshold:  # HI-13
            return self.loop("repeat", self.equal.highest, self.equal.counts, identity)
        above = {tool: self.tools[tool] for tool, limit in self.limits.items() if self.tools[tool] > limit}
        if above:  # HI-19
            return self.loop("tool_limit", max(above.values()), above, lambda call: call.tool)
        if self.word_threshold and self.openings.highest >= self.word_threshold:  # HI-20
            return self.loop("first_word", self.openings.highest, self.openings.counts, opening)
        return {"loop": False, "count": self.equal.highest}  # HI-14

    def loop(self, kind, count, counts, key_of):
        verdict = {"loop": True, "kind": kind, "count": count}
        spoken = next(key for key in map(key_of, reversed(self.window)) if counts.get(key) == count)  # HI-24
        counted = (call.index for call in reversed(self.window) if key_of(call) == spoken and call.index is not None)
        evidence = list(itertools.islice(counted, 100))[::-1]  # HI-23
        if evidence:
            verdict["evidence"] = evidence
        return verdict

    def snapshot(self):  # HI-25
        return {"calls": [[call.tool, call.hash, call.word] for call in self.window]}

    def restore(self, state):  # HI-26
        calls = state.get("calls")
        if set(state) != {"calls"} or type(calls) is not list or len(calls) > self.size:
            raise loopstone.Refused("invalid_state")
        for call in calls:
            if not (type(call) is list and len(call) == 3 and self.possible(*call)):
                raise loopstone.Refused("invalid_state")
        self.reset()
        for tool, hash_, word in calls:
            self.remember(Call(tool, hash_, word, None))

    def possible(self, tool, hash_, word):
        """Whether a call can have left these under this configuration."""
        if type(tool) is not str or not (word is None or type(word) is str and WORD.fullmatch(word)):
            return False
        if tool in self.normalize:
            return hash_ is None
        return type(hash_) is str and HASH.fullmatch(hash_) is not None


if __name__ == "__main__":
    loopstone.serve("loopstone-history-python", "1.0", History)
