package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/claims"
	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/spec"
)

// siteEnv names the variable that holds the address of the site. Where it is set, failures name their page, too.
const siteEnv = "LOOPSTONE_SITE"

// usualSite is where the site stands that show --web opens without the variable.
const usualSite = "https://loopstone.dev/"

// siteBase returns the address of the site as a user gave it, with a slash at its end; empty where none did.
func siteBase() string {
	base := os.Getenv(siteEnv)
	if base == "" || strings.HasSuffix(base, "/") {
		return base
	}
	return base + "/"
}

// showWeb prints the addresses of the pages of some ids, and opens them in the browser. The addresses are all that
// somebody has who has no browser here, so that one that does not start is a warning.
func showWeb(ctx context.Context, io streams, all []cases.Case, ids []string) (conformance.Outcome, error) {
	var pages []string
	for _, id := range ids {
		page, err := pageOf(all, id)
		if err != nil {
			return conformance.Usage, usageError{err}
		}
		pages = append(pages, cmp.Or(siteBase(), usualSite)+page)
	}
	for _, page := range pages {
		fmt.Fprintln(io.out, page)
		if err := openPage(ctx, page); err != nil {
			fmt.Fprintf(io.err, "warning: the browser was not opened: %v\n", err)
		}
	}
	return conformance.Conformant, nil
}

// pageOf returns the path of the page of whatever has the id.
func pageOf(all []cases.Case, id string) (string, error) {
	if name, is := strings.CutPrefix(id, "@"); is {
		p, err := profile.ByName(name)
		return "profile/" + p.Name, err
	}
	id = spelled(id)
	if _, ok := spec.ClauseByID(id); ok {
		return "c/" + id, nil
	}
	if _, ok := spec.DefinitionOf(spec.DetectorID(id)); ok {
		return "detector/" + id, nil
	}
	if slices.ContainsFunc(all, func(c cases.Case) bool { return c.ID == id }) {
		return "case/" + id, nil
	}
	if c, ok := claims.ByID(id); ok {
		return "claims/" + c.Document() + "#" + strings.ToLower(id), nil
	}
	return "", fmt.Errorf("nothing with a page has the id %q; %s", id, meantID(id))
}

// openPage opens an address with the program that the variable BROWSER names, else with that of the system.
func openPage(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch named := os.Getenv("BROWSER"); {
	case named != "":
		command = []string{named}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(ctx, command[0], append(command[1:], address)...).Run()
}
