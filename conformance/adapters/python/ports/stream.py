"""The detector `stream` in Python, to be read with spec/clauses/stream.md."""
import itertools
import os
import re
import sys
from collections import Counter, deque

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.shared import check_state, integer, loop

RULES = "tail", "chunk", "lines"
CHANNELS = "answer", "thought", "arguments"
FRESH = "user", "call", "reply"
BLANKS = " \t\r\n"
ELEMENT = re.compile(r"[ \t\r]*(\|.*\||[|+-]{3}|([*+]|[0-9]+\.)[ \t\r\n])|(#+|>)[ \t\r\n]")  # ST-13
DIVIDER = re.compile("[-+_=*\u2500-\u257f]+\\Z")  # ST-14


class Tail:
    """ST-8: for each period, how many of the latest characters equal the one a period before."""

    def __init__(self, config):
        self.shortest, self.longest, self.copies = (config[f"tail_{name}"] for name in ("from", "to", "copies"))
        self.text, self.runs = deque(maxlen=self.longest), {}

    def start(self):
        self.text.clear()
        self.runs.clear()

    def add(self, character):
        runs, found = {}, None
        text = self.text
        for period in range(self.shortest, min(self.longest, len(text) + 1) + 1):
            run = 0
            if period <= len(text) and text[-period] == character:
                run = self.runs.get(period, 0) + 1
                runs[period] = run
            if found is None and run >= period * (self.copies - 1):
                found = period, run // period + 1
        text.append(character)
        self.runs = runs
        if found:
            period, copies = found
            return {"count": copies, "period": period}, period * copies
        return None

    def snapshot(self):
        return {"text": "".join(self.text), "runs": [[period, run] for period, run in self.runs.items()]}

    def restore(self, state):
        check_state(type(state) is dict and type(state.get("text")) is str and type(state.get("runs")) is list)
        check_state(all(type(each) is list and len(each) == 2 for each in state["runs"]))
        check_state(all(integer(number, 1) for each in state["runs"] for number in each))
        self.text.extend(state["text"])
        self.runs = {period: run for period, run in state["runs"]}


class Chunk:
    """ST-9 to ST-14. The recorded text is what this holds of it; `line` is the current line."""

    def __init__(self, config):
        self.size, self.copies, self.distance, self.texts = (
            config[f"chunk_{name}"] for name in ("size", "copies", "distance", "texts")
        )
        self.reach = self.distance * (self.copies - 1) + self.size
        self.block, self.line, self.out, self.element = False, "", False, False
        self.text = ""

    def start(self):  # ST-12: a code block goes on
        self.text, self.line, self.out, self.element = "", "", False, False

    def add(self, character):
        out = self.block or self.out
        self.line += character
        ticks = len(self.line) - len(self.line.rstrip("`"))
        if character == "`" and ticks % 3 == 0:  # ST-11
            self.block, self.out, self.text, out = not self.block, True, "", True
        if not out:
            self.text = (self.text + character)[-2 * self.reach :]
            if not self.element and ELEMENT.match(self.line):  # ST-13
                self.element, self.text = True, self.line[-2 * self.reach :]
        judged = not out and not DIVIDER.match(self.line)
        if character == "\n":
            self.line, self.out, self.element = "", False, False
        return self.judge() if judged else None

    def judge(self):
        if len(self.text) < self.size:
            return None
        chunk, end = self.text[-self.size :], len(self.text)
        places = []
        while len(places) < self.copies:  # ST-9
            place = self.text.rfind(chunk, 0, end)
            if place < 0:
                return None
            places.append(place)
            end = place + self.size - 1
        if places[0] - places[-1] > self.distance * (self.copies - 1):
            return None
        between = {self.text[first:second] for second, first in zip(places, places[1:])}
        if len(between) > self.texts:  # ST-10
            return None
        return {"count": self.copies}, len(self.text) - places[-1]

    def snapshot(self):
        return {name: getattr(self, name) for name in ("block", "line", "out", "element", "text")}

    def restore(self, state):
        check_state(type(state) is dict and type(state.get("line")) is str and type(state.get("text")) is str)
        check_state(all(type(state.get(name)) is bool for name in ("block", "out", "element")))
        for name in ("block", "line", "out", "element", "text"):
            setattr(self, name, state[name])


