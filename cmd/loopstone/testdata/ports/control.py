"""A history detector that prints what no terminal and no XML file bears, and dies of its second event."""
import os
import sys

import loopstone


class Control:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        self.seen = 0

    def reset(self):
        self.seen = 0

    def observe(self, event):
        self.seen += 1
        if self.seen == 2:
            sys.stderr.flush()
            os.write(2, b"\x00\x1b[31mred\x07 ]]> \xff\xfe \xef\xbf\xbe & <b>\n")
            os._exit(3)
        return {"loop": True, "kind": "repeat", "count": 1, "suggestion": "\x1b[2J\x00\x7f\ufffe"}


loopstone.serve("con\x1btrol", "1.0", Control)
