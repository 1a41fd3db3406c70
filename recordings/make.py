"""Makes the recordings of this folder: small agents, whose rules are known, run real commands, and all is written down.

    python3 make.py FOLDER

Each agent is a function below. It knows whether it is stuck, for that is how it was written; so the labels in corpus.yaml
are true by construction. Commands run in a new folder, one after the other, and print neither times nor paths, so that the
same files come out each time.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = """\
echo compiling main.c
if ! grep -q WIDTH config.h; then
  echo "main.c:3: WIDTH is not defined"
  exit 1
fi
echo linking app
"""

TEST = """\
failed=0
for want in $(cat wanted); do
  if grep -q "^$want$" answers; then echo "ok   $want"; else echo "FAIL $want"; failed=1; fi
done
exit $failed
"""

# Two checks that want opposite things of one setting: nothing satisfies both.
CHECKS = """\
mode=$(cat mode)
if [ "$mode" = fast ]; then echo "FAIL test_safe: mode is fast"; exit 1; fi
echo "FAIL test_speed: mode is $mode"
exit 1
"""

# A job in the background, which does its next part when somebody looks at it: so it takes the same number of looks each time.
JOB = """\
for part in 1 2 3 4 5 6; do
  read _
done < tick
echo finished > status
"""

# What a very small language model has read. Whoever always takes its likeliest next word comes back to the same sentences.
NOTES = """\
The build fails, and I do not know why. I read the log of the build. The log says that main.c wants a width. I read main.c,
and main.c takes the width from config.h. I read config.h, and I do not know why the build fails. I read the log of the build
once more.
"""
MOST_WORDS = 200  # of an answer


class Agent:
    """What an agent can do; everything is recorded."""

    def __init__(self, name, folder):
        self.lines = [{"run": {"name": name, "agent": "scripted"}}]
        self.folder, self.calls = Path(folder), 0

    def is_asked(self, task):
        self.lines.append({"type": "message", "role": "user", "content": task})

    def says(self, text):
        self.lines += [{"type": "reply"}, {"type": "message", "role": "assistant", "content": text}]

    def streams(self, pieces):
        """Answers piece by piece, as a model does that streams, and then the answer stands there whole."""
        self.lines.append({"type": "reply"})
        self.lines += [{"type": "delta", "text": piece} for piece in pieces]
        self.lines.append({"type": "message", "role": "assistant", "content": "".join(pieces)})

    def runs(self, command, thought=None):
        """Calls bash, and returns what it printed and whether it succeeded."""
        self.calls += 1
        call = f"c{self.calls}"
        event = {"type": "tool_call", "tool": "bash", "args": {"command": command}, "id": call}
        if thought:
            event["thought"] = thought
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        result = {"type": "tool_result", "content": done.stdout, "tool": "bash", "call": call}
        if done.returncode:
            result["ok"] = False
        self.lines += [{"type": "reply"}, event, result]
        return done.stdout, done.returncode == 0

    def runs_in_one_reply(self, *commands):
        """Makes several calls in one reply; their results follow."""
        before = len(self.lines)
        for command in commands:
            self.runs(command)
        replies, calls, results = (self.lines[before + n::3] for n in range(3))
        self.lines[before:] = [replies[0], *calls, *results]


def failing_build(agent):
    """Stuck: it builds again and again, and changes nothing in between."""
    (agent.folder / "build.sh").write_text(BUILD)
    (agent.folder / "config.h").write_text("/* nothing */\n")
    agent.is_asked("Make the build pass.")
    for thought in ("I build it.", "Perhaps it passes now.", "I build again.", None, "Once more.", None):
        agent.runs("sh build.sh", thought)


def fixed_build(agent):
    """Healthy: the same build three times, each after a change, and it passes in the end."""
    (agent.folder / "build.sh").write_text(BUILD)
    agent.is_asked("Make the build pass.")
    agent.runs("sh build.sh")
    agent.runs("cat config.h")
    agent.runs("echo '#define HEIGHT 2' > config.h")
    agent.runs("sh build.sh", "HEIGHT was the wrong name.")
    agent.runs("echo '#define WIDTH 2' >> config.h")
    agent.runs("sh build.sh")
    agent.says("It builds.")


def poll(agent):
    """Healthy: a job runs in the background, and it looks whether it has finished; six looks are alike."""
    os.mkfifo(agent.folder / "tick")
    (agent.folder / "status").write_text("running\n")
    job = subprocess.Popen(["sh", "-c", JOB], cwd=agent.folder, stdin=subprocess.DEVNULL)
    agent.is_asked("Wait until the job has finished.")
    with open(agent.folder / "tick", "w") as tick:
        for _ in range(6):
            agent.runs("cat status")
            print("look", file=tick, flush=True)
        job.wait(timeout=60)  # the next look sees that it has ended
    status, _ = agent.runs("cat status")
    assert status == "finished\n", status
    agent.says("It has finished.")


def edit_and_test(agent):
    """Healthy: it edits, tests, edits, tests, and each test finds less to do."""
    (agent.folder / "test.sh").write_text(TEST)
    (agent.folder / "wanted").write_text("one two three four five\n")
    (agent.folder / "answers").write_text("")
    agent.is_asked("Make the tests pass.")
    passed = False
    for answer in ("one", "two", "three", "four", "five"):
        agent.runs(f"echo {answer} >> answers")
        _, passed = agent.runs("sh test.sh")
    assert passed
    agent.says("They pass.")


def edit_in_vain(agent):
    """Stuck: it edits and tests, but all its edits are the same, and so is what fails."""
    (agent.folder / "test.sh").write_text(TEST)
    (agent.folder / "wanted").write_text("one two\n")
    agent.is_asked("Make the tests pass.")
    for _ in range(6):
        agent.runs("echo one > answers", "The answer should be one.")
        agent.runs("sh test.sh")


def ping_pong(agent):
    """Stuck: it satisfies one check, which breaks the other, and goes back."""
    (agent.folder / "check.sh").write_text(CHECKS)
    (agent.folder / "mode").write_text("safe\n")
    agent.is_asked("Make both checks pass.")
    for _ in range(5):
        for mode in ("fast", "safe"):
            agent.runs(f"echo {mode} > mode && sh check.sh")


def retry(agent):
    """Healthy: a lock is held by another, who lets go of it; the third try succeeds."""
    agent.is_asked("Take the lock.")
    (agent.folder / "lock").mkdir()
    agent.runs("mkdir lock && echo taken")
    agent.runs("mkdir lock && echo taken")
    (agent.folder / "lock").rmdir()
    _, taken = agent.runs("mkdir lock && echo taken")
    assert taken
    agent.says("I have it.")


def moving_poll(agent):
    """Healthy: it looks at a job that goes on, and each look shows more of it."""
    (agent.folder / "done").write_text("0\n")
    agent.is_asked("Wait until the job has finished.")
    for part in range(1, 8):
        (agent.folder / "done").write_text(f"{part} of 7\n")  # the job's next part
        agent.runs("cat done")
    agent.says("It has finished.")


def paging(agent):
    """Healthy: it reads a long file, page by page."""
    (agent.folder / "log").write_text("".join(f"line {n}: {n % 7}\n" for n in range(1, 61)))
    agent.is_asked("Summarise the log.")
    for first in range(1, 60, 10):
        agent.runs(f"sed -n {first},{first + 9}p log")
    agent.says("It counts to sixty.")


def batch_edits(agent):
    """Healthy: the same change in one file after another; each says the same, nothing."""
    agent.is_asked("Rename width to columns.")
    for n in range(1, 9):
        (agent.folder / f"part{n}.h").write_text(f"int width_{n};\n")
    for n in range(1, 9):
        agent.runs(f"sed -i s/width/columns/ part{n}.h")
    agent.says("All are renamed.")


def once_a_turn(agent):
    """Stuck: each time that it is asked, it makes the same call, and nothing comes of it."""
    (agent.folder / "build.sh").write_text(BUILD)
    (agent.folder / "config.h").write_text("/* nothing */\n")
    for _ in range(6):
        agent.is_asked("It does not build. Try something else.")
        agent.runs("sh build.sh")


def three_in_turn(agent):
    """Stuck: it writes the same setting, looks at it and builds, round after round."""
    (agent.folder / "build.sh").write_text(BUILD)
    agent.is_asked("Make the build pass.")
    for _ in range(5):
        agent.runs("echo '#define HEIGHT 2' > config.h")
        agent.runs("cat config.h")
        agent.runs("sh build.sh")


def parallel_polls(agent):
    """Healthy: two jobs go on, and it looks at both in each reply."""
    agent.is_asked("Wait until both jobs have finished.")
    for part in range(1, 7):
        for job, parts in (("one", 6), ("two", 12)):
            (agent.folder / f"done-{job}").write_text(f"{part * parts // 6} of {parts}\n")  # the job's next part
        agent.runs_in_one_reply("cat done-one", "cat done-two")
    agent.says("Both have finished.")


def asked_again(agent):
    """Healthy: it is asked for the same tests four times, for its user changes the code in between."""
    (agent.folder / "test.sh").write_text(TEST)
    (agent.folder / "wanted").write_text("one two three\n")
    answers = agent.folder / "answers"
    answers.write_text("")
    for answer in ("one", "two", "three", None):
        agent.is_asked("Run the tests.")
        agent.runs("sh test.sh")
        if answer:
            answers.write_text(answers.read_text() + answer + "\n")  # the user's edit
    agent.says("They pass.")


def after_a_stop(agent):
    """Stuck until its user stops it, and healthy afterwards: the same build passes after a change."""
    (agent.folder / "build.sh").write_text(BUILD)
    (agent.folder / "config.h").write_text("/* nothing */\n")
    agent.is_asked("Make the build pass.")
    for _ in range(5):
        agent.runs("sh build.sh")
    agent.is_asked("Stop: you repeat one call. Read what it prints.")
    agent.runs("cat config.h")
    agent.runs("echo '#define WIDTH 2' > config.h")
    _, passed = agent.runs("sh build.sh")
    assert passed
    agent.says("It builds.")


def greedy(text, limit):
    """The words of a language model that has read this text: after two words comes what came most often after them."""
    words, after = text.split(), {}
    for first, second, third in zip(words, words[1:], words[2:]):
        after.setdefault((first, second), []).append(third)
    said = words[:2]
    while len(said) < limit and (known := after.get((said[-2], said[-1]))):
        said.append(max(known, key=known.count))
    return said


def repeating_answer(agent):
    """Stuck within one answer: its model repeats two sentences until the limit. The answer before it only lists lines."""
    (agent.folder / "log").write_text("".join(f"compiling part {n} of 12: {n % 3} warnings\n" for n in range(1, 13)))
    agent.is_asked("What is in the log?")
    log, _ = agent.runs("cat log")
    agent.streams([f"* {line}\n" for line in log.splitlines()])
    agent.is_asked("Why does the build fail?")
    agent.streams([f"{word} " for word in greedy(NOTES, MOST_WORDS)])


AGENTS = (
    failing_build, fixed_build, poll, edit_and_test, edit_in_vain, ping_pong, retry, moving_poll, paging, batch_edits,
    once_a_turn, three_in_turn, repeating_answer, parallel_polls, asked_again, after_a_stop,
)


def main(target):
    for play in AGENTS:
        name = play.__name__.replace("_", "-")
        with tempfile.TemporaryDirectory() as folder:
            agent = Agent(name, folder)
            play(agent)
        text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in agent.lines)
        (Path(target) / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
