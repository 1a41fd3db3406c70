package plant

import (
	"regexp"
	"slices"
	"testing"
)

func TestVariantsOfPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, pattern string
		letters         bool
		want            []string
	}{
		{"alternatives", `a(?:b|c)`, false, []string{`a(?:` + never + `b|c)`, `a(?:b|` + never + `c)`}},
		{"an empty alternative", `(a|)`, false, []string{`(` + never + `a|)`, `(a|` + never + `)`}},
		{"the whole", `a|^b`, false, []string{never + `a|^b`, `a|` + never + `^b`}},
		{"an optional part", `as?`, false, []string{`a(?:` + never + `s)?`, `as`}},
		{"a class", `[^'\n]`, false, []string{`[^\n]`, `[^']`}},
		{"a range", `[+0-9]`, false, []string{`[0-9]`, `[+]`, `[+\x{31}-\x{39}]`, `[+\x{30}-\x{38}]`}},
		{"symbols", `\d.`, true, []string{`[1-9].`, `[0-8].`, `\d[^\n]`, `\d[ -~]`}},
		{
			"words", `at:\w?n`, true,
			[]string{
				`at:(?:` + never + `\w)?n`, `at:\wn`, `at:[^\W\d]?n`, `at:[^\W_]?n`, `at:[^\W\x{41}-\x{5A}]?n`,
				`at:[^\W\x{61}-\x{7A}]?n`, `\x{61}\x{74}:\w?n`, `a\x{74}:\w?n`, `at:\w?\x{6E}`,
			},
		},
		{"words with an optional letter", `is?o`, true, []string{
			`i(?:` + never + `s)?o`, `iso`, `\x{69}\x{73}?\x{6F}`, `i\x{73}?\x{6F}`,
		}},
		{"nothing to change", `^a+b{2}\x{41}$`, false, nil},
	} {
		var got []string
		for _, v := range variantsOf(tt.pattern, tt.letters) {
			got = append(got, v.text)
			if _, err := regexp.Compile(v.text); err != nil {
				t.Errorf("%s: %v", tt.reason, err)
			}
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q\nwant %q", tt.reason, got, tt.want)
		}
	}
}
