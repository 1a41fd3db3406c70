"""A second computation of what `loopstone score` says of a corpus in the layout of sola-st/llm-agents-study.

It shares nothing with the scorer: its own reader, the Python ports as detectors, and the counts by hand. A Go test runs
it and compares:  python3 solast.py FOLDER
"""
import ast
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from history import History
from ports.crow import Crow
from ports.fingerprint import Fingerprint, fingerprint

ACTION = re.compile(r"^Action at iteration ?\d+ ?: ?", re.I | re.M)
RESULT = re.compile(r"^Result at iteration ?\d+ ?: ?", re.I | re.M)
NEXT = re.compile(r"(; ?Next action:|(^|; ?)Action at iteration ?\d+ ?:)", re.I | re.M)
LAST = re.compile(r"\n---\s*$")
DETECTORS = {"fingerprint text": (Fingerprint, "text"), "history code": (History, "code"),
             "crow code": (Crow, "code"), "crow text": (Crow, "text")}


def literal(text):
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return None


def call_of(text):
    value = literal(text)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return text, {}
    args = value.get("args", value.get("arguments", {}))
    if isinstance(args, str):
        args = literal(args)
    return value["name"], args if isinstance(args, dict) else {"arguments": value.get("arguments")}


def blocks(path, head):
    return [block.strip() for block in head.split(path.read_text())[1:]]


def runs(folder):
    """Yields the calls, results and labels of each run that has labels."""
    for actions in sorted(folder.glob("trajectories/*/parsed/action*_actions/*")):
        agent = actions.parts[-4]
        name = re.sub(r"^experiment_\d+_", "", re.sub(r"\.txt$", "", actions.name))
        labels = folder / f"{agent}_csv" / "action_action" / f"{name}.csv"
        if not labels.exists():
            continue
        calls = [call_of(text) for text in blocks(actions, ACTION)]
        results = blocks(actions.parent.parent / "results_actions" / actions.name, RESULT)
        results = [LAST.sub("", NEXT.split(text)[0]).strip() for text in results]
        yield calls, results, labels.read_text().split()[1:], actions.name


def says_loop(detector, reading, calls, results):
    session, loop = detector(reading, {}), False
    for i, (tool, args) in enumerate(calls):
        events = [{"type": "tool_call", "tool": tool, "args": args, "id": str(i)}]
        if i < len(results):
            events.append({"type": "tool_result", "content": results[i], "call": str(i), "ok": True})
        for event in events:
            loop |= session.observe(event)["loop"]
    return loop


def pairs(calls, results, labels):
    """Yields for each labelled pair the label and which of the three rules say that the step repeats the last."""
    for i, label in enumerate(labels[:len(calls) - 1]):
        (tool, args), (next_tool, next_args) = calls[i:i + 2]
        yield label == "Repetition", {
            "equal call": tool == next_tool and json.dumps(args, sort_keys=True) == json.dumps(next_args, sort_keys=True),
            "equal fingerprint": fingerprint(tool, args) == fingerprint(next_tool, next_args),
            "same tool, equal result": tool == next_tool and i + 1 < len(results) and results[i] == results[i + 1],
        }


def main(folder):
    rows = {name: {"loops": 0, "found": 0, "healthy": 0, "false_alarms": 0} for name in DETECTORS}
    rules = {name: {"said": 0, "right": 0, "repeated": 0} for name in ("equal call", "equal fingerprint", "same tool, equal result")}
    for calls, results, labels, _ in runs(folder):
        human = "Repetition Repetition" in " ".join(labels)
        for name, row in rows.items():
            row["loops" if human else "healthy"] += 1
            row["found" if human else "false_alarms"] += says_loop(*DETECTORS[name], calls, results)
        for repeats, said in pairs(calls, results, labels):
            for name, rule in rules.items():
                rule["said"] += said[name]
                rule["repeated"] += repeats
                rule["right"] += said[name] and repeats
    return {"rows": rows, "pairs": rules}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1])), indent=2))
