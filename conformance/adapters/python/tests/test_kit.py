"""The kit as a runner sees it: a real process, lines in, lines out."""
import json
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

KIT = Path(__file__).resolve().parents[1]

# Counts the tool calls, and refuses those of the tool "bad" before it has seen them.
PORT = f"""
import sys
sys.path.insert(0, {str(KIT)!r})
import loopstone

class Calls:
    detector, readings, features = "history", ["code", "text"], ["snapshot"]
    functions = {{"history.echo": lambda reading, args: [reading, args]}}

    def __init__(self, reading, config):
        self.threshold = loopstone.settings(config, repeat_threshold=3)["repeat_threshold"]
        self.reset()

    def reset(self):
        self.calls = 0

    def check(self, event):
        if event.get("tool") == "bad":
            raise loopstone.Refused("invalid_event", field="tool")

    def observe(self, event):
        if event["type"] != "tool_call":
            return {{"loop": False}}
        self.calls += 1
        return {{"loop": self.calls >= self.threshold, "count": self.calls}}

    def snapshot(self):
        return {{"calls": self.calls}}

    def restore(self, state):
        if set(state) != {{"calls"}}:
            raise loopstone.Refused("invalid_state")
        self.calls = state["calls"]

class Plain:
    detector, readings, features = "ralph", ["text"], []

    def __init__(self, reading, config):
        loopstone.settings(config)

    def observe(self, event):
        return {{"loop": False, "seen": event}}

loopstone.serve("test-port", "1.0", Calls, Plain)
"""

CALL = {"type": "tool_call", "tool": "t"}


