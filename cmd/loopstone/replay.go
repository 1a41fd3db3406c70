package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/replay"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// replayFlags are the flags of loopstone replay.
type replayFlags struct {
	detectors patterns
	readings  patterns
	config    string
	format    string
	html      string
	json      bool
	all       bool
	caseID    string
	follow    bool
	exec      string
	timeouts  timeouts
}

func (f *replayFlags) register(flags *pflag.FlagSet) {
	flags.Func("detector", "the detectors that match `pattern` (default: "+strings.Join(usualDetectors, ", ")+
		"); '*' for all that are specified, '@*' for all profiles", f.detectors.add)
	flags.Func("reading", "only readings that match `pattern`; without --detector, all specified detectors take part",
		f.readings.add)
	flags.StringVar(&f.config, "config", "",
		"the configuration of the detector that --detector names: `CONFIG` is "+configUsage)
	registerFormat(flags, &f.format)
	flags.StringVar(&f.html, "html", "", "also write a page with every event to `file`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.all, "all", false, "also list the runs without an alarm")
	flags.StringVar(&f.caseID, "case", "",
		"print the first alarm as a minimal case with the id DETECTOR-`word`")
	flags.BoolVar(&f.follow, "follow", false,
		"keep reading logs while they are written, until Ctrl-C; with --json, print one line per alarm")
	flags.StringVar(&f.exec, "exec", "",
		"with --follow: run a shell `command` for each alarm; its standard input is the alarm as JSON")
	f.timeouts.register(flags)
}

func (f *replayFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	logs := c.words
	if err := cmp.Or(f.check(logs), f.checkHTML(c)); err != nil {
		return conformance.Usage, err
	}
	watcher := replay.Watcher{Record: f.caseID != ""}
	if f.html != "" {
		watcher.Keep = eventsOfPage
	}
	if err := f.watch(ctx, std, &watcher, c.after); err != nil {
		return conformance.AdapterFault, err
	}
	if f.follow {
		return f.live(ctx, std, logs, watcher)
	}
	progress := newProgress(std.err)
	problems := problemsOf(agentlogs.WalkAhead(ctx, logs, f.format, progress.reading(watcher.Sink(ctx))))
	progress.clear()
	if err := watcher.Close(ctx); err != nil {
		return conformance.AdapterFault, err
	}
	for _, problem := range problems {
		fmt.Fprintf(std.err, "error: %s\n", wording.Line(problem.Error()))
	}
	var err error
	if len(watcher.Runs) > 0 {
		err = f.tell(ctx, std, &watcher)
	}
	switch {
	case err != nil:
	case len(problems) > 0 && len(watcher.Runs) == 0:
		err = errors.New("nothing could be read")
	case len(problems) > 0:
		err = fmt.Errorf("not all could be read; problems: %d", len(problems))
	}
	return conformance.Conformant, err
}

// live follows the logs until it is interrupted, which is how it ends, and sums up.
func (f *replayFlags) live(
	ctx context.Context, std streams, logs []string, like replay.Watcher,
) (conformance.Outcome, error) {
	page := replay.Page{Width: widthOf(std, usualWidth), Colour: colourful(std), All: f.all, Below: logs}
	say := func(text string) { fmt.Fprintln(std.err, wording.Line(text)) }
	whole := context.WithoutCancel(ctx)
	var hook *replay.Hook
	if f.exec != "" {
		hook = replay.NewHook(ctx, f.exec, std.err, say)
	}
	follower := replay.Follower{
		Paths: logs, Format: f.format, Say: say,
		NewWatcher: func() *replay.Watcher { w := like; return &w },
		News:       func(news []replay.News) error { return f.tellNews(std.out, news, page, hook) },
	}
	watchers, err := follower.Run(ctx)
	if hook != nil {
		hook.Close()
	}
	all := &replay.Watcher{}
	for _, w := range watchers {
		all.Runs, all.Notes = append(all.Runs, w.Runs...), append(all.Notes, w.Notes...)
	}
	if len(all.Runs) == 0 {
		say("no event was written")
	} else if !f.json {
		err = errors.Join(err, f.tell(whole, std, all))
	}
	if err != nil {
		return attribute(err), err
	}
	return conformance.Conformant, nil
}

// tellNews prints the news, and hands each to the hook if there is one.
func (f *replayFlags) tellNews(out io.Writer, news []replay.News, page replay.Page, hook *replay.Hook) (err error) {
	if !f.json {
		err = replay.Print(out, news, page)
	}
	for _, n := range news {
		line, unwritten := n.JSON()
		if unwritten != nil {
			return errors.Join(err, unwritten)
		}
		if f.json && err == nil {
			_, err = out.Write(line)
		}
		if hook != nil {
			hook.Run(line)
		}
	}
	return err
}

// eventsOfPage is how many of the first events of a run a page shows whole.
const eventsOfPage = 3000

func (f *replayFlags) check(logs []string) error {
	switch {
	case len(logs) == 0:
		return usagef("say which logs: files, or folders of them")
	case f.config != "" && len(f.detectors) != 1:
		return usagef("--config configures one detector: name it with --detector")
	case f.config != "" && profile.IsName(f.detectors[0]):
		return usagef("--config: the profile %s already is a configuration", f.detectors[0])
	case f.caseID != "" && !cases.IsID(f.caseID):
		return usagef("--case %q: want lower-case words joined by -", f.caseID)
	case f.exec != "" && !f.follow:
		return usagef("--exec runs a command for each alarm of --follow; add --follow")
	case f.follow && f.caseID != "":
		return usagef("--case needs whole recordings; leave out --follow")
	case f.json && f.caseID != "":
		return usagef("--json and --case print to the same place; take one")
	}
	return nil
}

// checkHTML refuses a page that would overwrite what is printed or read.
func (f *replayFlags) checkHTML(c call) error {
	if f.html == "" {
		return nil
	}
	inputs := slices.Concat(filesBelow("a log", c.words), configFile(f.config), commandFiles("", c.after),
		commandFiles("", strings.Fields(f.exec)))
	return checkOutputs([]file{printed, {"--html", f.html}}, inputs)
}

// usualDetectors are those that docs/choose-a-detector.md recommends, the most sensitive one, and the one that observes
// streamed text.
var usualDetectors = patterns{"@loopstone", "@cline", string(spec.History), string(spec.Stream)}

// watch adds the detectors that take part: the reference's, and those of a port where a command is given.
func (f *replayFlags) watch(ctx context.Context, std streams, w *replay.Watcher, command []string) error {
	usual := len(f.detectors)+len(f.readings) == 0
	w.Usual = usual && len(command) == 0
	wanted := f.detectors
	if usual {
		wanted = usualDetectors
	}
	config, err := configOf(ctx, f.config)
	if err != nil {
		return ofConfig(f.config, err)
	}
	profiles, err := profile.Named(lists.Filter(wanted, profile.IsBuiltIn))
	if err != nil {
		return err
	}
	offered, err := f.offered(ctx, std, command)
	if err != nil {
		return err
	}
	if err := alarm.CheckProfiles(f.detectors, offered); err != nil {
		return usageError{err}
	}
	for _, each := range offered {
		if !matches(f.readings, string(each.Reading)) {
			continue
		}
		w.Observers = append(w.Observers, each.Profiles(profiles)...)
		all := usual && each.Owner != "" // the detectors of the user's port
		if all || matches(wanted, string(each.Detector)) {
			each.Config = config
			w.Observers = append(w.Observers, each)
		}
	}
	if len(w.Observers) == 0 {
		return f.nobody(offered)
	}
	return f.checkConfig(ctx, w.Observers)
}

// checkConfig returns an error where a detector refuses the configuration: it would judge nothing, and raise no alarm.
func (f *replayFlags) checkConfig(ctx context.Context, observers []alarm.Observer) error {
	if f.config == "" {
		return nil
	}
	for _, each := range observers {
		session, err := each.Port.Open(ctx, each.Detector, each.Reading, each.Config)
		if refused, ok := errors.AsType[*spec.Fault](err); ok {
			return ofConfig(f.config, fmt.Errorf("--config: %s: %w; --detector and --reading say which detector it is for",
				each.Name(), refused))
		}
		if err == nil {
			err = session.Close(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// offered returns the detectors of the reference, and of the port that the command starts, if there is one.
func (f *replayFlags) offered(ctx context.Context, std streams, command []string) ([]alarm.Observer, error) {
	port := reference.Port()
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, err
	}
	list := alarm.ObserversOf(port, "", description.Detectors)
	if len(command) == 0 {
		return list, nil
	}
	started, err := std.start(ctx, command, f.timeouts, declared.CheckOwnNames)
	if err != nil {
		return nil, err
	}
	d := started.Description
	return append(list, alarm.ObserversOf(started.Adapter, d.Name, d.Detectors)...), nil
}

// nobody says that the patterns match no detector, with the nearest name.
func (f *replayFlags) nobody(offered []alarm.Observer) error {
	// once for all readings
	names := slices.Compact(lists.Map(offered, func(w alarm.Observer) string { return string(w.Detector) }))
	for _, pattern := range f.detectors {
		matchesAny := func(name string) bool { return matches(patterns{pattern}, name) }
		if !profile.IsName(pattern) && !slices.ContainsFunc(names, matchesAny) {
			return usagef("no detector matches --detector %s; %s", pattern, wording.Hint(pattern, names))
		}
	}
	return usagef("no detector matches --detector %q with --reading %q",
		strings.Join(f.detectors, ","), strings.Join(f.readings, ","))
}

// matches reports whether a name matches one of the patterns; without patterns, every name does.
func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// configFile returns the file that --config names, if it does.
func configFile(named string) []file {
	if !profile.IsFile(named) {
		return nil
	}
	return given(file{"--config", named})
}

// ofConfig says whose fault an error of a configuration is: that of the file which holds it, else that of the call.
func ofConfig(named string, err error) error {
	if profile.IsFile(named) {
		return userfiles.Wrong(err)
	}
	return usageError{err}
}

// configOf reads the configuration of --config; absent without the flag.
func configOf(ctx context.Context, name string) (spec.Value, error) {
	if name == "" {
		return spec.Value{}, nil
	}
	config, err := profile.Config(ctx, name)
	if err == nil && config.Kind() != spec.Object {
		err = fmt.Errorf("%s: want an object of settings, got %s", name, config.Kind())
	}
	return config, err
}

// tell writes what the watch found.
func (f *replayFlags) tell(ctx context.Context, std streams, w *replay.Watcher) error {
	if f.html != "" {
		write := func(page io.Writer) error { return replay.HTML(page, w.Runs) }
		if err := userfiles.Stream(ctx, f.html, write); err != nil {
			return err
		}
	}
	switch {
	case f.caseID != "":
		return f.writeCase(ctx, std, w)
	case f.json:
		return replay.JSON(std.out, w)
	default:
		return replay.Summary(std.out, w, replay.Page{Width: widthOf(std, usualWidth), Colour: colourful(std), All: f.all})
	}
}

// writeCase prints a case of the first alarm.
func (f *replayFlags) writeCase(ctx context.Context, std streams, w *replay.Watcher) error {
	i := slices.IndexFunc(w.Runs, func(r *replay.Replay) bool { return len(r.Speaking()) > 0 })
	if i < 0 {
		return errors.New("no detector raises an alarm that a case can be made of")
	}
	lane := w.Runs[i].Speaking()[0]
	id := f.caseID
	if prefix := string(lane.Observer.Detector) + "-"; !strings.HasPrefix(id, prefix) { // which all ids of its cases have
		id = prefix + id
	}
	made, err := replay.CaseOf(ctx, reference.Port(), lane, w.Runs[i].Recorded(lane), id)
	if err != nil {
		return err
	}
	_, err = std.out.Write(cases.Write(made))
	return err
}
