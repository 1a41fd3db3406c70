"""Runs the suite of Loopstone in pytest: `pytest loopstone.yaml` has a test for each test of the port in this file.

The tests that pytest selects, by -k or --last-failed for example, are run together, by one `loopstone test`.
"""

import json
import shutil
import subprocess
import sysconfig

import pytest

# How many characters of a selection fit on the command line of every system. A longer one is the whole suite.
LONGEST = 30_000


def pytest_collect_file(file_path, parent):
    # A file that is only found is left alone: its port is started only for those who name it.
    if file_path.name == "loopstone.yaml" and parent.session.isinitpath(file_path):
        return Port.from_parent(parent, path=file_path)
    return None


class Port(pytest.File):
    """The port that the file starts."""

    count = 0  # of the tests that the suite has for the port
    ran = None  # the results by case and reading, the summary, and what loopstone printed beside them

    def collect(self):
        listed = self.loopstone("--list", "--json")
        if listed.returncode != 0:
            raise self.CollectError(listed.stderr.strip())
        for line in listed.stdout.splitlines():
            test = json.loads(line)
            self.count += "not_checked" not in test
            name = f"{test['case']}[{test['reading']}]" if "reading" in test else test["case"]
            yield Test.from_parent(self, name=name, test=test)
        yield Summary.from_parent(self, name="summary")

    def loopstone(self, *args):
        """Run `loopstone test` in the folder of the file."""
        program = shutil.which("loopstone", path=sysconfig.get_path("scripts")) or shutil.which("loopstone")
        if program is None:
            raise self.CollectError("the program loopstone is not installed; pip install loopstone installs it")
        command = [program, "test", *args]
        return subprocess.run(command, cwd=self.path.parent, capture_output=True, encoding="utf-8", check=False)

    def run(self):
        """Run the selected tests, the first time that it is called."""
        if self.ran is None:
            mine = [item.test for item in self.session.items if isinstance(item, Test) and item.parent is self]
            tests = [test for test in mine if "not_checked" not in test]
            cases = ",".join(dict.fromkeys(test["case"] for test in tests))
            some = ["--case", cases] if 0 < len(tests) < self.count and len(cases) < LONGEST else []
            out = self.loopstone("--verbose", "--for", "10m", "--report", "jsonl", *some)
            *lines, last = [json.loads(line) for line in out.stdout.splitlines()] or [{}]
            results = {(line["case"], line.get("reading")): line for line in lines if line["type"] == "result"}
            self.ran = results, last, out.stderr.strip()
        return self.ran


class Test(pytest.Item):
    """A test of the suite, in one reading."""

    def __init__(self, *, test, **others):
        super().__init__(**others)
        self.test = test
        self.extra_keyword_matches.update(test["clauses"])

    def runtest(self):
        if "not_checked" in self.test:
            pytest.skip("not checked: " + self.test["not_checked"])
        results, _, said = self.parent.run()
        result = results.get((self.test["case"], self.test.get("reading")), {"status": "lost"})
        if result["status"] == "skipped":
            pytest.skip("not checked: " + result["reason"])
        if result["status"] == "known":
            pytest.xfail(result["excuse"])
        if result["status"] != "passed":
            pytest.fail(result.get("explanation") or said or "loopstone test reports no result", pytrace=False)

    def reportinfo(self):
        return self.path, None, f"{self.name}: {self.test['title']}"


class Summary(pytest.Item):
    """Fails if the run as a whole is not conformant, though no test says so: a strict run for example."""

    def runtest(self):
        results, summary, said = self.parent.run()
        if summary.get("exit") != 0 and {r["status"] for r in results.values()} <= {"passed", "skipped", "known"}:
            pytest.fail(summary.get("explanation") or said or "loopstone test reports nothing", pytrace=False)

    def reportinfo(self):
        return self.path, None, "the run as a whole"
