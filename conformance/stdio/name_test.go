package stdio

import (
	"regexp"
	"testing"
)

// TestSomeSessionsHaveOddNames keeps adapters from reading nothing but plain names.
func TestSomeSessionsHaveOddNames(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`^[A-Za-z0-9]+$`)
	c, odd, seen := &Client{}, 0, map[string]bool{}
	for range 40 {
		name := c.newSession().name
		if seen[name] {
			t.Errorf("the name %q twice", name)
		}
		seen[name] = true
		if !plain.MatchString(name) {
			odd++
		}
	}
	if odd != 5 {
		t.Errorf("%d of 40 names are odd, want 5", odd)
	}
}
