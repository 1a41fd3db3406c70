"""attocode's LoopDetector as a port of its profile."""
import field

original = field.load("attocode.integrations.budget.loop_detector", "src/attocode/integrations/budget/loop_detector.py")


class Attocode:
    detector, readings, features = "@attocode", ["code"], []
    members, settings = ["rung"], []

    def __init__(self, reading, config):
        self.reset()

    def reset(self):
        self.loops = original.LoopDetector()

    def observe(self, event):
        if event["type"] != "tool_call":
            return {"loop": False}
        before = self.loops.peek(event["tool"], event["args"])
        after = self.loops.record(event["tool"], event["args"])
        if before.is_loop and before.count >= (3 if event["tool"] == "bash" else 5):  # attocode.core.loop says so
            return {"loop": True, "rung": "block"}
        return {"loop": True, "rung": "nudge"} if after.is_loop else {"loop": False}


if __name__ == "__main__":
    import loopstone

    loopstone.serve("attocode", "original", Attocode)
