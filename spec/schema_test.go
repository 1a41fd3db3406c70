package spec

import (
	"strings"
	"testing"
)

func TestSchemaHasTheIDOfItsFile(t *testing.T) {
	for _, name := range []string{"cases", "claims", "event", "protocol", "report", "verdict"} {
		text, err := Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		v := MustParse(string(text))
		if got, _ := v.Get("$id").Str(); got != SchemaBase+name+".schema.json" {
			t.Errorf("%s: the $id is %q, want %q", name, got, SchemaBase+name+".schema.json")
		}
	}
}

func TestUnknownSchemaIsAnErrorThatNamesTheKnownOnes(t *testing.T) {
	_, err := Schema("evnt")
	if err == nil || !strings.Contains(err.Error(), "event") {
		t.Errorf("got %v, want an error that names event", err)
	}
}
