"""A detector of our own with the interface of attocode's, for the tests of this package."""
import json


class Found:
    def __init__(self, count, least):
        self.count, self.is_loop = count, count >= least


class LoopDetector:
    def __init__(self):
        self.calls = []
        self.unused = 7

    def peek(self, tool, arguments):
        return Found(self.calls.count(self.key(tool, arguments)), 3)

    def record(self, tool, arguments):
        self.calls = (self.calls + [self.key(tool, arguments)])[-20:]
        return self.peek(tool, arguments)

    def key(self, tool, arguments):
        return tool + json.dumps(arguments, sort_keys=True)
