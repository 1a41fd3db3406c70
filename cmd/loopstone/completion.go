package main

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/adapters"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// shellScripts are those that there are scripts for.
var shellScripts = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func shellNames() []string { return slices.Sorted(maps.Keys(shellScripts)) }

func runCompletion(_ context.Context, std streams, c call) (conformance.Outcome, error) {
	if len(c.words) != 1 {
		return conformance.Usage, usagef("say for which shell: one of %s", strings.Join(shellNames(), ", "))
	}
	write, ok := shellScripts[c.words[0]]
	if !ok {
		return conformance.Usage, usagef("no completion for %q; %s", c.words[0], wording.Hint(c.words[0], shellNames()))
	}
	root, _ := newRoot(&std, nil)
	return conformance.Conformant, write(root, std.out)
}

// flagValues is what flags may be, whichever command they are of.
var flagValues = map[string]func() []string{
	"case":          caseIDs,
	"clause":        clauseIDs,
	"color":         func() []string { return colourModes },
	"detector":      detectorNames,
	"reading":       func() []string { return []string{string(spec.Text), string(spec.Code)} },
	"tag":           tagNames,
	"report":        report.Formats,
	"allow":         featureNames,
	"format":        agentlogs.Formats,
	"version":       versionNames,
	"suite-version": versionNames,
}

// takeProfiles are the commands whose --detector takes profiles, too.
var takeProfiles = []string{"export", "replay", "score"}

// completeFlags has the flags of a command, and of those below it, complete their values.
func completeFlags(c *cobra.Command) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		values := flagValues[f.Name]
		if f.Name == "detector" && slices.Contains(takeProfiles, c.Name()) {
			values = detectorsAndProfiles
		}
		if values != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, completeList(values)) // fails only for a flag that there is not
		}
	})
	for _, sub := range c.Commands() {
		completeFlags(sub)
	}
}

// completeList completes the last of the values that a flag takes, joined by commas.
func completeList(values func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var list []string
		for _, value := range values() {
			if strings.HasPrefix(before+value, typed) {
				list = append(list, before+value)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// suiteWithLaws returns all cases, with those that stand for laws; none where the suite cannot be read.
func suiteWithLaws() []cases.Case {
	all, err := cases.All()
	if err != nil {
		return nil
	}
	return slices.Concat(all, fuzz.Cases())
}

func caseIDs() []string {
	return lists.Map(suiteWithLaws(), func(c cases.Case) string { return c.ID })
}

func claimIDs() []string {
	all, _ := sourceclaims.All() // where they cannot be read, there are none to be named
	return lists.Map(all, func(c sourceclaims.Claim) string { return c.ID })
}

func clauseIDs() []string {
	return lists.Map(spec.Clauses(), func(c spec.Clause) string { return c.ID })
}

func detectorNames() []string {
	return lists.Map(spec.Detectors(), func(d spec.Definition) string { return string(d.ID) })
}

func tagNames() []string {
	tags := map[string]bool{}
	for _, c := range suiteWithLaws() {
		for _, tag := range c.Tags {
			tags[tag] = true
		}
	}
	return slices.Sorted(maps.Keys(tags))
}

func featureNames() []string {
	var names []string
	for _, d := range spec.Detectors() {
		for _, f := range d.Features {
			if !slices.Contains(names, string(f)) {
				names = append(names, string(f))
			}
		}
	}
	return names
}

// anyID completes the ids of all that can be shown. It reads only what can begin as typed: reading is what takes time.
func anyID(_ []string, typed string) []string {
	ids := detectorsAndProfiles()
	for _, kind := range []struct {
		begins string // with one of these
		ids    func() []string
	}{
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", clauseIDs},
		{"abcdefghijklmnopqrstuvwxyz", caseIDs},
		{"D", claimIDs},
	} {
		if typed == "" || strings.Contains(kind.begins, typed[:1]) {
			ids = append(ids, kind.ids()...)
		}
	}
	return append(ids, lists.Map(laws.Laws(), func(law laws.Law) string { return law.ID })...)
}

func anyIDNamed(name string) bool {
	return slices.ContainsFunc(anyID(nil, ""), func(id string) bool { return strings.EqualFold(id, name) })
}

func twoDetectors(words []string, _ string) []string {
	if len(words) >= 2 {
		return nil
	}
	return detectorsAndProfiles()
}

func detectorsAndProfiles() []string { return slices.Concat(detectorNames(), profileNames()) }

// profileNames returns the built-in profiles as one names them: @name. A profile has the name of its file, so that none
// is read.
func profileNames() []string {
	files, _ := fs.Glob(spec.ProfileFiles(), "*.yaml") // the pattern is well-formed
	for i, file := range files {
		files[i] = "@" + strings.TrimSuffix(file, ".yaml")
	}
	slices.Sort(files)
	return files
}

func languages() []string {
	return lists.Map(adapters.Starters(), func(s adapters.Starter) string { return s.Language })
}

func listNames() []string { return slices.Sorted(maps.Keys(subjects)) }
