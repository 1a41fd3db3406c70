"""The detector `crow` in Python, to be read with spec/clauses/crow.md."""
import itertools
import json
import re
import os
import sys
from collections import deque

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports.shared import check_params, check_state, integer, loop

encode = json.JSONEncoder(sort_keys=True).encode
OBSERVED = ("tool_call", "tool_result", "error", "message")  # CR-1
KEPT = ("type", "tool", "args", "id", "content", "call", "ok", "message", "error_type", "role", "tool_calls")

CONFIDENCE = {  # CR-14
    "repeating_error": 0.95,
    "context_error": 0.95,
    "repeating_action": 0.9,
    "monologue": 0.85,
    "alternating": 0.8,
}
PATTERN = {  # CR-16 to CR-20
    "repeating_error": "Error '{0}' occurred {count} times",
    "context_error": "Context window exceeded {count} times",
    "repeating_action": "Executed action '{0}' {count} times with identical results",
    "monologue": "Agent sent {count} consecutive messages without action",
    "alternating": "Alternating between '{0}' and '{1}'",
}
SUGGESTION = {  # CR-16 to CR-20
    "repeating_error": "Fix the error causing: {0:.100}...",
    "context_error": "Use conversation compaction to reduce context size",
    "repeating_action": "Try a different approach or tool",
    "monologue": "Either execute a tool or ask the user for clarification",
    "alternating": "Break the cycle by trying a different strategy",
}


def text_of(value):
    """Equal exactly for equal arguments (CR-3)."""
    return encode(value)


class Entry:
    """An event in the window: its number in the trace, its index for evidence, and what it is compared by."""

    def __init__(self, event, number, index):
        self.event, self.number, self.index = event, number, index
        self.outcome = None  # of a call, in the reading text
        if event["type"] == "tool_call":
            self.key = event["tool"], text_of(event["args"])  # CR-2, CR-4
        elif event["type"] == "message":
            self.key = event["role"], event["content"], text_of(event.get("tool_calls"))  # CR-26; absent is null here

    @property
    def step(self):
        """What equal steps have in common (CR-35)."""
        return self.key, self.outcome


def verdict(kind, entries, *texts, count=None):
    """CR-12, with the entries counted as evidence (CR-61, CR-62)."""
    count = len(entries) if count is None else count
    return loop(
        kind,
        [entry.index for entry in last(100, entries)],
        count=count,
        confidence=CONFIDENCE[kind],
        pattern=PATTERN[kind].format(*texts, count=count),
        suggestion=SUGGESTION[kind].format(*texts),
    )


def last(count, entries):
    """The last so many entries, oldest first, or fewer where there are fewer."""
    return list(itertools.islice(reversed(entries), count))[::-1]


class Window:
    """The last `recent` events (CR-5), and what the rules of both readings need to know of them.

    Of each kind of event the window keeps a line of its own, so that a check does not go through all events.
    """

    def __init__(self, recent):
        self.recent, self.numbers = recent, itertools.count()
        self.entries, self.calls, self.context_errors = deque(), deque(), deque()
        self.lines = [self.entries, self.calls, self.context_errors]

    def add(self, event, index):
        if self.recent and len(self.entries) == self.recent:
            self.leave(self.entries[0])
        entry = Entry(event, next(self.numbers), index)
        self.entries.append(entry)
        if event["type"] == "tool_call":
            self.calls.append(entry)
        elif event["type"] == "error" and self.is_context_error(event):
            self.context_errors.append(entry)
        self.take(entry)

    def leave(self, entry):
        for line in self.lines:
            if line and line[0] is entry:
                line.popleft()

    def verdict(self):
        """CR-13, CR-15"""
        rules = (self.repeating_error, self.context_error, self.repeating_action, self.monologue, self.alternating)
        return next(filter(None, (rule() for rule in rules)), {"loop": False})

    def context_error(self):  # CR-30, CR-45
        if len(self.context_errors) >= 2:
            return verdict("context_error", self.context_errors)

    def is_context_error(self, event):
        return event.get("error_type") == "context_length_exceeded" or self.context_words.search(event["message"])


