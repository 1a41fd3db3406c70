package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/suite/claims"
)

// documentOf returns the source document of an id, such as D2.
func documentOf(id string) (claims.Document, bool) {
	documents, _ := claims.Documents() // they are built in
	i := slices.IndexFunc(documents, func(d claims.Document) bool { return strings.EqualFold(d.ID, id) })
	if i < 0 {
		return claims.Document{}, false
	}
	return documents[i], true
}

// showDocument prints what authors of a port should know of a document, and its claims with what the suite found.
func showDocument(s sheet, d claims.Document) {
	count := map[claims.Status]int{}
	for _, c := range d.Claims {
		count[c.Status()]++
	}
	s.title(d.ID + ": " + d.Title)
	if len(d.Advice) > 0 {
		s.heading("For authors of a port")
		for _, advice := range d.Advice {
			s.text("- ", advice)
		}
	}
	s.heading(fmt.Sprintf("Claims: %d hold, %d are refuted, %d are ambiguous",
		count[claims.Holds], count[claims.Refuted], count[claims.Ambiguous]))
	for _, c := range d.Claims {
		s.text(fmt.Sprintf("  %-6s ", c.ID), fmt.Sprintf("%s (%s)", c.Text, c.Summary()))
	}
}
