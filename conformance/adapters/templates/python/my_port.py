"""A first port: the detector `history`, with one fault.

It counts the equal calls of the whole run; the specification counts them within a window of 20 calls. Fix the
fault, and delete the entries of known.yaml whose tests then pass.
"""
import json

import loopstone


class MyHistory:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        self.settings = loopstone.settings(config, repeat_threshold=3, history_size=20)
        self.reset()

    def reset(self):
        self.counts = {}

    def observe(self, event):
        if event["type"] != "tool_call":
            return {"loop": False}
        key = event["tool"] + ":" + json.dumps(event["args"], sort_keys=True)
        self.counts[key] = self.counts.get(key, 0) + 1
        count = max(self.counts.values())
        if count >= self.settings["repeat_threshold"]:
            return {"loop": True, "kind": "repeat", "count": count}
        return {"loop": False, "count": count}


if __name__ == "__main__":
    loopstone.serve("my-port", "0.1", MyHistory)
