"""A history detector whose name is mistyped."""
import json

import loopstone


class Consecutive:
    detector, readings, features = "histroy", ["code"], []

    def __init__(self, reading, config):
        self.settings = loopstone.settings(config, repeat_threshold=3, history_size=20)
        self.reset()

    def reset(self):
        self.calls = []

    def observe(self, event):
        if event["type"] != "tool_call":
            return {"loop": False}
        self.calls.append(json.dumps([event["tool"], event["args"]], sort_keys=True))
        self.calls = self.calls[-self.settings["history_size"]:]
        count = 0
        while count < len(self.calls) and self.calls[-1 - count] == self.calls[-1]:
            count += 1
        if count >= self.settings["repeat_threshold"]:
            return {"loop": True, "kind": "repeat", "count": count}
        return {"loop": False, "count": count}


loopstone.serve("histroy", "1.0", Consecutive)
