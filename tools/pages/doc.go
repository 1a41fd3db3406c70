// Package pages writes the pages of docs whose figures are all computed. Nobody edits such a page, but the template
// beside this file. Each target of make runs the test that writes its pages:
//
//   - make real-runs: results.md, dev/study.md and dev/by-agent.md, what detectors do on runs of real agents
//   - make field: dev/field.md, the profiles side by side
//   - make evasions: dev/evasions.md, what hides a loop from the profiles
//   - make search: dev/best.md, how the rules of the profile @loopstone were found
package pages
