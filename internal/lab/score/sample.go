package score

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lists"
)

// SmallSample is the error of a sample that is smaller than the number of its groups: its runs could not stand for all
// runs of the corpus.
type SmallSample struct{ Most, Groups int }

func (e SmallSample) Error() string {
	return fmt.Sprintf("a sample of %d: the alarms of these detectors make %d groups of runs; draw at least %d, "+
		"or name fewer detectors", e.Most, e.Groups, e.Groups)
}

// Sample draws so many runs of a corpus, or all if there are fewer. Runs in which the same contenders report a loop
// form a group, and of each group as many are drawn, as far as it has them: so that runs with and without alarms are
// both among those that somebody labels. The order is that of the seed and shows no group.
func Sample(ctx context.Context, c *Corpus, contenders []Contender, most int, seed uint64) ([]Drawn, error) {
	groups, err := groupsOf(ctx, c, contenders)
	switch {
	case err != nil:
		return nil, err
	case len(groups) > most:
		return nil, SmallSample{most, len(groups)}
	}
	place := func(run string) uint64 { return label.Place(seed, run) }
	var drawn []Drawn
	for group, n := range shares(groups, most) {
		runs := slices.SortedFunc(slices.Values(groups[group]), func(a, b string) int {
			return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
		})
		for _, run := range runs[:n] {
			drawn = append(drawn, Drawn{Corpus: c.labelName(), Run: run, Weight: float64(len(runs)) / float64(n)})
		}
	}
	slices.SortFunc(drawn, func(a, b Drawn) int {
		return cmp.Or(cmp.Compare(place("order\x00"+a.Run), place("order\x00"+b.Run)), cmp.Compare(a.Run, b.Run))
	})
	return drawn, c.wantsRuns(len(drawn))
}

// groupsOf returns the runs of each group, by the contenders that report a loop in them.
func groupsOf(ctx context.Context, c *Corpus, contenders []Contender) (map[string][]string, error) {
	groups := map[string][]string{}
	err := judgeAll(ctx, []*Corpus{c}, contenders, nil, func(_ *Corpus, r Result) {
		if r.Steps > 0 {
			groups[alarmsOf(r)] = append(groups[alarmsOf(r)], r.Run.Place)
		}
	})
	return groups, err
}

// alarmsOf names the contenders that report a loop, by a digit each.
func alarmsOf(r Result) string {
	return fmt.Sprint(lists.Map(r.Responses, func(one Response) int { return count(one.Alarm != nil) }))
}

// shares says how many runs to draw of each group: as many of each as of the others, and what small groups leave goes
// to the larger ones.
func shares(groups map[string][]string, most int) map[string]int {
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[a]), len(groups[b])), cmp.Compare(a, b))
	})
	share := map[string]int{}
	for i, name := range names {
		n := min(len(groups[name]), most/(len(names)-i))
		share[name] = n
		most -= n
	}
	return share
}