class CodeWindow(Window):
    """The reading code: CR-21 to CR-30."""

    context_words = re.compile("context", re.ASCII | re.IGNORECASE)  # CR-30

    def __init__(self, recent, cycles):
        super().__init__(recent)
        self.cycles, self.run = cycles, 0  # the run of identical calls at the end, whether or not they have left
        self.errors, self.assistant, self.user = deque(), deque(), deque()
        self.lines += [self.errors, self.assistant, self.user]
        self.places = {}  # key of a message: the numbers of the messages equal to it

    def take(self, entry):
        kind = entry.event["type"]
        if kind == "tool_call":
            *before, call = last(2, self.calls)
            self.run = self.run + 1 if before and before[0].key == call.key else 1
        elif kind == "error":
            self.errors.append(entry)
        elif kind == "message":
            self.places.setdefault(entry.key, deque()).append(entry.number)
            if entry.event["role"] != "system":
                (self.assistant if entry.event["role"] == "assistant" else self.user).append(entry)

    def leave(self, entry):
        super().leave(entry)
        if entry.event["type"] == "message":
            self.places[entry.key].popleft()
            if not self.places[entry.key]:
                del self.places[entry.key]

    def verdict(self):
        if len(self.entries) < 2 * self.cycles:  # CR-21
            return {"loop": False}
        return super().verdict()

    def repeating_action(self):  # CR-22, CR-23
        if min(self.run, len(self.calls)) >= self.cycles:
            return verdict("repeating_action", last(self.cycles, self.calls), self.calls[-1].event["tool"])

    def repeating_error(self):  # CR-24
        errors = last(3, self.errors)
        messages = {error.event["message"] for error in errors}
        if len(errors) == 3 and len(messages) == 1:
            return verdict("repeating_error", errors, *messages)

    def monologue(self):  # CR-25, CR-27
        talk = last(3, self.assistant)
        if len(talk) < 3 or any(message.event.get("tool_calls") for message in talk):
            return None
        start = self.position(talk[0])
        later = itertools.takewhile(lambda user: user.number >= start, reversed(self.user))  # none else can be at start
        if all(self.position(user) < start for user in later):
            return verdict("monologue", talk)

    def position(self, message):  # CR-26
        return self.places[message.key][0]

    def alternating(self):  # CR-28, CR-29
        cycles = self.cycles + 3
        if len(self.calls) >= 2 * cycles:
            first = list(itertools.islice(self.calls, 2 * cycles))
            if all(one.key == other.key for one, other in zip(first, first[2:])):
                return verdict("alternating", first, first[0].event["tool"], first[1].event["tool"], count=cycles)


