# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Loopstone Authors
"""The Loopstone adapter kit for Python 3.9+: makes a loop detector answer to the conformance suite.

Copy this file beside your detector and write a class:

    import loopstone

    class Repeats:
        detector, readings, features = "history", ["code"], []

        def __init__(self, reading, config):           # config: a dict, empty for the defaults
            self.threshold = loopstone.settings(config, repeat_threshold=3)["repeat_threshold"]
            self.reset()

        def reset(self):                               # forget all events, keep the configuration
            self.calls = []

        def observe(self, event):                      # one event in, one verdict out, both dicts
            if event["type"] != "tool_call":
                return {"loop": False}
            self.calls.append(event)
            if len(self.calls) < self.threshold:
                return {"loop": False, "count": len(self.calls)}
            return {"loop": True, "kind": "repeat", "count": len(self.calls)}

    if __name__ == "__main__":
        loopstone.serve("my-port", "1.0", Repeats)

and run the suite on it:  loopstone test -- python3 my_port.py

A class may have more; declare the feature when it does: state() and snapshot() return a dict, restore(state) takes one
back, check(event) refuses an event that the detector cannot take, and `functions` maps the names of pure functions to
callables of (reading, args); observe_batch(events) takes a whole batch at once. What is refused raises Refused, before
anything has changed:
Refused("invalid_config", field="window"), Refused("invalid_event", field="worker"), Refused("invalid_state").

A class may have less: declare what it has, and nobody asks for the rest. Without these, it has all:

    rules = ["exact"]                                  # the kinds of loop that it knows
    members = ["loop"]                                 # of its verdicts; this one just says yes or no
    settings = ["threshold"]                           # that its config takes; [] for a detector that cannot be set
    defaults = "own"                                   # without a config it differs; the runner sends every setting

A detector of the field is called as its profile is, detector = "@roo", and one with rules of your own as you like,
detector = "@mine", config = {"rules": [...]}: a configuration of composed. Both have settings = [].

Events arrive checked: members have their types, `args` and `ok` their defaults. Batches, sessions, errors and ids are
the kit's. It reads whatever waits and answers it with one write, so it keeps up with a runner that pipelines. Standard
output belongs to the protocol: print to sys.stderr.
"""
import json
import os
import sys

NUMBER, STRING, BOOL, OBJECT, LIST = (int, float), (str,), (bool,), (dict,), (list,)
EVENTS = {  # type: (required members, optional members)
    "tool_call": ({"tool": STRING}, {"args": OBJECT, "id": STRING, "worker": STRING, "thought": STRING}),
    "tool_result": ({"content": STRING}, {"tool": STRING, "call": STRING, "ok": BOOL}),
    "error": ({"message": STRING}, {"error_type": STRING, "call": STRING, "tool": STRING}),
    "message": ({"role": STRING, "content": STRING}, {"tool_calls": LIST}),
    "output": ({"text": STRING}, {}),
    "test_run": ({"passed": BOOL}, {}),
    "iteration": ({"elapsed_s": NUMBER, "output": STRING, "failed": BOOL}, {}),
    "reply": ({}, {}),  # like thought, cost and tokens for those only that declare the feature `replies`
    "delta": ({"text": STRING}, {"channel": STRING}),  # for those only that observe it
}
ANY = {"at": NUMBER, "cost_usd": NUMBER, "input_tokens": NUMBER, "output_tokens": NUMBER}
# The same, as it is looked up for each event. type: (names of the required members, types of all members)
MEMBERS = {t: (tuple(needed), {**needed, **others, **ANY}) for t, (needed, others) in EVENTS.items()}
PARTS = ("readings", "features", "rules", "members", "settings", "defaults", "config")  # what a class declares of itself
ASKED = {f"session/{action}": action for action in ("observe", "reset", "close", "state", "snapshot", "restore")}


def no_number(text):
    raise ValueError(f"{text} is not JSON")


decode = json.JSONDecoder(parse_constant=no_number).decode  # refuses NaN and Infinity
encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
if hasattr(sys, "set_int_max_str_digits"):  # since Python 3.11 integers have a limit of 4300 digits, JSON's have none
    sys.set_int_max_str_digits(0)


class Refused(Exception):
    """A request that cannot be carried out: the kind of the fault, and the field or feature that it is about."""

    def __init__(self, kind, message="", code=-32602, **data):
        super().__init__(message or kind)
        self.code, self.data = code, dict(data, kind=kind)


def settings(config, **defaults):
    """The integers of a configuration, each at least 1, with their defaults; refuses what is not among them."""
    for name, value in config.items():
        if name not in defaults or type(value) is not int or value < 1:
            raise Refused("invalid_config", f"{name}: {value!r}", field=name)
    return {**defaults, **config}


def check_event(event):
    """Refuses an event that is not as the protocol says, and fills in the defaults."""
    kind = event.get("type") if type(event) is dict else None
    if type(kind) is not str or kind not in MEMBERS:
        raise Refused("invalid_event", field="type")
    required, types = MEMBERS[kind]
    for name, value in event.items():
        if name in types and type(value) not in types[name]:
            raise Refused("invalid_event", field=name)
    for name in required:
        if name not in event:
            raise Refused("invalid_event", field=name)
    if kind == "message" and event["role"] not in ("user", "assistant", "system"):
        raise Refused("invalid_event", field="role")
    if kind == "delta" and event.setdefault("channel", "answer") not in ("answer", "thought", "arguments"):
        raise Refused("invalid_event", field="channel")
    if kind == "tool_call":
        event.setdefault("args", {})
    elif kind == "tool_result":
        event.setdefault("ok", True)


