"""The detector `composed` in Python: the file for one's own agent, as a port."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from composed import ConfigError, LoopDetector


class Composed(LoopDetector):
    detector, readings, features = "composed", ["code"], ["evidence", "replies"]

    def __init__(self, reading, config):
        try:
            super().__init__(config.get("rules", [{}]))
        except ConfigError as problem:
            raise loopstone.Refused("invalid_config", str(problem), field="rules")
        for field in config.keys() - {"rules"}:
            raise loopstone.Refused("invalid_config", field=field)


if __name__ == "__main__":
    loopstone.serve("loopstone-composed-python", "1.0", Composed)
