package signature

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/jstext"
)

// class expands the classes that JavaScript has and Go's regular expressions have not: <s> is white space, <S> what is
// none, <.> what ends no line, <b> white space that ends none, <W> a word character of the text reading, <N> what is none.
var class = strings.NewReplacer(
	"<s>", `[`+spaceClass+`\n\r\x{2028}\x{2029}]`,
	"<S>", `[^`+spaceClass+`\n\r\x{2028}\x{2029}]`,
	"<.>", `[^\n\r\x{2028}\x{2029}]`,
	"<b>", `[`+spaceClass+`]`,
	"<W>", `[\p{L}\p{N}_]`,
	"<N>", `[^\p{L}\p{N}_]`,
)

const spaceClass = `\t\v\f \x{A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}\x{FEFF}`

// letterAnyCase spells out both cases of a letter, since (?i) of Go folds two letters outside ASCII as well.
var letterAnyCase = regexp.MustCompile(`@[a-z]+`)

// pattern compiles a pattern in which @word stands for a word in any ASCII case.
func pattern(text string) *regexp.Regexp {
	text = letterAnyCase.ReplaceAllStringFunc(text, func(word string) string {
		var b strings.Builder
		for _, letter := range word[1:] {
			b.WriteString("[" + string(letter) + strings.ToUpper(string(letter)) + "]")
		}
		return b.String()
	})
	return regexp.MustCompile(class.Replace(text))
}

// fragments are what outputs are made of: the words of all patterns, whole and in parts, names, and characters at
// which languages differ.
var fragments = []string{
	"Error", "ERROR:", "Error:", "TypeError", "errorerror", ":", "-", "-", "at", "AT", "format", "attat", "ate", "a", "t", "É",
	"failed", "failing", "Fail", "fail:", "1", "2", "20", "0", "test", "tests", "Tests", "3 tests failed", "1 failed: x.ts - a, b",
	"Modified", "changed", "UPDATED", "fixed", "prefixed", "added", "Removed", "refactored", "auth.ts", "a.tsx", "x.json", ".ts",
	"b.JS", "a.ts.go", "é.py", "src/a.ts:45", "a.ts:4:5", ":4", "null", "check", "in-place", "for", "To", "with", "user.profile",
	"Searched", "Researched", "'", "''", "'oauth2 Token'", "ſ", "teſt", "K", "Σ", "İ", "😀", "_", ",", ", ", ".", "(", ")", "--", "a-b",
}

var separators = []string{" ", " ", " ", " ", "", "", "\t", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "\u3000", "  ", "\u0085", " - ", ", "}

func drawOutput(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 16).Draw(t, "fragments") {
		b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
		b.WriteString(rapid.SampledFrom(separators).Draw(t, "separator"))
	}
	return b.String()
}

var (
	listedErrorPattern  = pattern(`@error:?<s>*([0-9A-Za-z_]+)<.>*?@at<s>*(<S>+)`)
	listedTestPattern   = pattern(`([0-9]+)<s>*(?:@tests?<s>*|@test<s>*)?@fail`)
	listedPlacePattern  = pattern(`@fail<.>*?:<s>*(<S>+)`)
	listedFilePattern   = pattern(`(?:@modified|@changed|@updated|@fixed)<s>+(<S>+\.(?:@ts|@js|@go|@py))`)
	listedActionPattern = pattern(`(?:@added|@removed|@fixed|@updated|@changed)<s>+([0-9A-Za-z_]+)`)
	spacePattern        = pattern(`<s>+`)
)

// naiveListing is D2's listing, line by line.
func naiveListing(output string) string {
	if m := listedErrorPattern.FindStringSubmatch(output); m != nil {
		return "error:" + m[1] + "-" + m[2]
	}
	if listedTestPattern.MatchString(output) {
		return "test-fail:" + strings.Join(listedPlacePattern.FindAllString(output, 2), ",")
	}
	if m := listedFilePattern.FindStringSubmatch(output); m != nil {
		action := "modified"
		if a := listedActionPattern.FindStringSubmatch(output); a != nil {
			action = a[1]
		}
		return "file:" + m[1] + "-" + action
	}
	return naiveBeginning(output)
}

func naiveBeginning(output string) string {
	return spacePattern.ReplaceAllString(jstext.Lower(jstext.Prefix(output, 50)), "-")
}

func TestListingIsWhatItsPatternsMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		output := drawOutput(t)
		if got, want := listing(output, nil), naiveListing(output); got != want {
			t.Fatalf("listing(%q) = %q, want %q", output, got, want)
		}
	})
}

