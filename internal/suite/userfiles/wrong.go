package userfiles

import "errors"

// wrongFile is an error of a file that a user names. It is neither an error of the call nor one of a port.
type wrongFile struct{ error }

// Unwrap returns what is wrong.
func (e wrongFile) Unwrap() error { return e.error }

// Wrong says of an error that it is about a file that a user names: the file is missing, cannot be read or written, or
// what it holds is wrong. All functions of this package say so of their own errors. It keeps nil.
func Wrong(err error) error {
	if err == nil || IsWrong(err) {
		return err
	}
	return wrongFile{err}
}

// IsWrong reports whether an error is about a file that a user names.
func IsWrong(err error) bool {
	_, ok := errors.AsType[wrongFile](err)
	return ok
}
