package stdio

import (
	"cmp"
	"fmt"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// descriptionValue returns a description as initialize answers it.
func descriptionValue(d spec.Description) spec.Value {
	v := spec.ObjectValue().With("protocol", spec.IntValue(protocol)).With("name", spec.StringValue(d.Name)).
		With("version", spec.StringValue(d.Version)).With("language", spec.StringValue(d.Language))
	v = withText(v, "url", d.URL)
	return v.With("detectors", spec.ArrayValue(lists.Map(d.Detectors, offerValue)...))
}

// withText adds a member, unless it is empty.
func withText[T ~string](v spec.Value, name string, text T) spec.Value {
	if text == "" {
		return v
	}
	return v.With(name, spec.StringValue(string(text)))
}

// offerValue leaves out what is not narrowed: nothing said means all.
func offerValue(o spec.Offer) spec.Value {
	v := spec.ObjectValue().With("id", spec.StringValue(string(o.Detector))).
		With("readings", spec.StringsValue(o.Readings)).With("features", spec.StringsValue(o.Features))
	if o.Rules != nil {
		v = v.With("rules", spec.StringsValue(o.Rules))
	}
	if o.Members != nil {
		v = v.With("members", spec.StringsValue(o.Members))
	}
	if o.Settings != nil {
		v = v.With("settings", spec.StringsValue(o.Settings))
	}
	if !o.Fixed.IsAbsent() {
		v = v.With("config", o.Fixed)
	}
	return withText(v, "defaults", o.Defaults)
}

// IsDescriptionOf reports whether a result of initialize says of a port what the description says.
func IsDescriptionOf(result spec.Value, d spec.Description) bool {
	got, err := parseDescription(result)
	return err == nil && descriptionValue(got).Equal(descriptionValue(d))
}

// parseDescription checks the result of initialize and returns it. Which detectors, readings and features there are is
// not checked here: a port may have some that the suite does not know.
func parseDescription(v spec.Value) (spec.Description, error) {
	r := reader{value: v, of: "the description's ", most: mostText}
	if v.Kind() != spec.Object {
		return spec.Description{}, fmt.Errorf("the description must be an object, got %s", v.Kind())
	}
	if n, ok := v.Get("protocol").Int(); !ok || n != protocol {
		r.wrong("protocol", "must be %d, got %s", protocol, v.Get("protocol"))
	}
	d := spec.Description{Name: r.text("name"), Version: r.text("version"), Language: r.text("language")}
	d.URL = r.optionalText("url")
	if d.Name == "" {
		r.wrong("name", "must not be empty")
	}
	list := v.Get("detectors")
	if list.Kind() != spec.Array {
		r.wrong("detectors", "must be an array, got %s", list.Kind())
	}
	d.Detectors = make([]spec.Offer, len(list.Items()))
	for i, item := range list.Items() {
		offer := reader{value: item, of: fmt.Sprintf("detectors/%d/", i)}
		d.Detectors[i] = offer.offer()
		r.err = cmp.Or(r.err, offer.err)
	}
	return d, r.err
}

// mostText is the length of the longest text of a description, in bytes: reports print each in one line.
const mostText = 1000

// misnamed is the error of a description with an id or a name that breaks the grammar (PR-45).
type misnamed struct{ error }

// reader reads the members of an object, and keeps the first thing that is wrong.
type reader struct {
	value spec.Value
	of    string // stands before a member's name in a message
	most  int    // bytes of a text; 0 for any number
	err   error
}

func (r *reader) wrong(name, format string, args ...any) {
	r.err = cmp.Or(r.err, fmt.Errorf("%s%s %s", r.of, name, fmt.Sprintf(format, args...)))
}

// named notes that an id or a name breaks the grammar.
func (r *reader) named(member string, err error) {
	if err != nil {
		r.err = cmp.Or(r.err, error(misnamed{fmt.Errorf("%s%s: %w", r.of, member, err)}))
	}
}

func (r *reader) offer() spec.Offer {
	o := spec.Offer{
		Detector: spec.DetectorID(r.text("id")),
		Readings: texts[spec.Reading](r, "readings"), Features: texts[spec.Feature](r, "features"),
		Rules: optionalTexts[spec.VerdictKind](r, "rules"), Members: optionalTexts[string](r, "members"),
		Settings: optionalTexts[string](r, "settings"),
		Defaults: spec.Defaults(r.optionalText("defaults")), Fixed: r.value.Get("config"),
	}
	r.named("id", spec.CheckID(o.Detector))
	if len(o.Readings) == 0 {
		r.wrong("readings", "must not be empty")
	}
	if o.Rules != nil && len(o.Rules) == 0 {
		r.wrong("rules", "must not be empty")
	}
	if k := o.Fixed.Kind(); k != spec.Object && k != spec.Absent {
		r.wrong("config", "must be an object, got %s", k)
	}
	return o
}

func (r *reader) text(name string) string {
	text, isText := r.value.Get(name).Str()
	switch {
	case !isText:
		r.wrong(name, "must be a string, got %s", r.value.Get(name).Kind())
	case r.most > 0 && len(text) > r.most:
		r.wrong(name, "must have at most %d bytes, got %d", r.most, len(text))
	}
	return text
}

func (r *reader) optionalText(name string) string {
	if r.value.Get(name).IsAbsent() {
		return ""
	}
	return r.text(name)
}

// texts reads a list of different texts, which is not nil, be it empty.
func texts[T ~string](r *reader, name string) []T {
	list := r.value.Get(name)
	if list.Kind() != spec.Array {
		r.wrong(name, "must be an array of strings, got %s", list.Kind())
	}
	read, seen := make([]T, len(list.Items())), map[string]bool{}
	for i, item := range list.Items() {
		text, isText := item.Str()
		switch {
		case !isText:
			r.wrong(name, "must be an array of strings, got %s in it", item.Kind())
		case seen[text]:
			r.wrong(fmt.Sprintf("%s/%d:", name, i), "%q is named twice", text)
		default:
			r.named(fmt.Sprintf("%s/%d", name, i), spec.CheckName(text))
		}
		read[i], seen[text] = T(text), true
	}
	return read
}

func optionalTexts[T ~string](r *reader, name string) []T {
	if r.value.Get(name).IsAbsent() {
		return nil
	}
	return texts[T](r, name)
}
