// Package userfiles reads the files that a user names, up to a limit and until the context ends, and writes those that
// a user asks for: whole or not at all. Code uses it instead of package os for each path that comes from a user.
package userfiles
