"""What several of the ports need."""
from collections import deque

import loopstone


def loop(kind, indices, **members):
    """A verdict with a loop; an index of None is an event from before a restore (PR-35)."""
    evidence = [index for index in indices if index is not None][-100:]
    verdict = {"loop": True, "kind": kind, **members}
    if evidence:
        verdict["evidence"] = evidence
    return verdict


def integer(value, least):
    return type(value) is int and value >= least  # a boolean is no int then (PR-31)


def double(number):
    """The IEEE 754 double of a JSON number, which Python keeps apart where it is written as an integer."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def check_state(sound):
    if not sound:
        raise loopstone.Refused("invalid_state")


def check_params(sound):
    if not sound:
        raise loopstone.Refused("invalid_params")


class Run:
    """The length of a run, and the indices of its latest events."""

    def __init__(self, length=0):
        self.length, self.indices = length, deque(maxlen=100)

    def lengthen(self, index):
        self.length += 1
        self.indices.append(index)
