"""The detector `fingerprint` in Python, to be read with spec/clauses/fingerprint.md."""
import itertools
import json
import re
import os
import sys
from collections import deque

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.shared import Run, check_params, check_state, double, integer, loop

PRIMARY = ("path", "file_path", "command", "pattern", "query", "url", "content", "filename", "offset", "limit")  # FP-8
COMPLEX = re.compile(r"[|><;&\n]")  # FP-13
WORDS = re.compile(r"[^\t-\r ]+")  # FP-12
KNOWN_IDS = 1000  # FP-34
encode = json.JSONEncoder(sort_keys=True).encode

NOTICE = """\
[System] You've called {tool} with the same arguments {count} times.
This indicates a stuck state. Either:
1. Try a DIFFERENT approach or tool
2. If blocked, explain what's preventing progress
3. If the task is complete, say so explicitly"""

WARNING = """\
[System] WARNING: You've called {tool} {count} times with identical arguments.
This is a stuck state.
1. Try a DIFFERENT approach or tool
2. If blocked, explain the blocker"""

CRITICAL = """\
[System] CRITICAL: You've called {tool} with the same arguments {count} times.
You are in a doom loop. You MUST:
1. STOP calling {tool} immediately
2. Explain what you're stuck on
3. Try a completely different approach
Further identical calls will be rejected."""

TESTS_FAIL = """\
[System] You've had {count} consecutive test failures. Step back and rethink:
1. Re-read the error messages carefully
2. Consider whether your approach is fundamentally wrong
3. Try a DIFFERENT fix strategy instead of iterating on the same one"""

BASH_FAILS = "[System] {count} shell commands have failed in a row. Stop and find out why before you run another one."
USE_FILE_TOOLS = " For files, use read_file, write_file and edit_file instead of the shell."
TALK = "[System] You have sent {count} messages without acting. Call a tool now, or say that the task is complete."


def canonical(value):
    """The value with all its numbers as doubles, so that 1, 1.0 and 1e0 are one, and -0 is 0 (FP-7)."""
    if type(value) in (int, float):
        return double(value) + 0.0  # -0.0 + 0.0 is 0.0
    if type(value) is list:
        return [canonical(item) for item in value]
    if type(value) is dict:
        return {name: canonical(member) for name, member in value.items()}
    return value


def text_of(tool, args):
    """Equal exactly for equal tools and equal arguments, whatever the order of members (FP-6)."""
    return encode([tool, canonical(args)])


def command_of(args):
    command = args.get("command")
    return command if type(command) is str else None


def file_read(command):
    """The path, where the command only reads one file (FP-12)."""
    words = WORDS.findall(command)
    paths = [word for word in words[1:] if not word.startswith("-")]
    return paths[0] if words and words[0] in ("cat", "head", "tail") and len(paths) == 1 else None


def fingerprint(tool, args, text_of=text_of):
    command = command_of(args) if tool == "bash" else None  # FP-14
    if command is not None:
        if COMPLEX.search(command):
            return text_of(tool, args)  # FP-13
        path = file_read(command)
        if path is not None:
            return "bash:file_read:" + path  # FP-11
    primary = {name: args[name] for name in PRIMARY if name in args}  # FP-8, FP-9
    return text_of(tool, primary or args)  # FP-10; no such text begins with "bash:" (FP-15)


def severity(count):
    """FP-24"""
    return "notice" if count < 4 else "warning" if count < 6 else "critical"


def nudge(tool, count):
    """FP-25 to FP-27"""
    text = {"notice": NOTICE, "warning": WARNING, "critical": CRITICAL}[severity(count)]
    return text.format(tool=tool, count=count)


def compute_function(reading, args):
    """FP-45, FP-47"""
    return fingerprint(*loopstone.take(args, tool=str, args=dict))


def nudge_function(reading, args):
    """FP-46, FP-47"""
    tool, count = loopstone.take(args, tool=str, count=int)
    check_params(count >= 1)
    return nudge(tool, count)


def calls_for_file_tools(args):
    """Whether the command is one that D1 has better tools for (FP-35)."""
    words = WORDS.findall(command_of(args) or "")
    return bool(words) and words[0] in ("cat", "echo", "sed")


