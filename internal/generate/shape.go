package generate

// slot is one place of a shape: what usually stands there, and what stands there seldom.
type slot struct{ usual, seldom []string }

// shape is an output that a rule of a signature looks for, place by place.
type shape []slot

// Blanks and ends of lines of every kind, and characters that are neither though some language takes them for one.
var (
	space = slot{[]string{" "}, []string{
		"", "  ", "\t", "\u00a0", "\ufeff", "\u3000", "\u2003", "\u1680", "\u202f", "\u205f", "\v", "\f", "\u2000", "\u200a",
		"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\u180e", "\u200b", "\x1c", "\x00", " \n ",
	}}
	nothing = slot{[]string{""}, []string{
		" ", "x", ".", "!", "s", "_", "É", "\n", ")", "ſ", "\u212a", "😀", ":", "-", ",", "'", "0", "\u0301", "²", "\u2028",
	}}
)

var (
	errorTypeNames = []string{"TypeError", "E", "format", "Type_1", "attat", "É", "a.b", "datat", "T2"}
	errorPlaces    = []string{
		"auth.ts:45", "a.py", "auth.ts:45:7", "f:1:2:3", ":1", ":1:2", "at", "é.ts:9", "x:", "a-b", "line", "1", "😀", "(f.ts:4)", "a:٣",
	}
	messageWords = []string{
		"null", "at", "'name'", "undefined,", "...", "property", "-", "of", "(x)", "É", "\"y\".", "\u00a0", "at:", "AT", "_", "٣", "😀",
	}
	testNames = []string{
		"auth", "login test", "test", "user login", "Test", "tests", "", "a-b", "é", "x.ts:1", "test a test", ".", "teſt", "😀", "K test",
	}
	files = []string{
		"auth.ts", "a.py", "src/x.go", "b.JS", "a.tsx", "a.json", ".ts", "a.ts:45", "a.ts,", "a.ts.go", "a.tsé", "é.ts", "x.tsy.py:3",
		"a.ts_", "(b.go)", "c", "a.ts\u0301", "a.pY", "/.js", "..ts", "a.tſ",
	}
	phraseWords = []string{
		"null", "check", "in-place", "for", "a--b", "-c", "d-", "to", "From", "é", "x_1", "with", "y.", "on", "٣", "at", "(z)", "of", "😀", "F\u0301",
	}
	verbs = []string{
		"added", "removed", "fixed", "updated", "changed", "refactored", "Added", "readded", "addeds", "FIXED", "modified",
	}
	changeVerbs = []string{"Fixed", "Modified", "Changed", "Updated", "fixed", "UPDATED", "prefixed", "Fixes", "ﬁxed"}
	failVerbs   = []string{
		"failed", "failing", "FAILED", "fail", "failure", "Fail:", "unfailed", "faıled", "failed\u0301",
	}
	queries = []string{"OAuth2 Token", "a", "", "ΑΣ b", "İx", "it", "a\u00a0\u2028b", "ΟΔΥΣΣΕΥΣ", "x y", "😀", "Σ"}
)

var (
	errorWords    = slot{[]string{"Error", "Error", "error"}, []string{"ERROR", "errorerror", "TypeError", "Errors", "Err", "ERRoR", "Ěrror"}}
	colon         = slot{[]string{":"}, []string{"", "::", " :", ";", "："}}
	dash          = slot{[]string{"-"}, []string{"--", "", "–", "at", "- -", "-x"}}
	ats           = slot{[]string{"at"}, []string{"AT", "At", "a", "@", "at at", "format", "att", "ät"}}
	quote         = slot{[]string{"'"}, []string{"", "''", "\"", "’"}}
	comma         = slot{[]string{", "}, []string{",", ",,", ";", " , ", ""}}
	searchedWords = slot{[]string{"Searched"}, []string{"searched", "SEARCHED", "Researched", "Search", "Searcheds"}}
	counts        = slot{[]string{"2", "1", "10"}, []string{"0", "01", "x2", "2.5", "12345678901234567890", "٣", "-3", "3x", "", "1.", "²2"}}
	testWords     = slot{[]string{"tests", "test"}, []string{"", "Tests", "TEST", "testing", "testss", "test s", "teſts"}}
)

func usually(words []string) slot { return slot{words[:min(3, len(words))], words} }

// shapes are what the rules of both readings look for.
var shapes = []shape{
	{
		errorWords, colon, space, usually(errorTypeNames), space, dash, space, usually(messageWords), space, usually(messageWords),
		space, ats, space, usually(errorPlaces), nothing,
	},
	{errorWords, colon, space, usually(errorTypeNames), space, ats, space, usually(errorPlaces), nothing},
	{counts, space, testWords, space, usually(failVerbs), nothing},
	{
		counts, space, usually(failVerbs), colon, space, usually(files), space, dash, space,
		usually(testNames), comma, usually(testNames), nothing,
	},
	{
		counts, space, testWords, space, usually(failVerbs), space, dash, space,
		usually(testNames), comma, usually(testNames),
	},
	{searchedWords, {[]string{" for ", " "}, []string{"", "\n", "'", " '' "}}, quote, usually(queries), quote, nothing},
	{
		usually(changeVerbs), space, usually(files),
		{[]string{" - ", " "}, []string{"\n", "", ", ", "\u2028"}},
		usually(verbs),
		space, usually(phraseWords), space, usually(phraseWords), nothing,
	},
	{usually(changeVerbs), space, usually(files), nothing},
	{
		usually(failVerbs), colon, space, usually(testNames), space, usually(failVerbs), nothing, colon, space, usually(files),
	},
}