class TextWindow(Window):
    """The reading text: CR-31 to CR-45. A step is a call that has an outcome."""

    context_words = re.compile("context (?:window|length)", re.ASCII | re.IGNORECASE)  # CR-45

    def __init__(self, recent):
        super().__init__(recent)
        self.talk = deque()  # the assistant's messages since the last break
        self.lines.append(self.talk)
        self.ids, self.open = {}, {}  # the latest call of each id; the calls without an outcome, in their order

    def take(self, entry):
        event = entry.event
        if event["type"] == "tool_call":
            self.open[entry] = True
            if "id" in event:
                self.ids[event["id"]] = entry
            self.talk.clear()  # CR-41
        elif event["type"] == "message":
            self.listen(entry)
        else:
            self.pair(event)

    def listen(self, entry):
        """CR-41, CR-42"""
        if entry.event["role"] == "user" or entry.event["role"] == "assistant" and entry.event.get("tool_calls"):
            self.talk.clear()
        elif entry.event["role"] == "assistant":
            self.talk.append(entry)

    def pair(self, event):
        """What an outcome belongs to is decided once: where its call has left the window, so have all earlier ones."""
        if "call" in event:
            call = self.ids.get(event["call"])  # CR-32
        else:
            call = next((c for c in reversed(self.open) if event.get("tool") in (None, c.event["tool"])), None)  # CR-33
        if call in self.open:  # CR-34
            del self.open[call]
            if event["type"] == "error":
                call.outcome = "error", event["message"]  # CR-35
            else:
                call.outcome = "result", event["content"], event["ok"]

    def leave(self, entry):
        super().leave(entry)
        self.open.pop(entry, None)
        if "id" in entry.event and self.ids.get(entry.event["id"]) is entry:
            del self.ids[entry.event["id"]]

    def latest_steps(self):
        """From the latest back to the first call that waits for its outcome (CR-36, CR-37)."""
        calls = itertools.dropwhile(lambda call: call.outcome is None, reversed(self.calls))
        return itertools.takewhile(lambda call: call.outcome is not None, calls)

    def repeated(self, outcome):
        """The equal steps at the end, oldest first, where their outcomes are of this kind."""
        steps = self.latest_steps()
        latest = next(steps, None)
        if latest is None or latest.outcome[0] != outcome:
            return []
        same = itertools.takewhile(lambda step: step.step == latest.step, steps)
        return [latest, *same][::-1]

    def repeating_action(self):  # CR-39
        steps = self.repeated("result")
        if len(steps) >= 4:
            return verdict("repeating_action", steps, steps[0].event["tool"])

    def repeating_error(self):  # CR-40
        steps = self.repeated("error")
        if len(steps) >= 3:
            return verdict("repeating_error", steps, steps[0].outcome[1])

    def monologue(self):  # CR-41
        if len(self.talk) >= 3:
            return verdict("monologue", self.talk)

    def alternating(self):  # CR-43, CR-44
        run = []  # newest first
        for step in self.latest_steps():
            if run and step.step == run[-1].step or len(run) > 1 and step.step != run[-2].step:
                break
            run.append(step)
        rounds = len(run) // 2
        if rounds >= 6:
            counted = run[: 2 * rounds][::-1]
            tools = [step.event["tool"] for step in counted[:2]]
            return verdict("alternating", counted, *tools, count=rounds)


# The functions.

RECOVERY = {  # CR-46
    "repeating_action": """\
You have been attempting the same action repeatedly with identical results.

Original task: {task}

You have executed '{pattern}' {count} times.

Please:
1. Stop this action
2. Reflect on why this approach isn't working
3. Try a completely different strategy
4. If stuck, ask the user for guidance

DO NOT repeat this action again.""",
    "repeating_error": """\
The same error is occurring repeatedly.

Error: {pattern}

The operation has failed {count} times.

Please:
1. Analyze the error message carefully
2. Identify what is causing it
3. Fix the underlying issue
4. If you cannot fix it, explain to the user what needs to be done

DO NOT retry the same failing operation.""",
    "monologue": """\
You have sent {count} consecutive messages without taking action.

Original task: {task}

Please:
1. Either execute a tool to make progress
2. Or ask the user a specific question
3. Do not continue sending messages without action

You need to DO something, not just TALK.""",
    "alternating": """\
You are stuck alternating between two actions.

{pattern}

Alternating {count} times without progress.

Please:
1. Break the cycle
2. Try a different approach
3. Consider neither of these two actions

The current pattern is unproductive.""",
    "context_error": """\
The conversation has grown too large.

{pattern}

The system will now compress the conversation history. Please continue your work after the compression.""",
}
RECOVERY_FROM_THE_REST = "Detected stuck pattern: {pattern}\n\n{suggestion}"  # CR-47

AI_PROMPT = """\
Analyze the following event sequence and determine if the agent is stuck in a loop.

Events:
{events}

Identify:
1. Is there a loop? Yes/No
2. What type of loop (repeating action, repeating error, monologue, alternating)?
3. How many cycles have occurred?
4. Brief explanation of the pattern
5. Suggestion for breaking the loop

Format your response as JSON:
{{
    "is_stuck": true/false,
    "loop_type": "repeating_action|repeating_error|monologue|alternating|null",
    "cycle_count": number,
    "explanation": string,
    "suggestion": string,
    "confidence": 0.0-1.0
}}"""

AI_LINE = {  # CR-50; the arguments are written as Python's repr writes them (CR-51, CR-52)
    "tool_call": "Action: {tool}({args!r})",
    "tool_result": "Observation: {content:.100}...",
    "error": "Error: {message}",
    "message": "{role}: {content:.100}...",
}