var (
	errorPattern    = pattern(`(?:^|<N>)@error:<b>*([0-9A-Za-z_]+)(?:<b>+-(<b><.>*|)|<b>+@at(?:<b><.>*|)|)<b>+@at<b>+(<S>+)`)
	placePattern    = pattern(`^(<S>+?)(?::[0-9]+){0,2}$`)
	testPattern     = pattern(`(?:^|<N>)([1-9][0-9]*)<b>+(?:@tests?<b>+|@test<b>+)?(@failed|@failing)(?:<N>|$)`)
	filePattern     = pattern(`^:<b>*(<S>+)<b>+-<b>+(<.>*)`)
	countPattern    = pattern(`^<b>+-<b>+(<.>*)`)
	searchPattern   = pattern(`(?:^|<N>)@searched(?:[^\p{L}\p{N}_'\n\r\x{2028}\x{2029}][^'\n\r\x{2028}\x{2029}]*)?'([^'\n\r\x{2028}\x{2029}]+)'`)
	changePattern   = pattern(`(?:^|<N>)(?:@modified|@changed|@updated|@fixed)<b>+(<S>+\.(?:@ts|@js|@go|@py))(?:<N>|$)`)
	actionPattern   = pattern(`(?:^|<N>)(?:@added|@removed|@fixed|@updated|@changed|@refactored)((?:<b>+<W>+(?:-<W>+)*)+)`)
	testWordPattern = pattern(`^@test$`)
	prepositional   = pattern(`^(?:@for|@to|@in|@from|@at|@of|@on|@with)$`)
	barePattern     = pattern(`^<N>*(<W><S>*<W>|<W>)<N>*$`)
)

// naiveProse is the text reading's extraction in regular expressions.
func naiveProse(output string) string {
	if m := errorPattern.FindStringSubmatch(output); m != nil {
		return "error:" + strings.Join(append([]string{m[1]}, naiveMessage(m[2], m[3])...), "-")
	}
	if m := testPattern.FindStringSubmatchIndex(output); m != nil {
		return naiveFailure(output[m[2]:m[3]], output[m[5]:])
	}
	if m := searchPattern.FindStringSubmatch(output); m != nil {
		return "search:" + spacePattern.ReplaceAllString(jstext.Lower(m[1]), "-")
	}
	if m := changePattern.FindStringSubmatchIndex(output); m != nil {
		return output[m[2]:m[3]] + ":" + naiveAction(output[m[3]:])
	}
	return naiveBeginning(output)
}

func naiveMessage(message, place string) []string {
	place = placePattern.FindStringSubmatch(place)[1]
	words := spacePattern.Split(message, -1)
	for i := len(words) - 1; i >= 0; i-- {
		if m := barePattern.FindStringSubmatch(words[i]); m != nil {
			return []string{m[1], place}
		}
	}
	return []string{place}
}

func naiveFailure(n, rest string) string {
	if m := filePattern.FindStringSubmatch(rest); m != nil && len(naiveNames(m[2])) > 0 {
		return m[1] + ":" + strings.Join(naiveNames(m[2]), ",")
	}
	if m := countPattern.FindStringSubmatch(rest); m != nil && len(naiveNames(m[1])) > 0 {
		return "test-fail:" + n + "-" + strings.Join(naiveNames(m[1]), ",")
	}
	return "test-fail:" + n
}

func naiveNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		var kept []string
		for _, word := range spacePattern.Split(name, -1) {
			if word != "" && !testWordPattern.MatchString(word) {
				kept = append(kept, word)
			}
		}
		if len(kept) > 0 {
			names = append(names, strings.Join(kept, "-"))
		}
	}
	return names[:min(len(names), 2)]
}

// naiveAction cuts the words behind each verb at a preposition, and tries the next verb where nothing is left. The words
// may hold the next verb, so the search goes on right behind the verb.
func naiveAction(rest string) string {
	for {
		m := actionPattern.FindStringSubmatchIndex(rest)
		if m == nil {
			return "modified"
		}
		var words []string
		for _, word := range spacePattern.Split(rest[m[2]:m[3]], -1)[1:] {
			if prepositional.MatchString(word) {
				break
			}
			words = append(words, word)
		}
		if len(words) > 0 {
			return strings.Join(words, "-")
		}
		rest = rest[m[2]:]
	}
}

func TestProseIsWhatItsPatternsMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		output := drawOutput(t)
		if got, want := prose(output, nil), naiveProse(output); got != want {
			t.Fatalf("prose(%q) = %q, want %q", output, got, want)
		}
	})
}
