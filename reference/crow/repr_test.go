package crow

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

func TestReprIsThatOfPython(t *testing.T) {
	t.Parallel()
	tests := []struct{ value, want, reason string }{
		{`"\u0000\u001b\u007f"`, `'\x00\x1b\x7f'`, "control characters take two digits"},
		{`"\u00e9\u65e5"`, "'é日'", "printable characters stand for themselves"},
		{`"\u00a0\u00ad"`, `'\xa0\xad'`, "a space that is not the blank, and a format character"},
		{`"\u2028\ufeff"`, `'\u2028\ufeff'`, "four digits beyond one byte"},
		{`"\ud83d\ude00"`, "'😀'", "astral characters are printable too"},
		{`"\udb40\udc01"`, `'\U000e0001'`, "eight digits beyond four"},
		{`[1,-0,1.50,1E2,-0.0,100000000000000000000]`, `[1, 0, 1.5, 100.0, -0.0, 100000000000000000000]`, "numbers"},
	}
	for _, test := range tests {
		if got := string(appendRepr(nil, spec.MustParse(test.value))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}
