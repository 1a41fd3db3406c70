package stdio

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// descriptionValue returns a description as initialize answers it.
func descriptionValue(d spec.Description) spec.Value {
	members := []spec.Member{
		{Name: "protocol", Value: spec.IntValue(protocol)},
		{Name: "name", Value: spec.StringValue(d.Name)},
		{Name: "version", Value: spec.StringValue(d.Version)},
		{Name: "language", Value: spec.StringValue(d.Language)},
	}
	if d.URL != "" {
		members = append(members, spec.Member{Name: "url", Value: spec.StringValue(d.URL)})
	}
	offers := make([]spec.Value, len(d.Detectors))
	for i, o := range d.Detectors {
		offers[i] = offerValue(o)
	}
	return spec.ObjectValue(append(members, spec.Member{Name: "detectors", Value: spec.ArrayValue(offers...)})...)
}

// offerValue leaves out what is not narrowed: nothing said means all.
func offerValue(o spec.Offer) spec.Value {
	members := []spec.Member{
		{Name: "id", Value: spec.StringValue(string(o.Detector))},
		{Name: "readings", Value: spec.StringsValue(o.Readings)},
		{Name: "features", Value: spec.StringsValue(o.Features)},
	}
	if o.Rules != nil {
		members = append(members, spec.Member{Name: "rules", Value: spec.StringsValue(o.Rules)})
	}
	if o.Members != nil {
		members = append(members, spec.Member{Name: "members", Value: spec.StringsValue(o.Members)})
	}
	if o.Settings != nil {
		members = append(members, spec.Member{Name: "settings", Value: spec.StringsValue(o.Settings)})
	}
	if o.Defaults != spec.SpecifiedDefaults {
		members = append(members, spec.Member{Name: "defaults", Value: spec.StringValue(string(o.Defaults))})
	}
	return spec.ObjectValue(members...)
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
	members := map[string]*string{"name": &d.Name, "version": &d.Version, "language": &d.Language}
	for _, name := range []string{"name", "version", "language"} {
		text, ok := v.Get(name).Str()
		if !ok {
			return spec.Description{}, fmt.Errorf("the description's %s must be a string, got %s", name, v.Get(name).Kind())
		}
		*members[name] = text
	}
	var isText bool
	if d.URL, isText = v.Get("url").Str(); !isText && !v.Get("url").IsAbsent() {
		return spec.Description{}, fmt.Errorf("the description's url must be a string, got %s", v.Get("url").Kind())
	}
	var err error
	d.Detectors, err = parseOffers(v.Get("detectors"))
	return d, err
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
	defaults, isText := v.Get("defaults").Str()
	if !isText && !v.Get("defaults").IsAbsent() {
		return o, fmt.Errorf("defaults must be a string, got %s", v.Get("defaults").Kind())
	}
	o.Defaults = spec.Defaults(defaults)
	return o, nil
}

func unlessAbsent[T ~string](v spec.Value, name string, into *[]T) error {
	if v.Get(name).IsAbsent() {
		return nil
	}
	return parseTexts(v, name, into)
}

// parseTexts reads a list, which is not nil afterwards, be it empty.
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
		(*into)[i] = T(text)
	}
	return nil
}
