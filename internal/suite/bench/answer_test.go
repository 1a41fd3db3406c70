package bench

import (
	"strings"
	"testing"
)

// TestAPortThatAnswersSomethingElseHasNoSpeed has answers to request 7, which asked for two verdicts.
func TestAPortThatAnswersSomethingElseHasNoSpeed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, line, want string }{
		{"the answer", `{"jsonrpc":"2.0","id":7,"result":{"verdicts":[{"loop":false},{"loop":true}]}}`, ""},
		{"spaces, another order, words that look like members", `{ "result" : {"verdicts" : [ {"loop" : false,` +
			` "tool":"loop"}, {"pattern":"error","kind":"id", "loop" :true}]} , "id" : 7, "jsonrpc":"2.0"}`, ""},
		{"a member that is named error", `{"id":7,"result":{"verdicts":[{"loop":false,"error":"x"},{"loop":true}]}}`, ""},
		{"an empty line", ``, "no answer"},
		{"no JSON", `x`, "no answer"},
		{"an empty object", `{}`, "the id"},
		{"an answer from the past", `{"id":6,"result":{"verdicts":[{"loop":false},{"loop":true}]}}`, "the id 6, want 7"},
		{"the id as a text", `{"id":"7","result":{"verdicts":[{"loop":false},{"loop":true}]}}`, `the id "7", want 7`},
		{"no result", `{"id":7}`, "without a result"},
		{"a result that is null", `{"id":7,"result":null}`, "without a result"},
		{"a verdict too few", `{"id":7,"result":{"verdicts":[{"loop":false}]}}`, "1 verdicts for 2 events"},
		{"a verdict too many", `{"id":7,"result":{"verdicts":[{"loop":false},{"loop":true},{"loop":true}]}}`, "3 verdicts for 2"},
		{"no verdicts", `{"id":7,"result":{"verdicts":[null,null]}}`, "0 verdicts for 2"},
		{"a verdict of another type", `{"id":7,"result":{"verdicts":[{"loop":0},{"loop":"no"}]}}`, "no answer"},
		{"a refusal", `{"id":7,"error":{"code":-32000,"message":"no"}}`, "refused"},
		{"a refusal whose name is escaped", `{"id":7,"err\u006fr":{"code":-32000,"message":"no"}}`, "refused"},
	} {
		err := answer{id: 7, events: 2}.check([]byte(tt.line))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.reason, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.reason, err, tt.want)
		}
	}
}
