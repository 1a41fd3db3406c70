"""A history that never says loop, and refuses a setting."""

import loopstone


class Silent:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        if "history_size" in config:
            raise loopstone.Refused("invalid_config", "I have no such setting", field="history_size")

    def reset(self):
        pass

    def observe(self, event):
        return {"loop": False}


loopstone.serve("silent", "1.0", Silent)
