"""A few of the examples that the documents print, and the seams of the ports. The suite itself judges the rest."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import composed
import history
import loopstone
from ports import composed as ports_composed, crow, fingerprint, guards, ralph, signature, swarm


def call(tool="t", worker="w", **args):
    return {"type": "tool_call", "tool": tool, "args": args, "worker": worker}


def output(text):
    return {"type": "output", "text": text}


def iteration(text="", failed=False, elapsed=0):
    return {"type": "iteration", "elapsed_s": elapsed, "output": text, "failed": failed}


def result(content, ok=True):
    return {"type": "tool_result", "content": content, "ok": ok}


def last(session, *events):
    return [session.observe(event) for event in events][-1]


class HistoryTest(unittest.TestCase):
    def test_the_third_equal_call(self):
        session = history.History("code", {})
        self.assertEqual(last(session, call(a=1, b=2), call()), {"loop": False, "count": 1})
        verdict = last(session, call(b=2, a=1), call(a=1, b=2))
        self.assertEqual(verdict, {"loop": True, "kind": "repeat", "count": 3, "evidence": [0, 2, 3]})

    def test_the_hash(self):
        self.assertEqual(history.digest("read_file", {"path": "a.py"}), "9e3dc59bb241e60390e6a908bfb21b43")
        self.assertNotEqual(history.digest("t", {"a": 1}), history.digest("t", {"a": 1.0}))

    def test_a_tally_follows_the_most_frequent(self):
        tally = history.Tally()
        for key in "aababb":
            tally.add(key)
        self.assertEqual(tally.highest, 3)
        for key in "aab":
            tally.remove(key)
        self.assertEqual((tally.highest, dict(tally.counts)), (2, {"a": 1, "b": 2}))

    def test_bad_states(self):
        session = history.History("code", {"history_size": 1, "normalize": ["n"]})
        known = "0" * 32
        session.restore({"calls": [["t", known, "ls"]]})
        too_many, no_hash, hash_of_normalized = [["t", known, None]] * 2, [["t", None, None]], [["n", known, None]]
        for calls in (too_many, no_hash, hash_of_normalized, [["t", known, "a b"]], ["t"], 5):
            with self.assertRaises(loopstone.Refused):
                session.restore({"calls": calls})


class FingerprintTest(unittest.TestCase):
    def test_plain_reads_are_one(self):
        for command in ("cat a", "head -20 a", " tail\ta "):
            self.assertEqual(fingerprint.fingerprint("bash", {"command": command}), "bash:file_read:a")
        for command in ("cat a b", "head -n 20 a", "cat a | wc", "ls a"):
            self.assertFalse(fingerprint.fingerprint("bash", {"command": command}).startswith("bash:"))

    def test_numbers_are_doubles(self):
        self.assertEqual(fingerprint.text_of("t", {"a": [1, -0.0]}), fingerprint.text_of("t", {"a": [1.0, 0]}))
        self.assertNotEqual(fingerprint.text_of("t", {"a": 1}), fingerprint.text_of("t", {"a": True}))
        fingerprint.text_of("t", {"a": 10**400})

    def test_severities(self):
        session = fingerprint.Fingerprint("text", {})
        severities = [session.observe(call("ls", path="src")).get("severity") for _ in range(6)]
        self.assertEqual(severities, [None, None, "notice", "warning", "warning", "critical"])

    def test_a_cascade_of_cat(self):
        session = fingerprint.Fingerprint("text", {"bash_failures": 1})
        failed = dict(result("", ok=False), tool="bash")
        self.assertIn("read_file", last(session, call("bash", command="cat a"), failed)["message"])
        self.assertNotIn("read_file", last(session, call("bash", command="make"), failed)["message"])

    def test_a_snapshot_goes_on(self):
        one, other = fingerprint.Fingerprint("text", {}), fingerprint.Fingerprint("text", {})
        last(one, call(path="a"), call(path="a"))
        other.restore(one.snapshot())
        self.assertEqual(other.state(), one.state())
        self.assertEqual(other.observe(call(path="a"))["evidence"], [0])
        with self.assertRaises(loopstone.Refused):
            other.restore(dict(one.snapshot(), exact=11, fuzzy=11))


class SignatureTest(unittest.TestCase):
    def test_the_examples_of_the_prose(self):
        for text, expected in (
            ("Error: TypeError - Cannot read property 'x' of null at auth.ts:45", "error:TypeError-null-auth.ts"),
            ("Fixed auth.ts - added null check", "auth.ts:null-check"),
            ("3 tests failed: auth.test.ts - login test, logout test", "auth.test.ts:login,logout"),
        ):
            self.assertEqual(signature.extract_text(text), expected)

    def test_what_the_listing_makes_of_them(self):
        self.assertEqual(signature.extract_code("Fixed auth.ts - added null check"), "file:auth.ts-auth")
        self.assertEqual(signature.extract_code("Error: format\ndone"), "error:form-done")
        self.assertEqual(signature.extract_code("0 failed"), "test-fail:")

    def test_the_beginning(self):
        self.assertEqual(signature.beginning(" A\u00a0\ufeffB\u0085"), "-a-b\u0085")
        self.assertEqual(len(signature.beginning("😀" * 40)), 25)

    def test_how_the_readings_count(self):
        outputs = [output(text) for text in ("a", "a", "b", "a")]
        self.assertEqual(last(signature.Signature("code", {}), *outputs)["count"], 3)
        self.assertEqual(last(signature.Signature("text", {}), *outputs)["count"], 1)


class CrowTest(unittest.TestCase):
    def test_repeated_steps(self):
        events = [call("shell", command="ls"), result("a")] * 4
        self.assertEqual(last(crow.Crow("code", {}), *events[:6])["count"], 3)
        self.assertEqual(last(crow.Crow("text", {}), *events[:6]), {"loop": False})
        verdict = last(crow.Crow("text", {}), *events)
        self.assertEqual(verdict["pattern"], "Executed action 'shell' 4 times with identical results")
        self.assertEqual((verdict["confidence"], verdict["evidence"]), (0.9, [0, 2, 4, 6]))

    def test_a_late_outcome_closes_the_gap(self):
        session = crow.Crow("text", {})
        step = [call("t"), result("a")]
        self.assertEqual(last(session, *step, dict(call("t"), id="x"), *step, *step), {"loop": False})
        self.assertEqual(session.observe(dict(result("a"), call="x"))["count"], 4)

    def test_the_snapshot_of_an_open_call(self):
        one, other = crow.Crow("text", {"recent": 8}), crow.Crow("text", {"recent": 8})
        last(one, *[call("t"), result("a")] * 5, call("t"))
        other.restore(one.snapshot())
        self.assertEqual(other.observe(result("a"))["count"], 4)
        with self.assertRaises(loopstone.Refused):
            other.restore({"events": [], "since_check": 1})

    def test_the_functions(self):
        prompt = crow.ai_prompt_function("code", {"events": [call("t", a=[True, None, "it's"])]})
        self.assertIn("\nAction: t({'a': [True, None, \"it's\"]})\n", prompt)
        reply = '{"is_stuck": true, "loop_type": "monologue"}'
        verdict = {"loop": True, "kind": "monologue", "count": 0, "pattern": "", "suggestion": "", "confidence": 0.7}
        self.assertEqual(crow.ai_parse_function("code", {"reply": reply}), verdict)
        self.assertEqual(crow.ai_parse_function("code", {"reply": "Yes: " + reply}), {"loop": False})


class SwarmTest(unittest.TestCase):
    def test_ten_calls_of_two_workers(self):
        session = swarm.Swarm("text", {})
        self.assertFalse(last(session, *[call("t", "a", path="x")] * 10)["loop"])
        verdict = session.observe(call("t", "b", path="x", verbose=True))
        self.assertEqual((verdict["count"], verdict["workers"]), (11, 2))
        self.assertTrue(verdict["message"].startswith("[System] GLOBAL DOOM LOOP: 11 calls to t across\n2 workers."))

    def test_a_call_needs_a_worker(self):
        with self.assertRaises(loopstone.Refused):
            swarm.Swarm("text", {}).check({"type": "tool_call", "tool": "t", "args": {}})

    def test_merge(self):
        session = swarm.Swarm("text", {})
        session.observe(call("t", "\U0001f600"))
        session.observe(call("t", "\uff5e"))
        merged = swarm.merge_function("text", {"states": [session.snapshot()] * 2})
        self.assertEqual(merged["fingerprints"][0]["count"], 4)
        self.assertEqual(merged["fingerprints"][0]["workers"], ["\uff5e", "\U0001f600"])


class RalphTest(unittest.TestCase):
    def test_ratio(self):
        for a, b, expected in (("", "", 100), ("a", "", 0), ("abcd", "abxd", 75), ("kitten", "sitting", 800 / 13)):
            self.assertAlmostEqual(ralph.ratio_function("text", {"a": a, "b": b}), expected)

    def test_exactly_ninety_percent(self):
        session = ralph.Ralph("text", {})
        verdict = last(session, output("abcdefghij"), output("abcdefghiX"))
        self.assertEqual(verdict, {"loop": True, "kind": "similar", "similarity": 90.0, "evidence": [0, 1]})
        self.assertEqual(ralph.Ralph("text", {"similarity": 101}).observe(output("a")), {"loop": False})


class GuardsTest(unittest.TestCase):
    def test_the_order_of_the_guards(self):
        config = {"max_iterations": 3, "max_runtime_s": 10, "max_consecutive_errors": 1}
        session = guards.Guards("text", config)
        kinds = [session.observe(iteration(str(i), True, elapsed))["kind"] for i, elapsed in enumerate((0, 10, 10.5))]
        self.assertEqual(kinds, ["consecutive_errors", "max_runtime", "max_iterations"])

    def test_a_loop_of_outputs(self):
        session = guards.Guards("text", {"signature": {"reading": "code"}})
        verdict = last(session, iteration("a"), output("a"), iteration("b"), iteration("a"), iteration("a"))
        self.assertEqual(verdict, {"loop": True, "kind": "loop_detection", "count": 3, "evidence": [0, 3, 4]})

    def test_a_state_refused_changes_nothing(self):
        session = guards.Guards("text", {})
        last(session, iteration("a", True), iteration("a", True))
        state = session.snapshot()
        with self.assertRaises(loopstone.Refused):
            session.restore(dict(state, iterations=0, errors=0))
        self.assertEqual(session.snapshot(), state)


class ComposedTest(unittest.TestCase):
    def test_an_agent_gives_what_it_has(self):
        detector = composed.LoopDetector([{"same": {"results": "text"}, "rungs": [{"name": "stop", "at": 2}]}])
        step = [{"type": "tool_call", "tool": "t"}, {"type": "tool_result", "content": "r"}]
        verdict = last(detector, *step, {"type": "reply"}, *step)
        self.assertEqual((verdict["rung"], verdict["count"], verdict["evidence"]), ("stop", 2, [0, 3]))
        detector.reset()
        self.assertEqual(last(detector, *step), {"loop": False})

    def test_a_fault_is_told_with_its_place(self):
        for rule, place in (
            ({"pattern": {"sort": "cycle", "from": 3, "to": 2}}, "rules/0/pattern/to"),
            ({"rungs": [{"at": 2}, {"at": 2}]}, "rules/0/rungs/1/at"),
            ({"tools": {"only": ["t", "t?a"]}}, "rules/0/tools/only/1"),
            ({"same": {"keeps": []}}, "rules/0/same/keeps"),
        ):
            with self.assertRaisesRegex(composed.ConfigError, f"^{place}: "):
                composed.LoopDetector([rule])

    def test_rules_are_not_changed(self):
        rules = [{"rungs": [{}]}]
        composed.LoopDetector(rules)
        self.assertEqual(rules, [{"rungs": [{}]}])

    def test_a_port_refuses_rules_and_other_settings(self):
        for config, field in (({"rules": None}, "rules"), ({"threshold": 3}, "threshold")):
            with self.assertRaises(loopstone.Refused) as refused:
                ports_composed.Composed("code", config)
            self.assertEqual(refused.exception.data["field"], field)

    def test_what_left_the_window_is_forgotten(self):
        for sort, same in (("among", {}), ("streak", {"results": "text"})):
            detector = composed.LoopDetector([{"same": same, "pattern": {"sort": sort, "last": 5}}])
            for i in range(500):
                last(detector, call(n=i), result("r"))
            self.assertLessEqual(len(detector.rules[0].pattern.tallies), 5, sort)

    def test_the_most_frequent_is_found_again_when_it_leaves(self):
        pattern = {"sort": "among", "last": 5, "counts": "highest"}
        detector = composed.LoopDetector([{"pattern": pattern, "rungs": [{"at": 2}]}])
        verdicts = [detector.observe(call(tool)).get("evidence") for tool in "bbaaccdd"]
        self.assertEqual(verdicts, [None, [0, 1], [0, 1], [2, 3], [2, 3], [4, 5], [4, 5], [6, 7]])


if __name__ == "__main__":
    unittest.main()
