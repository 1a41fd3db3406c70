package cases

import "testing"

func TestBuiltInSuiteLoads(t *testing.T) {
	all, err := Load(Files())
	if err != nil {
		t.Fatalf("the built-in suite does not load:\n%v", err)
	}
	t.Logf("%d cases", len(all))
}
