"""A detector with rules of its own: four calls in a row that are the same."""
import composed
import loopstone


class Mine(composed.LoopDetector):
    detector, readings, features = "@mine", ["code"], []
    config, settings = {"rules": [{"rungs": [{"at": 4}]}]}, []

    def __init__(self, reading, config):
        super().__init__(self.config["rules"])


loopstone.serve("mine", "1.0", Mine)
