// A trace with a lane's verdicts as a test of somebody's detector. Texts are quoted as JSON, which all three languages read.
const quote = (text) => JSON.stringify(text);

const lines = (texts, indent, quoted) => texts.map((text) => `${indent}${quoted(text)},`).join("\n");

export const tests = {
  Go: (events, loops, name) => `// newDetector returns yours.
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


def test_trace():  # ${name}
    events = [
${lines(events, "        ", quote)}
    ]
    detector = new_detector()  # yours
    loops = [detector.observe(json.loads(event))["loop"] for event in events]
    assert loops == [${loops.map((loop) => (loop ? "True" : "False")).join(", ")}]
`,
  TypeScript: (events, loops, name) => `import assert from "node:assert/strict";
import { test } from "node:test";

test("a trace, as ${name} sees it", () => {
  const events = [
${lines(events, "    ", quote)}
  ];
  const detector = newDetector(); // yours
  const loops = events.map((event) => detector.observe(JSON.parse(event)).loop);
  assert.deepEqual(loops, [${loops.join(", ")}]);
});
`,
};
