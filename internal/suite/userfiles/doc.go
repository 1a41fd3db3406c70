// Package userfiles reads the files that a user names, and writes those that a user asks for: reports, known failures,
// cases, pictures.
package userfiles
