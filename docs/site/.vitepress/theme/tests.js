import { visible } from "./visible.js";

// A trace with a lane's verdicts as a test of somebody's detector, which only lacks the detector. Texts are quoted as
// JSON, which all three languages read, once what nobody sees is escaped: Go takes no U+FEFF within a program.
const quote = (text) => visible(JSON.stringify(text));

const lines = (texts, indent, quoted) => texts.map((text) => `${indent}${quoted(text)},`).join("\n");

export const tests = {
  Go: (events, loops, name) => `package detector // yours, which has newDetector

import "testing"

func TestTrace(t *testing.T) {
	events := []string{
${lines(events, "\t\t", quote)}
	}
	loops := []bool{${loops.join(", ")}} // ${name}
	detector := newDetector()
	for i, event := range events {
		if got := detector.Observe(event); got != loops[i] {
			t.Errorf("after event %d: loop %v, want %v", i+1, got, loops[i])
		}
	}
}
`,
  Python: (events, loops, name) => `import json
import unittest

from detector import new_detector  # yours


class TestTrace(unittest.TestCase):
    def test_trace(self):  # ${name}
        events = [
${lines(events, "            ", quote)}
        ]
        detector = new_detector()
        loops = [detector.observe(json.loads(event))["loop"] for event in events]
        self.assertEqual(loops, [${loops.map((loop) => (loop ? "True" : "False")).join(", ")}])
`,
  TypeScript: (events, loops, name) => `import assert from "node:assert/strict";
import { test } from "node:test";
import { newDetector } from "./detector.js"; // yours

test("a trace, as ${name} sees it", () => {
  const events = [
${lines(events, "    ", quote)}
  ];
  const detector = newDetector();
  const loops = events.map((event) => detector.observe(JSON.parse(event)).loop);
  assert.deepEqual(loops, [${loops.join(", ")}]);
});
`,
};
