package stdio

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// descriptionValue returns a description as initialize answers it.
func descriptionValue(d spec.Description) spec.Value {
	v := spec.ObjectValue().With("protocol", spec.IntValue(protocol)).With("name", spec.StringValue(d.Name)).
		With("version", spec.StringValue(d.Version)).With("language", spec.StringValue(d.Language))
	v = withText(v, "url", d.URL)
	offers := make([]spec.Value, len(d.Detectors))
	for i, o := range d.Detectors {
		offers[i] = offerValue(o)
	}
	return v.With("detectors", spec.ArrayValue(offers...))
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
	if v.Kind() != spec.Object {
		return spec.Description{}, fmt.Errorf("the description must be an object, got %s", v.Kind())
	}
	if n, ok := v.Get("protocol").Int(); !ok || n != protocol {
		return spec.Description{}, fmt.Errorf("the description's protocol must be %d, got %s", protocol,
			v.Get("protocol"))
	}
	d := spec.Description{}
	for _, text := range []struct {
		name     string
		into     *string
		optional bool
	}{{"name", &d.Name, false}, {"version", &d.Version, false}, {"language", &d.Language, false}, {"url", &d.URL, true}} {
		got, isText := v.Get(text.name).Str()
		if !isText && !(text.optional && v.Get(text.name).IsAbsent()) {
			return spec.Description{}, fmt.Errorf("the description's %s must be a string, got %s", text.name,
				v.Get(text.name).Kind())
		}
		if err := checkText(text.name, got); err != nil {
			return spec.Description{}, err
		}
		*text.into = got
	}
	var err error
	d.Detectors, err = parseOffers(v.Get("detectors"))
	return d, err
}

// mostText is the length of the longest text of a description, in bytes: reports print each in one line.
const mostText = 1000

func checkText(name, text string) error {
	switch {
	case len(text) > mostText:
		return fmt.Errorf("the description's %s must have at most %d bytes, got %d", name, mostText, len(text))
	case text == "" && name == "name":
		return errors.New("the description's name must not be empty")
	default:
		return nil
	}
}

func parseOffers(list spec.Value) ([]spec.Offer, error) {
	if list.Kind() != spec.Array {
		return nil, fmt.Errorf("the description's detectors must be an array, got %s", list.Kind())
	}
	offers := make([]spec.Offer, len(list.Items()))
	for i, v := range list.Items() {
		var err error
		if offers[i], err = parseOffer(v); err != nil {
			return nil, fmt.Errorf("detectors/%d/%w", i, err)
		}
	}
	return offers, nil
}

func parseOffer(v spec.Value) (spec.Offer, error) {
	id, ok := v.Get("id").Str()
	if !ok {
		return spec.Offer{}, fmt.Errorf("id must be a string, got %s", v.Get("id").Kind())
	}
	o := spec.Offer{Detector: spec.DetectorID(id)}
	for _, err := range []error{
		parseTexts(v, "readings", &o.Readings),
		parseTexts(v, "features", &o.Features),
		unlessAbsent(v, "rules", &o.Rules),
		unlessAbsent(v, "members", &o.Members),
		unlessAbsent(v, "settings", &o.Settings),
	} {
		if err != nil {
			return o, err
		}
	}
	if err := cmp.Or(someIn("readings", o.Readings), someIn("rules", o.Rules)); err != nil {
		return o, err
	}
	defaults, isText := v.Get("defaults").Str()
	if !isText && !v.Get("defaults").IsAbsent() {
		return o, fmt.Errorf("defaults must be a string, got %s", v.Get("defaults").Kind())
	}
	o.Defaults, o.Fixed = spec.Defaults(defaults), v.Get("config")
	if !o.Fixed.IsAbsent() && o.Fixed.Kind() != spec.Object {
		return o, fmt.Errorf("config must be an object, got %s", o.Fixed.Kind())
	}
	return o, nil
}

func unlessAbsent[T ~string](v spec.Value, name string, into *[]T) error {
	if v.Get(name).IsAbsent() {
		return nil
	}
	return parseTexts(v, name, into)
}

// someIn demands that a list that is there is not empty.
func someIn[T ~string](name string, list []T) error {
	if list != nil && len(list) == 0 {
		return fmt.Errorf("%s must not be empty", name)
	}
	return nil
}

// parseTexts reads a list of different texts, which is not nil afterwards, be it empty.
func parseTexts[T ~string](v spec.Value, name string, into *[]T) error {
	list := v.Get(name)
	if list.Kind() != spec.Array {
		return fmt.Errorf("%s must be an array of strings, got %s", name, list.Kind())
	}
	*into = make([]T, len(list.Items()))
	for i, item := range list.Items() {
		text, ok := item.Str()
		if !ok {
			return fmt.Errorf("%s must be an array of strings, got %s in it", name, item.Kind())
		}
		if slices.Contains((*into)[:i], T(text)) {
			return fmt.Errorf("%s/%d: %q stands there twice", name, i, text)
		}
		(*into)[i] = T(text)
	}
	return nil
}
