"""Says yes or no to runs of identical tool calls: one rule of five, one setting of six. With the argument broken it has a
fault: a result ends a run. With boasting it declares a setting of a rule that it does not have.
"""
import json
import sys

import loopstone

BROKEN, BOASTING = "broken" in sys.argv, "boasting" in sys.argv


def doubles(value):
    """The value with all numbers as doubles, so that 1 and 1.0 are written alike."""
    if isinstance(value, dict):
        return {name: doubles(member) for name, member in value.items()}
    if isinstance(value, list):
        return [doubles(item) for item in value]
    return float(value) + 0.0 if type(value) in (int, float) else value


class YesNo:
    detector, readings, features = "fingerprint", ["text"], []
    rules, members, settings = ["exact"], ["loop"], ["threshold"] + ["fuzzy_threshold"] * BOASTING

    def __init__(self, reading, config):
        self.threshold = loopstone.settings(config, threshold=3, **{"fuzzy_threshold": 4} if BOASTING else {})["threshold"]
        self.reset()

    def reset(self):
        self.last, self.count = None, 0

    def observe(self, event):
        if BROKEN and event["type"] == "tool_result":
            self.reset()
        if event["type"] != "tool_call":
            return {"loop": False}
        call = json.dumps([event["tool"], doubles(event["args"])], sort_keys=True)
        self.count = min(self.count + 1, 10) if call == self.last else 1
        self.last = call
        return {"loop": self.count >= self.threshold}


loopstone.serve("yes-no", "1.0", YesNo)
