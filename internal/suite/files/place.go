package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A Place is where a path leads once every link is followed. Two paths of one file have the same place.
//
// Some paths lead to an open descriptor: /dev/stdout, /dev/fd/3, /proc/self/fd/3, and what a shell passes for
// >(command). Whoever opened the descriptor goes on using it, so that it is written to, and never replaced.
type Place struct {
	path       string
	descriptor bool
	info       fs.FileInfo // nil where there is nothing yet
}

// String returns an absolute path, or which stream it is.
func (p Place) String() string { return p.path }

// streams are the descriptors of this process that have a name.
var streams = map[string]*os.File{"standard output": os.Stdout, "standard error": os.Stderr}

// StandardOutput is the place of what a command prints.
func StandardOutput() Place { return streamAt("standard output") }

func streamAt(name string) Place {
	info, _ := streams[name].Stat() // without it, it is compared by its name alone
	return Place{path: name, descriptor: true, info: info}
}

// Is reports whether both are the same file. A descriptor is the file that it was opened on.
func (p Place) Is(other Place) bool {
	if p.path == other.path {
		return true
	}
	return p.descriptor != other.descriptor && p.isRegular() && other.isRegular() && os.SameFile(p.info, other.info)
}

// Stream returns standard output or error where it goes to this very file, by its name. [Write] would replace the file,
// and the stream would go on in the old one, which nobody sees.
func (p Place) Stream() (Place, bool) {
	for name := range streams {
		if stream := streamAt(name); !p.descriptor && p.Is(stream) {
			return stream, true
		}
	}
	return Place{}, false
}

// HasContent reports whether there is a file with content that [Write] would replace.
func (p Place) HasContent() bool { return !p.descriptor && p.isRegular() && p.info.Size() > 0 }

func (p Place) isRegular() bool { return p.info != nil && p.info.Mode().IsRegular() }

// mostLinks is how many links to links are followed; as many as the system follows.
const mostLinks = 40

// Find returns the place of a file, which need not be there yet. Errors are a path that ends in a slash, links in a
// circle, and a descriptor that is not open.
func Find(path string) (Place, error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return Place{}, fmt.Errorf("%q names a folder and no file", path)
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	for range mostLinks {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil {
			at = filepath.Join(folder, filepath.Base(at))
		}
		if process := descriptorsOf.FindStringSubmatch(filepath.ToSlash(filepath.Dir(at))); process != nil {
			return findDescriptor(path, at, process[1])
		}
		target, err := os.Readlink(at)
		if err != nil { // it is no link
			return findFile(at)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	}
	return Place{}, fmt.Errorf("%s leads through more than %d links, perhaps in a circle", path, mostLinks)
}

func findFile(at string) (Place, error) {
	info, err := os.Stat(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Place{}, err
	}
	return Place{path: at, info: info}, nil
}

// descriptorsOf matches a folder of descriptors, and finds the process whose they are on Linux.
var descriptorsOf = regexp.MustCompile(`^(?:/dev/fd|/proc/([0-9]+)(?:/task/[0-9]+)?/fd)$`)

func findDescriptor(path, at, process string) (Place, error) {
	info, err := os.Stat(at)
	if err != nil {
		return Place{}, fmt.Errorf("%s: no such descriptor is open", path)
	}
	if process == "" || process == strconv.Itoa(os.Getpid()) {
		switch filepath.Base(at) {
		case "1":
			return streamAt("standard output"), nil
		case "2":
			return streamAt("standard error"), nil
		}
	}
	return Place{path: at, descriptor: true, info: info}, nil
}
