"""An adapter whose detector does nothing: what is left is the kit and the pipe."""
import loopstone


class Nothing:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        pass

    def reset(self):
        pass

    def observe(self, event):
        return {"loop": False}


loopstone.serve("nothing", "1.0", Nothing)
