"""A detector that follows no document: the same tool five times in a row, whatever its arguments. An argument plants a
fault: `reset` forgets to forget, `later` wants six.
"""
import sys

import loopstone

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


class Stuck:
    detector, readings, features = "stuck", ["own"], []
    settings = ["threshold"]

    def __init__(self, reading, config):
        self.threshold = loopstone.settings(config, threshold=6 if FAULT == "later" else 5)["threshold"]
        self.last, self.count = None, 0

    def reset(self):
        if FAULT != "reset":
            self.last, self.count = None, 0

    def observe(self, event):
        if event["type"] != "tool_call":
            return {"loop": False}
        self.count = self.count + 1 if event["tool"] == self.last else 1
        self.last = event["tool"]
        return {"loop": self.count >= self.threshold}


loopstone.serve("stuck", "1.0", Stuck)