class Lines:
    """ST-15 and ST-16: the window, as lines without the blanks at their ends, and their lengths with them."""

    def __init__(self, config):
        self.copies, self.share, self.different, self.least, self.most = (
            config[f"lines_{name}"] for name in ("copies", "share", "different", "least", "window")
        )
        self.start()

    def start(self):
        self.window, self.counts, self.total = deque(), Counter(), 0
        self.text, self.length = [], 0

    def add(self, character):
        self.length += 1
        if self.length <= self.most:
            self.text.append(character)
        else:
            self.text.clear()
        if character != "\n":
            return None
        line = "".join(self.text).strip(BLANKS)
        self.push(line, self.length)
        self.text, self.length = [], 0
        copies, filled = self.counts[line] if line else 0, sum(self.counts.values())
        if copies < self.copies or self.total < self.least:
            return None
        if 100 * copies * len(line) < self.share * self.total or 100 * len(+self.counts) > self.different * filled:
            return None
        before = itertools.takewhile(lambda each: each[0] != line, self.window)
        return {"count": copies}, self.total - sum(length for _, length in before)

    def push(self, line, length):
        self.window.append((line, length))
        self.total += length
        if line:
            self.counts[line] += 1
        while self.total > self.most:
            oldest, length = self.window.popleft()
            self.total -= length
            if oldest:
                self.counts[oldest] -= 1
                self.counts += Counter()  # drops what is no longer there

    def snapshot(self):
        return {"window": [list(each) for each in self.window], "text": "".join(self.text), "length": self.length}

    def restore(self, state):
        check_state(type(state) is dict and type(state.get("window")) is list and type(state.get("text")) is str)
        check_state(integer(state.get("length"), 0))
        for each in state["window"]:
            check_state(type(each) is list and len(each) == 2 and type(each[0]) is str and integer(each[1], 1))
            self.push(*each)
        self.text, self.length = list(state["text"]), state["length"]


class Channel:
    """The text of a channel (ST-2), as its rules remember it."""

    def __init__(self, config):
        makers = {"tail": Tail, "chunk": Chunk, "lines": Lines}
        self.rules = {name: makers[name](config) for name in config["rules"]}
        self.start()

    def start(self):
        for rule in self.rules.values():
            rule.start()
        self.length, self.pieces = 0, deque(maxlen=100)

    def observe(self, text, index):
        verdict, begin = None, 0
        for character in text:
            self.length += 1
            for name, rule in self.rules.items():  # ST-6
                found = rule.add(character)
                if found and verdict is None:  # ST-5
                    members, back = found
                    verdict, begin = {"kind": name, **members}, self.length - back
        self.pieces.append((index, self.length))
        if verdict is None:
            return {"loop": False}
        return loop(verdict.pop("kind"), [i for i, end in self.pieces if end > begin], **verdict)  # ST-17, ST-18


def words(config, name, known):
    """A list of words (ST-3), all of them where the configuration has none."""
    value = config.get(name, list(known))
    if type(value) is not list or any(word not in known for word in value):
        raise loopstone.Refused("invalid_config", f"{name}: {value!r}", field=name)
    return value


class Stream:
    detector, readings, features = "stream", ["code"], ["snapshot", "evidence", "replies"]

    def __init__(self, reading, config):
        lists = {"rules": RULES, "channels": CHANNELS, "fresh": FRESH}
        numbers = {name: value for name, value in config.items() if name not in lists}
        self.config = loopstone.settings(
            numbers, tail_from=64, tail_to=1024, tail_copies=4,
            chunk_size=50, chunk_copies=10, chunk_distance=250, chunk_texts=5,
            lines_copies=5, lines_share=50, lines_different=50, lines_least=400, lines_window=64000,
        )
        self.config.update({name: words(config, name, known) for name, known in lists.items()})
        self.indices = itertools.count()
        self.reset()

    def reset(self):  # ST-19
        self.channels = {}

    def observe(self, event):
        index, kind = next(self.indices), event["type"]
        what = {"tool_call": "call", "message": event.get("role")}.get(kind, kind)
        if what in self.config["fresh"]:  # ST-4
            for channel in self.channels.values():
                channel.start()
        channel = event.get("channel")
        if kind != "delta" or channel not in self.config["channels"]:  # ST-1, ST-2
            return {"loop": False}
        if channel not in self.channels:
            self.channels[channel] = Channel(self.config)
        return self.channels[channel].observe(event["text"], index)

    def snapshot(self):  # ST-20
        return {"channels": {
            name: {kind: rule.snapshot() for kind, rule in channel.rules.items()}
            for name, channel in self.channels.items()
        }}

    def restore(self, state):  # ST-21
        check_state(set(state) == {"channels"} and type(state["channels"]) is dict)
        channels = {}
        for name, rules in state["channels"].items():
            channels[name] = Channel(self.config)
            check_state(name in CHANNELS and type(rules) is dict and set(rules) == set(channels[name].rules))
            for kind, rule in channels[name].rules.items():
                rule.restore(rules[kind])
        self.channels = channels


if __name__ == "__main__":
    loopstone.serve("loopstone-stream-python", "1.0", Stream)
