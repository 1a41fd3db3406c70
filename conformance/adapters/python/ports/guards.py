"""The detector `guards` in Python, to be read with spec/clauses/guards.md."""
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports import signature
from ports.shared import Run, check_state, double, integer, loop

LIMITS = ("max_iterations", "max_runtime_s", "max_consecutive_errors")


def read_config(config):
    """GU-12 to GU-14: the three limits, None where there is none, and the settings of the detector `signature`."""
    limits = {"max_iterations": None, "max_runtime_s": None, "max_consecutive_errors": 3}
    inner = {"reading": "text", "threshold": 3, "window": 5}
    for name, value in config.items():
        if name == "signature" and type(value) is dict and set(value) <= set(inner):
            inner.update(value)
        elif name in limits and integer(value, 1):
            limits[name] = value
        else:
            raise loopstone.Refused("invalid_config", field=name)
    if inner["reading"] not in ("text", "code") or not (integer(inner["threshold"], 1) and integer(inner["window"], 1)):
        raise loopstone.Refused("invalid_config", field="signature")
    return limits, inner


class Guards:
    detector, readings, features = "guards", ["text"], ["snapshot", "evidence", "replies"]

    def __init__(self, reading, config):
        limits, inner = read_config(config)
        self.most_iterations = limits["max_iterations"]
        self.most_seconds = limits["max_runtime_s"]
        self.most_errors = limits["max_consecutive_errors"]
        self.outputs = signature.Rule(**inner)
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # GU-15
        self.iterations, self.errors = 0, Run()
        self.outputs.reset()

    def observe(self, event):
        index = next(self.indices)
        if event["type"] != "iteration":  # GU-1
            return {"loop": False}
        self.iterations += 1  # GU-2: every guard takes in every iteration
        repeated = self.outputs.observe(event["output"], index)  # GU-7
        if event["failed"]:  # GU-8, GU-9
            self.errors.lengthen(index)
        else:
            self.errors = Run()
        return self.verdict(index, event["elapsed_s"], repeated)

    def verdict(self, index, elapsed, repeated):
        """The first guard that holds after this iteration (GU-3, GU-4, GU-10), with its evidence (GU-11)."""
        if self.most_iterations is not None and self.iterations >= self.most_iterations:  # GU-5
            return loop("max_iterations", [index], count=self.iterations)
        if self.most_seconds is not None and double(elapsed) >= double(self.most_seconds):  # GU-6
            return loop("max_runtime", [index])
        if repeated["loop"]:  # GU-7
            return loop("loop_detection", repeated.get("evidence", ()), count=repeated["count"])
        if self.errors.length >= self.most_errors:  # GU-8
            return loop("consecutive_errors", self.errors.indices, count=self.errors.length)
        return {"loop": False}

    def snapshot(self):  # GU-16
        return {"iterations": self.iterations, "errors": self.errors.length, "outputs": self.outputs.snapshot()}

    def restore(self, state):  # GU-17
        check_state(set(state) == {"iterations", "errors", "outputs"} and type(state["outputs"]) is dict)
        check_state(integer(state["errors"], 0) and integer(state["iterations"], state["errors"]))
        self.outputs.restore(state["outputs"], state["iterations"])  # which refuses it whole or takes it over
        self.iterations, self.errors = state["iterations"], Run(state["errors"])


if __name__ == "__main__":
    loopstone.serve("loopstone-guards-python", "1.0", Guards)
