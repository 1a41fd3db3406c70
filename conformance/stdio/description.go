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

func offerValue(o spec.Offer) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "id", Value: spec.StringValue(string(o.Detector))},
		spec.Member{Name: "readings", Value: spec.StringsValue(texts(o.Readings))},
		spec.Member{Name: "features", Value: spec.StringsValue(texts(o.Features))},
	)
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
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
		id, ok := v.Get("id").Str()
		if !ok {
			return nil, fmt.Errorf("detectors/%d/id must be a string, got %s", i, v.Get("id").Kind())
		}
		readings, err := parseTexts[spec.Reading](v.Get("readings"))
		if err != nil {
			return nil, fmt.Errorf("detectors/%d/readings %w", i, err)
		}
		features, err := parseTexts[spec.Feature](v.Get("features"))
		if err != nil {
			return nil, fmt.Errorf("detectors/%d/features %w", i, err)
		}
		offers[i] = spec.Offer{Detector: spec.DetectorID(id), Readings: readings, Features: features}
	}
	return offers, nil
}

func parseTexts[T ~string](list spec.Value) ([]T, error) {
	if list.Kind() != spec.Array {
		return nil, fmt.Errorf("must be an array of strings, got %s", list.Kind())
	}
	out := make([]T, len(list.Items()))
	for i, item := range list.Items() {
		text, ok := item.Str()
		if !ok {
			return nil, fmt.Errorf("must be an array of strings, got %s in it", item.Kind())
		}
		out[i] = T(text)
	}
	return out, nil
}