def recovery_function(reading, args):
    """CR-46 to CR-48, CR-57"""
    filled = {"kind": "", "pattern": "", "suggestion": "", "task": "", "count": 0, **args}
    loopstone.take(filled, kind=str, pattern=str, suggestion=str, task=str, count=int)
    check_params(filled["count"] >= 0)
    return RECOVERY.get(filled["kind"], RECOVERY_FROM_THE_REST).format(**filled)


def ai_prompt_function(reading, args):
    """CR-49 to CR-52, CR-56"""
    (events,) = loopstone.take(args, events=list)
    try:
        for event in events:
            loopstone.check_event(event)
    except loopstone.Refused:
        raise loopstone.Refused("invalid_params")
    lines = [AI_LINE[event["type"]].format(**event) for event in events[-20:] if event["type"] in AI_LINE]
    return AI_PROMPT.format(events="\n".join(lines))


def ai_parse_function(reading, args):
    """CR-53 to CR-56"""
    (text,) = loopstone.take(args, reply=str)
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return {"loop": False}
    if type(reply) is not dict or reply.get("is_stuck") is not True:
        return {"loop": False}
    kind = reply.get("loop_type") or None
    if kind not in (None, *CONFIDENCE):
        return {"loop": False}
    return {
        "loop": True,
        **({"kind": kind} if kind else {}),
        "count": reply.get("cycle_count", 0),
        "pattern": reply.get("explanation", ""),
        "suggestion": reply.get("suggestion", ""),
        "confidence": reply.get("confidence", 0.7),
    }


class Crow:
    detector, readings = "crow", ["code", "text"]
    features = ["functions", "ai", "snapshot", "evidence", "int-float", "replies"]
    functions = {
        "crow.recovery": recovery_function,
        "crow.ai_prompt": ai_prompt_function,
        "crow.ai_parse": ai_parse_function,
    }

    def __init__(self, reading, config):
        numbers = dict(config)
        self.recent = numbers.pop("recent", 20 if reading == "code" else 50)  # CR-5 to CR-7
        if not integer(self.recent, 0):
            raise loopstone.Refused("invalid_config", field="recent")  # CR-10
        cycles = {"threshold_cycles": 3} if reading == "code" else {}  # CR-9
        numbers = loopstone.settings(numbers, check_every=1, **cycles)  # CR-8, CR-10, CR-11
        self.check_every = numbers["check_every"]
        self.cycles = numbers.get("threshold_cycles")
        self.indices = itertools.count()  # PR-34: neither a reset nor a restore turns them back
        self.reset()

    def reset(self):  # CR-58
        self.window = TextWindow(self.recent) if self.cycles is None else CodeWindow(self.recent, self.cycles)
        self.since_check = 0

    def observe(self, event):
        index = next(self.indices)
        if event["type"] not in OBSERVED:  # CR-1
            return {"loop": False}
        self.window.add({name: event[name] for name in KEPT if name in event}, index)
        self.since_check += 1
        if self.since_check < self.check_every:  # CR-8
            return {"loop": False}
        self.since_check = 0
        return self.window.verdict()

    def snapshot(self):  # CR-59
        return {"events": [entry.event for entry in self.window.entries], "since_check": self.since_check}

    def restore(self, state):  # CR-60
        check_state(set(state) == {"events", "since_check"})
        events, since_check = state["events"], state["since_check"]
        check_state(type(events) is list and (self.recent == 0 or len(events) <= self.recent))
        check_state(integer(since_check, 0) and since_check < self.check_every)
        if len(events) < self.recent or self.recent == 0:
            check_state(since_check == len(events) % self.check_every)
        for event in events:
            check_state(is_stored(event))
        self.reset()
        for event in events:
            self.window.add(event, None)
        self.since_check = since_check


def is_stored(event):
    try:
        loopstone.check_event(event)
    except loopstone.Refused:
        return False
    return event["type"] in OBSERVED and set(event) <= set(KEPT)


if __name__ == "__main__":
    loopstone.serve("loopstone-crow-python", "1.0", Crow)