def request(method, identity=1, **params):
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def notification(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def observe(*events, session="s"):
    return request("session/observe", session=session, events=list(events))


OPEN = request("session/open", session="s", detector="history", reading="code")
PLAIN = request("session/open", session="s", detector="ralph", reading="text")


class KitTest(unittest.TestCase):
    def start(self):
        return subprocess.Popen([sys.executable, "-c", PORT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def raw(self, data):
        """What the adapter answers to these bytes; it must end by itself, and well."""
        process = self.start()
        out, _ = process.communicate(data, timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(out == b"" or out.endswith(b"\n"))
        return [json.loads(line) for line in out.splitlines()]

    def ask(self, *messages):
        return self.raw("".join(json.dumps(message) + "\n" for message in messages).encode())

    def results(self, *messages):
        return [answer.get("result") for answer in self.ask(*messages)]

    def faults(self, *messages):
        """Of each answer the code of its error, with what its data say; None for a result."""
        errors = [answer.get("error") for answer in self.ask(*messages)]
        return [error and (error["code"], *error["data"].values()) for error in errors]


class Lines(KitTest):
    def test_ids_come_back_as_they_were_sent(self):
        identities = [7, "7", "é😀\u2028\x00", 1.5, -1, 2**70]
        answers = self.ask(*(request("session/close", identity, session="nobody") for identity in identities))
        self.assertEqual([answer["id"] for answer in answers], identities)
        self.assertEqual({answer["jsonrpc"] for answer in answers}, {"2.0"})

    def test_empty_lines_are_skipped(self):
        self.assertEqual(self.raw(b"\n  \n\t\r\n"), [])

    def test_a_line_ends_at_a_line_feed_only(self):
        line = json.dumps(request("session/close", "\u2028\u0085\r", session="x"), ensure_ascii=False)
        self.assertEqual([answer["id"] for answer in self.raw(line.encode() + b"\r\n")], ["\u2028\u0085\r"])

    def test_the_last_line_needs_no_end(self):
        self.assertEqual(len(self.raw(json.dumps(OPEN).encode())), 1)

    def test_a_line_may_arrive_in_pieces(self):
        process = self.start()
        line = '{"jsonrpc":"2.0","id":"é","method":"session/close","params":{"session":"x"}}\n'.encode()
        for piece in (line[:24], line[24:40], line[40:]):  # the first cut is within the é
            process.stdin.write(piece)
            process.stdin.flush()
        self.assertEqual(json.loads(process.stdout.readline())["id"], "é")
        process.communicate(timeout=20)

    def test_an_answer_does_not_wait_for_the_next_request(self):
        process = self.start()
        for identity in range(3):
            process.stdin.write(json.dumps(request("initialize", identity)).encode() + b"\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["id"], identity)
        process.communicate(timeout=20)

    def test_large_lines(self):
        event = {"type": "output", "text": "é" * (3 << 20)}
        answers = self.results(PLAIN, observe(event), observe(event))
        self.assertEqual([answer["verdicts"][0]["seen"] for answer in answers[1:]], [event, event])

    def test_many_requests_at_once_are_answered_in_order(self):
        answers = self.ask(OPEN, *(dict(observe(CALL), id=i) for i in range(5000)))
        self.assertEqual([answer["id"] for answer in answers[1:]], list(range(5000)))
        self.assertEqual(answers[-1]["result"]["verdicts"][0]["count"], 5000)

    def test_numbers_keep_their_spelling(self):
        data = json.dumps(PLAIN) + "\n" + json.dumps(observe({"type": "output", "text": "", "x": [1, 1.0]})) + "\n"
        data = data.replace("[1, 1.0]", f"[1, 1.0, {'9' * 5000}]")
        seen = self.raw(data.encode())[1]["result"]["verdicts"][0]["seen"]["x"]
        self.assertEqual([repr(number) for number in seen[:2]], ["1", "1.0"])


class Methods(KitTest):
    def test_initialize_tells_what_there_is(self):
        (hello,) = self.results(request("initialize", protocol=1))
        detectors = hello.pop("detectors")
        self.assertEqual(hello, {"protocol": 1, "name": "test-port", "version": "1.0", "language": "python"})
        self.assertEqual(detectors[0], {"id": "history", "readings": ["code", "text"], "features": ["snapshot"]})

    def test_sessions_do_not_see_each_other(self):
        other = dict(OPEN, params=dict(OPEN["params"], session="other", config={"repeat_threshold": 1}))
        answers = self.results(OPEN, other, observe(CALL, CALL), observe(CALL, session="other"), observe(CALL))
        self.assertEqual(answers[3]["verdicts"], [{"loop": True, "count": 1}])
        self.assertEqual(answers[4]["verdicts"], [{"loop": True, "count": 3}])

    def test_a_batch_is_its_events(self):
        answers = self.results(OPEN, observe(), observe(CALL, {"type": "output", "text": ""}, CALL))
        self.assertEqual(answers[1]["verdicts"], [])
        self.assertEqual([verdict.get("count") for verdict in answers[2]["verdicts"]], [1, None, 2])

    def test_reset_close_and_open_again(self):
        reset, close = request("session/reset", session="s"), request("session/close", session="s")
        answers = self.results(OPEN, observe(CALL), reset, observe(CALL), close, OPEN, observe(CALL))
        self.assertEqual([a["verdicts"][0]["count"] for a in answers if "verdicts" in a], [1, 1, 1])
        self.assertEqual(answers[2], {})
        self.assertEqual(answers[4], {})

    def test_snapshot_and_restore(self):
        restore = request("session/restore", session="s", state={"calls": 7})
        snapshot = request("session/snapshot", session="s")
        self.assertEqual(self.results(OPEN, restore, observe(CALL), snapshot)[-1], {"state": {"calls": 8}})

    def test_functions(self):
        call = request("function/call", function="history.echo", args={"a": 1})
        self.assertEqual(self.results(call), [{"value": ["code", {"a": 1}]}])
        call["params"]["reading"] = "text"
        self.assertEqual(self.results(call), [{"value": ["text", {"a": 1}]}])

    def test_defaults_of_events(self):
        verdicts = self.results(PLAIN, observe(CALL, {"type": "tool_result", "content": ""}))[1]["verdicts"]
        self.assertEqual([verdicts[0]["seen"]["args"], verdicts[1]["seen"]["ok"]], [{}, True])

    def test_shutdown_ends_without_the_end_of_input(self):
        process = self.start()
        process.stdin.write(json.dumps(request("shutdown")).encode() + b"\n")
        process.stdin.flush()
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(json.loads(process.stdout.read())["result"], {})
        process.stdin.close()
        process.stdout.close()

    def test_what_follows_a_shutdown_is_not_answered(self):
        self.assertEqual(len(self.ask(request("shutdown"), OPEN)), 1)

    def test_notifications_are_acted_on_and_not_answered(self):
        wrong = notification("session/close", session="nobody")
        quiet = dict(OPEN)
        del quiet["id"]
        answers = self.ask(wrong, notification("no/such"), quiet, observe(CALL))
        self.assertEqual([answer["result"] for answer in answers], [{"verdicts": [{"loop": False, "count": 1}]}])


class Errors(KitTest):
    def test_what_is_not_json(self):
        lines = [b'{"jsonrpc":', b"nonsense", b'{"id":NaN}', b'"\xff"', b"[" * 100000]
        *bad, good = self.raw(b"\n".join([*lines, json.dumps(OPEN).encode()]))
        self.assertEqual([(answer["error"]["code"], answer["id"]) for answer in bad], [(-32700, None)] * len(lines))
        self.assertEqual(good["result"], {})

    def test_what_is_no_request(self):
        messages = [[OPEN], 12, {}, *(dict(OPEN, id=identity) for identity in (None, True, {}))]
        messages += [dict(OPEN, jsonrpc="1.0", id=5), dict(OPEN, method=3, id="x")]
        answers = self.ask(*messages)
        self.assertEqual({answer["error"]["code"] for answer in answers}, {-32600})
        self.assertEqual([answer["id"] for answer in answers], [None] * 6 + [5, "x"])

    def test_unknown_names(self):
        faults = self.faults(
            request("session/rewind", session="s"),
            observe(session="ghost"),
            request("function/call", function="no.such", args={}),
            dict(OPEN, params=dict(OPEN["params"], detector="swarm")),
            dict(OPEN, params=dict(OPEN["params"], reading="poetic")),
        )
        self.assertEqual(faults[0][0], -32601)
        self.assertEqual(faults[1:3], [(-32602, "unknown_session"), (-32602, "unknown_function")])
        self.assertEqual(faults[3:], [(-32602, "swarm", "unsupported"), (-32602, "poetic", "unsupported")])

    def test_wrong_params(self):
        faults = self.faults(
            OPEN,
            OPEN,  # the name is open
            dict(OPEN, params=[]),
            dict(OPEN, params={"detector": "history", "reading": "code"}),
            dict(OPEN, params=dict(OPEN["params"], config=None)),
            request("session/observe", session="s", events={}),
            request("session/restore", session="s"),
            request("function/call", function="history.echo", args=[]),
            request("function/call", function="history.echo", args={}, reading=None),
        )
        self.assertEqual(faults, [None] + [(-32602, "invalid_params")] * 8)

    def test_a_refused_configuration_leaves_the_name_free(self):
        values = (0, -1, 2.5, 3.0, True, "3", None)
        wrong = [dict(OPEN, params=dict(OPEN["params"], config={"repeat_threshold": value})) for value in values]
        faults = self.faults(*wrong, OPEN)
        self.assertEqual(faults, [(-32602, "repeat_threshold", "invalid_config")] * len(values) + [None])

    def test_a_state_that_no_snapshot_wrote(self):
        states = ({}, [], None, 5)
        faults = self.faults(OPEN, *(request("session/restore", session="s", state=state) for state in states))
        self.assertEqual(faults[1:], [(-32602, "invalid_state")] * len(states))

    def test_what_the_detector_does_not_have(self):
        asked = (request("session/" + action, session="s", state={}) for action in ("state", "snapshot", "restore"))
        features = ("state", "snapshot", "snapshot")
        self.assertEqual(self.faults(PLAIN, *asked)[1:], [(-32602, feature, "unsupported") for feature in features])

    def test_events_are_checked(self):
        wrong = [
            (5, "type"),
            ({"tool": "t"}, "type"),
            ({"type": []}, "type"),
            ({"type": "dance"}, "type"),
            ({"type": "tool_call"}, "tool"),
            ({"type": "tool_call", "tool": "t", "args": []}, "args"),
            ({"type": "tool_call", "tool": "t", "id": None}, "id"),
            ({"type": "tool_call", "tool": "t", "at": "noon"}, "at"),
            ({"type": "tool_call", "tool": "t", "at": True}, "at"),
            ({"type": "tool_call", "tool": "t", "thought": 1}, "thought"),
            ({"type": "reply", "cost_usd": "1"}, "cost_usd"),
            ({"type": "delta"}, "text"),
            ({"type": "delta", "text": "a", "channel": "thinking"}, "channel"),
            ({"type": "output", "text": "", "input_tokens": None}, "input_tokens"),
            ({"type": "output", "text": "", "output_tokens": True}, "output_tokens"),
            ({"type": "tool_result", "content": "", "ok": 1}, "ok"),
            ({"type": "message", "role": "robot", "content": ""}, "role"),
            ({"type": "message", "role": "user"}, "content"),
            ({"type": "message", "role": "user", "content": "", "tool_calls": {}}, "tool_calls"),
            ({"type": "iteration", "elapsed_s": False, "output": "", "failed": False}, "elapsed_s"),
        ]
        faults = self.faults(OPEN, *(observe(event) for event, field in wrong))
        self.assertEqual(faults[1:], [(-32602, field, "invalid_event") for event, field in wrong])

    def test_a_batch_is_observed_whole_or_not_at_all(self):
        for bad in ({"type": "tool_call"}, {"type": "tool_call", "tool": "bad"}):
            answers = self.ask(OPEN, observe(CALL, bad), observe(CALL))
            self.assertEqual(answers[1]["error"]["data"], {"kind": "invalid_event", "field": "tool"})
            self.assertEqual(answers[2]["result"]["verdicts"][0]["count"], 1)


    def test_a_check_that_is_no_refusal_is_named(self):
        source = PORT.replace('raise loopstone.Refused("invalid_event", field="tool")', 'return "run"')
        lines = "".join(json.dumps(message) + "\n" for message in (OPEN, observe({"type": "tool_call", "tool": "bad"})))
        done = subprocess.run([sys.executable, "-c", source], input=lines.encode(), capture_output=True)
        self.assertIn(b"check(event) raises what the kit is to refuse, and returned 'run'", done.stderr)


class Tutorial(unittest.TestCase):
    def test_the_port_of_the_docstring_runs(self):
        sys.path.insert(0, str(KIT))
        import loopstone

        source = textwrap.dedent(loopstone.__doc__.split("write a class:\n")[1].split("and run the suite")[0])
        lines = "".join(json.dumps(message) + "\n" for message in (OPEN, observe(CALL, CALL, CALL)))
        done = subprocess.run([sys.executable, "-c", source], input=lines.encode(), cwd=KIT, stdout=subprocess.PIPE)
        verdicts = json.loads(done.stdout.splitlines()[1])["result"]["verdicts"]
        self.assertEqual(verdicts[-1], {"loop": True, "kind": "repeat", "count": 3})


if __name__ == "__main__":
    unittest.main()