def read(line):
    """The message on a line."""
    try:
        return decode(line.decode())
    except (ValueError, RecursionError) as problem:
        raise Refused("no_json", str(problem), code=-32700)


def take(members, /, **types):
    """The members of these names, which must have these types."""
    for name, kind in types.items():
        if type(members.get(name)) is not kind:
            raise Refused("invalid_params", f"{name}: want {kind.__name__}")
    return [*map(members.get, types)]


def observe(session, events):
    """The verdicts on a batch, which is checked whole before the detector sees any of it."""
    for event in events:
        check_event(event)
    if hasattr(session, "check"):
        for event in events:
            refused = session.check(event)
            if refused is not None:
                raise TypeError(f"check(event) raises what the kit is to refuse, and returned {refused!r}: rename yours")
    if hasattr(session, "observe_batch"):
        return session.observe_batch(events)
    return [session.observe(event) for event in events]


def declares(detector, part):
    """Whether a class says something of a part, and does not just have a method of that name."""
    return isinstance(getattr(detector, part, None), (list, tuple, str, dict))


# The protocol loop.


class Adapter:
    def __init__(self, name, version, *detectors):
        offers = [{"id": d.detector, **{p: getattr(d, p) for p in PARTS if declares(d, p)}} for d in detectors]
        self.hello = {"protocol": 1, "name": name, "version": version, "language": "python", "detectors": offers}
        self.detectors = {d.detector: d for d in detectors}
        self.functions = {f: (d, call) for d in detectors for f, call in getattr(d, "functions", {}).items()}
        self.sessions, self.done = {}, False

    def handle(self, method, params):
        if method in ASKED:
            return self.ask(ASKED[method], *take(params, session=str), params)
        if method == "session/open":
            return self.open(*take({"config": {}, **params}, session=str, detector=str, reading=str, config=dict))
        if method == "function/call":
            return {"value": self.call(params)}
        if method not in ("initialize", "shutdown"):
            raise Refused("unknown_method", method, code=-32601)
        self.done = method == "shutdown"
        return {} if self.done else self.hello

    def open(self, name, detector, reading, config):
        offer = self.detectors.get(detector)
        if offer is None or reading not in offer.readings:
            raise Refused("unsupported", feature=reading if offer else detector)
        if name in self.sessions:
            raise Refused("invalid_params", f"{name} is open")
        for setting in config if hasattr(offer, "settings") else ():
            if setting not in offer.settings:
                raise Refused("invalid_config", f"{setting}: not declared", field=setting)
        self.sessions[name] = offer(reading, config)
        return {}

    def ask(self, action, name, params):
        session = self.sessions.get(name)
        if session is None:
            raise Refused("unknown_session", name)
        if action == "observe":
            return {"verdicts": observe(session, *take(params, events=list))}
        if action == "close":
            del self.sessions[name]
            return {}
        if not hasattr(session, action):
            raise Refused("unsupported", feature="state" if action == "state" else "snapshot")
        if action == "restore" and type(params.get("state", {})) is not dict:
            raise Refused("invalid_state")
        result = getattr(session, action)(*(take(params, state=dict) if action == "restore" else ()))
        return {"state": result} if action in ("state", "snapshot") else {}

    def call(self, params):
        name, args = take(params, function=str, args=dict)
        if name not in self.functions:
            raise Refused("unknown_function", name)
        detector, function = self.functions[name]
        (reading,) = take({"reading": detector.readings[0], **params}, reading=str)
        if reading not in detector.readings:
            raise Refused("unsupported", feature=reading)
        return function(reading, args)

    def answer(self, line):
        identity, silent = None, False
        try:
            request = read(line)
            if type(request) is not dict or type(request.get("id", 0)) not in (str, int, float):
                raise Refused("invalid_request", code=-32600)
            identity = request.get("id")
            if request.get("jsonrpc") != "2.0" or type(request.get("method")) is not str:
                raise Refused("invalid_request", code=-32600)
            silent = "id" not in request
            params = request.get("params", {})
            if type(params) is not dict:
                raise Refused("invalid_params", "params: want an object")
            answer = {"result": self.handle(request["method"], params)}
        except Refused as fault:
            answer = {"error": {"code": fault.code, "message": str(fault), "data": fault.data}}
        return None if silent else {"jsonrpc": "2.0", "id": identity, **answer}


def serve(name, version, *detectors):
    """Answers the runner until it asks to shut down or closes the input."""
    adapter, rest, chunk = Adapter(name, version, *detectors), [], b"\n"
    while chunk and not adapter.done:
        chunk = os.read(0, 1 << 20)
        if chunk and b"\n" not in chunk:
            rest.append(chunk)
            continue
        *lines, tail = b"".join([*rest, chunk or b"\n"]).split(b"\n")
        rest = [tail]
        answers = [adapter.answer(line) for line in lines if line.strip(b" \t\r") and not adapter.done]
        data = "".join(encode(a) + "\n" for a in answers if a is not None).encode()
        while data:
            data = data[os.write(1, data):]