class Fingerprint:
    detector, readings = "fingerprint", ["text"]
    features = ["messages", "layout", "functions", "state", "snapshot", "evidence", "replies"]
    functions = {"fingerprint.compute": compute_function, "fingerprint.nudge": nudge_function}

    def __init__(self, reading, config):
        self.config = loopstone.settings(  # FP-3, FP-4
            config, threshold=3, fuzzy_threshold=4, window=10, test_failures=3, bash_failures=3, text_turns=2
        )
        self.rules = {  # FP-2
            "tool_call": self.tool_call,
            "tool_result": self.tool_result,
            "message": self.message,
            "test_run": self.test_run,
        }
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # FP-5
        self.tool, self.args, self.text, self.fingerprint = None, None, None, None  # of the last call
        self.exact, self.fuzzy = 0, 0
        self.call_indices = deque(maxlen=100)
        self.ids = {}  # id of a call: its tool, and whether it calls for file tools
        self.bash_for_files = False  # of the last bash call
        self.failure_for_files = False  # of the last failing command
        self.test_failures, self.bash_failures, self.talk = Run(), Run(), Run()
        self.warned = 0

    def observe(self, event):
        index = next(self.indices)
        rule = self.rules.get(event["type"])
        if rule is None:  # FP-1
            return {"loop": False}
        verdict = rule(event, index)
        if verdict["loop"]:
            self.warned = event.get("at", self.warned)  # FP-41
        return verdict

    def tool_call(self, event, index):
        tool, args = event["tool"], event["args"]
        self.count(tool, args)
        self.call_indices.append(index)
        self.talk = Run()  # FP-37
        for_files = calls_for_file_tools(args)
        if tool == "bash":
            self.bash_for_files = for_files
        if "id" in event:
            self.ids.pop(event["id"], None)  # the latest call of an id is meant (FP-32)
            self.ids[event["id"]] = (tool, for_files)
            if len(self.ids) > KNOWN_IDS:
                del self.ids[next(iter(self.ids))]
        return self.verdict_on_call()

    def count(self, tool, args):
        """FP-16, FP-17: only the last call has to be remembered, since another call ends a run for good (FP-23)."""
        text, alike = self.text, self.fingerprint
        self.remember(tool, args)
        self.exact = min(self.exact + 1, self.config["window"]) if self.text == text else 1
        self.fuzzy = min(self.fuzzy + 1, self.config["window"]) if self.fingerprint == alike else 1

    def remember(self, tool, args):
        self.tool, self.args, self.text, self.fingerprint = tool, args, text_of(tool, args), fingerprint(tool, args)

    def verdict_on_call(self):
        if self.exact >= self.config["threshold"]:  # FP-18, FP-20
            kind, count = "exact", self.exact
        elif self.fuzzy >= self.config["fuzzy_threshold"]:  # FP-19
            kind, count = "fuzzy", self.fuzzy
        else:
            return {"loop": False, "count": self.exact}  # FP-21
        return loop(
            kind,
            list(self.call_indices)[-count:],  # FP-42
            count=count,
            tool=self.tool,  # FP-22
            severity=severity(count),
            message=nudge(self.tool, count),
        )

    def test_run(self, event, index):
        if event["passed"]:
            self.test_failures = Run()  # FP-28
        else:
            self.test_failures.lengthen(index)
        return self.verdict("test_fix", self.test_failures, "test_failures", TESTS_FAIL)  # FP-29, FP-30

    def tool_result(self, event, index):
        named = self.ids.get(event.get("call"))
        tool = event.get("tool", named and named[0])  # FP-32
        if tool == "bash" and event["ok"]:  # FP-31; of other tools, or none, the result is neutral (FP-33)
            self.bash_failures = Run()
        elif tool == "bash":
            self.bash_failures.lengthen(index)
            self.failure_for_files = named[1] if named else self.bash_for_files
        text = BASH_FAILS + (USE_FILE_TOOLS if self.failure_for_files else "")  # FP-35
        return self.verdict("bash_cascade", self.bash_failures, "bash_failures", text)

    def message(self, event, index):
        if event["role"] == "assistant" and event.get("tool_calls"):  # FP-37
            self.talk = Run()
        elif event["role"] == "assistant":  # FP-36; other roles are neutral (FP-39)
            self.talk.lengthen(index)
        return self.verdict("summary", self.talk, "text_turns", TALK)  # FP-38

    def verdict(self, kind, run, threshold, text):
        if run.length < self.config[threshold]:
            return {"loop": False}
        return loop(kind, run.indices, count=run.length, message=text.format(count=run.length))

    def state(self):  # FP-40
        verdict = self.verdict_on_call()
        return {
            "doomLoopDetected": verdict["loop"],
            "lastTool": self.tool,
            "consecutiveCount": verdict["count"],
            "threshold": self.config["threshold"],
            "fuzzyThreshold": self.config["fuzzy_threshold"],
            "lastWarningTime": self.warned,
        }

    def snapshot(self):  # FP-43
        return {
            "last_call": None if self.tool is None else {"tool": self.tool, "args": self.args},
            "exact": self.exact,
            "fuzzy": self.fuzzy,
            "ids": [[id_, *known] for id_, known in self.ids.items()],
            "bash_for_files": self.bash_for_files,
            "failure_for_files": self.failure_for_files,
            "test_failures": self.test_failures.length,
            "bash_failures": self.bash_failures.length,
            "talk": self.talk.length,
            "warned": self.warned,
        }

    def restore(self, state):  # FP-44
        check_state(set(state) == set(self.snapshot()))
        last, exact, fuzzy, ids = state["last_call"], state["exact"], state["fuzzy"], state["ids"]
        if last is None:
            check_state(type(exact) is type(fuzzy) is int and exact == fuzzy == 0 and ids == [])
        else:
            check_state(type(last) is dict and set(last) == {"tool", "args"})
            check_state(type(last["tool"]) is str and type(last["args"]) is dict)
            check_state(integer(exact, 1) and integer(fuzzy, exact) and fuzzy <= self.config["window"])
        check_state(type(ids) is list and len(ids) <= KNOWN_IDS and all(map(known_call, ids)))
        check_state(len({id_ for id_, tool, for_files in ids}) == len(ids))
        check_state(all(type(state[name]) is bool for name in ("bash_for_files", "failure_for_files")))
        check_state(all(integer(state[name], 0) for name in ("test_failures", "bash_failures", "talk")))
        check_state(type(state["warned"]) in (int, float))

        self.reset()
        if last is not None:
            self.remember(last["tool"], last["args"])
        self.exact, self.fuzzy = exact, fuzzy
        self.ids = {id_: (tool, for_files) for id_, tool, for_files in ids}
        self.bash_for_files, self.failure_for_files = state["bash_for_files"], state["failure_for_files"]
        self.test_failures, self.bash_failures = Run(state["test_failures"]), Run(state["bash_failures"])
        self.talk, self.warned = Run(state["talk"]), state["warned"]


def known_call(item):
    return type(item) is list and [type(part) for part in item] == [str, str, bool]


if __name__ == "__main__":
    loopstone.serve("loopstone-fingerprint-python", "1.0", Fingerprint)
