"""The detector `swarm` in Python with its totals in a Redis (feature `shared`): python3 fleet.py redis://host:port

It shares a swarm with every port that sends the same scripts, those of the reference among them. Python's standard
library has neither a client nor MessagePack, so the few lines that are needed stand here.
"""
import itertools
import json
import os
import secrets
import socket
import sys
import time
from collections import Counter, namedtuple
from decimal import Decimal
from urllib.parse import urlsplit

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import loopstone
from ports import swarm
from ports.fingerprint import fingerprint
from ports.shared import loop

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4))
SCRIPTS = os.environ.get("LOOPSTONE_SCRIPTS", os.path.join(ROOT, "reference/swarm/shared"))
PATIENCE, ATTEMPT = 4.0, 3.0  # seconds for a request, and for one attempt: a runner gives up after five (SW-40)
DAY = 24 * 60 * 60  # SW-42
MARGIN = DAY // 16  # how much longer a swarm is kept, so that only one request in that time makes it live on
KEYS = "totals", "ids", "earlier-ids", "requests", "earlier-requests"


def number(value):
    """As JavaScript writes it (RFC 8785)."""
    value = float(value)
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(value)), "f")
        return text[:-2] if text.endswith(".0") else text
    return repr(value).replace("e-0", "e-")


def canonical(value):
    """Canonical JSON (RFC 8785)."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def shared_text(tool, args):
    """SW-43: ports of all languages write a fingerprint alike."""
    return f"{canonical(tool)}:{canonical(args)}"


def packed(value):
    """MessagePack, as the scripts are asked."""
    if isinstance(value, int):
        return bytes([value]) if value < 128 else b"\xcf" + value.to_bytes(8, "big")
    if isinstance(value, (list, tuple)):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(packed, value))
    text = value if isinstance(value, bytes) else value.encode()
    return b"\xdb" + len(text).to_bytes(4, "big") + text


def read(name):
    with open(os.path.join(SCRIPTS, name), "rb") as file:
        return file.read()


class ErrorReply(Exception):
    """What the server says instead of an answer."""


class Connection:
    """One connection that speaks RESP."""

    def __init__(self, host, port, timeout):
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, timeout, *words):
        words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.settimeout(timeout)
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.answer()

    def answer(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server hung up")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise ErrorReply(rest.decode())
        if kind == b"+":
            return rest
        if kind == b":":
            return int(rest)
        if int(rest) < 0:
            return None
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        text = self.file.read(int(rest) + 2)
        if len(text) < int(rest) + 2:
            raise ConnectionError("the server hung up")
        return text[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


class Store:
    """A Redis. A request without an answer is sent again: the scripts know what they did (SW-35, SW-37)."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.host, self.port, self.connection, self.scripts = parts.hostname, parts.port or 6379, None, {}
        self.end, self.unanswered = 0.0, False  # of the request; may an attempt without an answer have been executed?

    def ask(self, *words):
        pause = 0.01
        while True:
            try:
                timeout = max(min(ATTEMPT, self.end - time.monotonic()), 0.001)
                if self.connection is None:
                    self.connection = Connection(self.host, self.port, timeout)
                return self.connection.ask(timeout, *words)
            except ErrorReply as problem:
                if not str(problem).startswith(("LOADING", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN")):
                    raise
                last = problem
            except OSError as problem:
                last, self.unanswered = problem, True
                self.drop()
            if time.monotonic() + pause > self.end:
                raise self.away(last)
            time.sleep(pause)
            pause = min(2 * pause, 0.5)

    def away(self, problem):
        return loopstone.Refused("unavailable", f"the store at {self.host}:{self.port}: {problem}")

    def drop(self):
        """An answer that is still on its way must not be taken for that of the next request."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def run(self, name, keys, asked):
        self.end, self.unanswered = time.monotonic() + PATIENCE, False
        try:
            if name not in self.scripts:
                head = b"#!lua flags=no-writes\n" if name == "snapshot.lua" else b"#!lua\n"
                script = head + b"".join(map(read, ("ids.lua", name)))
                self.scripts[name] = script, self.ask("SCRIPT", "LOAD", script)
            script, digest = self.scripts[name]
            words = [len(keys), *keys, DAY + MARGIN, packed(asked)]
            try:
                return self.ask("EVALSHA", digest, *words)
            except ErrorReply as problem:
                if not str(problem).startswith("NOSCRIPT"):
                    raise
                return self.ask("EVAL", script, *words)
        except ErrorReply as problem:
            kind = Lost if str(problem).startswith("LOST ") else loopstone.Refused
            raise kind("unavailable", f"the store at {self.host}:{self.port}: {problem}")


class Lost(loopstone.Refused):
    """Totals are gone that somebody knew (SW-45)."""


Report = namedtuple("Report", "id fingerprint worker tool")


class Fleet:
    detector, readings = "swarm", ["text"]
    features = [*swarm.Swarm.features, "shared"]
    functions = swarm.Swarm.functions
    check = swarm.Swarm.check
    store = None

    def __init__(self, reading, config):
        config = dict(config)
        name = config.pop("swarm", None)
        if name is not None and type(name) is not str:  # SW-32
            raise loopstone.Refused("invalid_config", field="swarm")
        self.config = loopstone.settings(config, threshold=10, min_workers=2)  # SW-38
        self.named = name is not None
        tag = "n" + name.encode().hex() if self.named else "p" + secrets.token_hex(16)
        self.keys = [f"loopstone:{{{tag}}}:{part}" for part in KEYS]
        self.indices, self.mark, self.trails = itertools.count(), b"", {}
        self.lived = self.heard = float("-inf")

    def id(self, event):
        if self.named and "id" in event:  # SW-35
            return f"w{len(event['worker'].encode())}:{event['worker']}{event['id']}".encode()
        return None

    def observe_batch(self, events):
        """SW-33: a batch is one request."""
        calls = [e for e in events if e["type"] == "tool_call"]  # SW-1
        reports = [Report(self.id(e), fingerprint(e["tool"], e["args"], shared_text), e["worker"], e["tool"]) for e in calls]
        tallies = iter(list(self.report(reports)) if reports else ())
        verdicts = []
        for event in events:
            index = next(self.indices)
            if event["type"] == "tool_call":
                verdicts.append(self.verdict(index, event, *next(tallies)))
            else:
                verdicts.append({"loop": False})
        return verdicts

    def report(self, reports):
        """Of each report its fingerprint, whether it is the session's own, the count and the workers then."""
        tools, owners, sizes, first = {}, {}, Counter(), {}
        for r in reports:
            group = r.fingerprint, r.worker
            tools.setdefault(group, r.tool)
            first.setdefault(r.fingerprint, len(first))
            if r.id not in owners:
                sizes[group] += 1
            if r.id is not None:
                owners.setdefault(r.id, group)
        groups = sorted(tools, key=lambda group: first[group[0]])
        ids, answer = self.ask(groups, tools, owners, sizes)
        if 0 in answer[1] or self.store.unanswered and None not in {r.id for r in reports} and len(answer[1]) == len(ids):
            raise self.store.away("an answer was lost, and these reports may be counted")  # SW-33, SW-40
        known = {ids[p - 1] for p in answer[1]}
        if answer[0] != self.mark:  # SW-39
            self.mark, self.trails = answer[0], {}
        totals, crew = {}, set()
        for i, group in enumerate(groups):
            total = answer[2][13 * i : 13 * i + 13]
            totals[group[0]] = [int.from_bytes(total[:7], "big"), int.from_bytes(total[7:12], "big")]
            if total[12:] == b"1":
                crew.add(group)
        for r in reports:
            total, new = totals[r.fingerprint], r.id is None or r.id not in known
            if new:
                total[0] = min(total[0] + 1, swarm.MOST)  # SW-25
                total[1] += (r.fingerprint, r.worker) not in crew
                crew.add((r.fingerprint, r.worker))
            if r.id is not None:
                known.add(r.id)
            yield r.fingerprint, new, *total

    def ask(self, groups, tools, owners, sizes):
        """The ids in the order of their positions, and the answer of report.lua."""
        series = {}
        for id in owners:
            series.setdefault(id[:-1], []).append(id)
        ids = list(itertools.chain(*series.values()))
        numbers = {group: n for n, group in enumerate(groups, 1)}
        now = time.monotonic()
        live_on = now - self.lived > MARGIN
        answer = self.run("report.lua", [
            "q" + secrets.token_hex(16),
            live_on,
            [word for name, own in series.items() for word in (name, b"".join(id[-1:] for id in own))],
            b"".join(numbers[owners[id]].to_bytes(3, "big") for id in ids),
            sum(sizes.values()) > len(ids),
            ["m", *(f for name, worker in groups for f in ("c" + name, f"w{len(worker.encode())}:{worker}{name}"))],
            [sizes[group] for group in groups],
            [tools[group] for group in groups],
            self.knows(),
        ])
        if live_on:
            self.lived = now
        self.heard = now
        return ids, answer

    def knows(self):
        """The mark that the store must know, too, unless it may have forgotten the swarm (SW-42)."""
        return b"" if self.mark != b"-" and time.monotonic() - self.heard >= DAY else self.mark

    def run(self, name, asked):
        """A loss is told once."""
        try:
            return self.store.run(name, self.keys, asked)
        except Lost:
            self.mark = b"-"
            raise

    def verdict(self, index, event, name, own, count, workers):
        trail = self.trails.setdefault(name, [])
        if own:
            trail.append(index)
            del trail[:-100]
        if count < self.config["threshold"] or workers < self.config["min_workers"]:  # SW-6
            return {"loop": False}
        message = swarm.MESSAGE.format(count=count, tool=event["tool"], workers=workers)  # SW-9
        verdict = loop("global", trail, count=count, workers=workers, message=message)
        if not trail:
            verdict.pop("evidence", None)
        return verdict

    def replace(self, totals):
        asked = ["r" + secrets.token_hex(16)]
        for name, total in totals.items():
            asked += [name, total.tool, total.count, list(total.workers)]
        self.run("replace.lua", asked)

    def reset(self):  # SW-37
        self.replace({})

    def restore(self, state):  # SW-37
        self.replace(swarm.read_snapshot(state))

    def snapshot(self):
        flat = self.run("snapshot.lua", [self.knows()])
        fields, totals = dict(zip(flat[0::2], flat[1::2])), {}
        for field in fields:
            if field[:1] == b"w":
                length, rest = field[1:].split(b":", 1)
                worker, name = rest[: int(length)].decode(), rest[int(length) :]
                if name not in totals:
                    count = int.from_bytes(fields[b"c" + name][:7], "big")
                    totals[name] = swarm.Total(fields[b"t" + name].decode(), count)
                totals[name].workers.add(worker)
        return swarm.snapshot({name.decode(): total for name, total in totals.items()})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 fleet.py redis://host:port")
    Fleet.store = Store(sys.argv[1])
    loopstone.serve("loopstone-fleet-python", "1.0", Fleet)
