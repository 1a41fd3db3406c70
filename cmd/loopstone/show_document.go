package main

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
)

// documentOf returns the source document of an id, such as D2.
func documentOf(id string) (sourceclaims.Document, bool) {
	documents, _ := sourceclaims.Documents() // they are built in
	return lists.Find(documents, func(d sourceclaims.Document) bool { return strings.EqualFold(d.ID, id) })
}

// showDocument prints what authors of a port should know of a document, and its claims with what the suite found.
func showDocument(s sheet, d sourceclaims.Document) {
	count := map[sourceclaims.Status]int{}
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
		count[sourceclaims.Holds], count[sourceclaims.Refuted], count[sourceclaims.Ambiguous]))
	for _, c := range d.Claims {
		s.text(fmt.Sprintf("  %-6s ", c.ID), fmt.Sprintf("%s (%s)", c.Text, c.Summary()))
	}
}
