package userfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A Destination is where a path leads once every link is followed. Two paths of one file have the same destination.
//
// Some paths lead to an open descriptor: /dev/stdout, /dev/fd/3, /proc/self/fd/3, and what a shell passes for
// >(command). Whoever opened the descriptor goes on using it, so that it is written to, and never replaced.
type Destination struct {
	path       string
	descriptor bool
	info       fs.FileInfo // nil where there is nothing yet
}

// String returns an absolute path, or which stream it is.
func (d Destination) String() string { return d.path }

// streams are the descriptors of this process that have a name.
var streams = map[string]*os.File{"standard output": os.Stdout, "standard error": os.Stderr}

// StandardOutput is the destination of what a command prints.
func StandardOutput() Destination { return streamAt("standard output") }

func streamAt(name string) Destination {
	info, _ := streams[name].Stat() // without it, it is compared by its name alone
	return Destination{path: name, descriptor: true, info: info}
}

// Is reports whether both are the same file. A descriptor is the file that it was opened on.
func (d Destination) Is(other Destination) bool {
	if d.path == other.path {
		return true
	}
	return d.descriptor != other.descriptor && d.isRegular() && other.isRegular() && os.SameFile(d.info, other.info)
}

// Stream returns standard output or error where it goes to this very file, by its name. [Write] would replace the file,
// and the stream would go on in the old one, which nobody sees.
func (d Destination) Stream() (Destination, bool) {
	for name := range streams {
		if stream := streamAt(name); !d.descriptor && d.Is(stream) {
			return stream, true
		}
	}
	return Destination{}, false
}

// HasContent reports whether there is a file with content that [Write] would replace.
func (d Destination) HasContent() bool { return !d.descriptor && d.isRegular() && d.info.Size() > 0 }

func (d Destination) isRegular() bool { return d.info != nil && d.info.Mode().IsRegular() }

// mostLinks is how many links to links are followed; as many as the system follows.
const mostLinks = 40

// Find returns where a path leads. The file need not be there yet. Errors are a path that ends in a slash, links in a
// circle, and a descriptor that is not open. All but the first are about the file, see [Wrong].
func Find(path string) (Destination, error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return Destination{}, fmt.Errorf("%q names a folder and no file", path)
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return Destination{}, err
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
	return Destination{}, Wrong(fmt.Errorf("%s leads through more than %d links, perhaps in a circle", path, mostLinks))
}

func findFile(at string) (Destination, error) {
	info, err := os.Stat(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Destination{}, Wrong(err)
	}
	return Destination{path: at, info: info}, nil
}

// descriptorsOf matches a folder of descriptors, and finds the process whose they are on Linux.
var descriptorsOf = regexp.MustCompile(`^(?:/dev/fd|/proc/([0-9]+)(?:/task/[0-9]+)?/fd)$`)

func findDescriptor(path, at, process string) (Destination, error) {
	info, err := os.Stat(at)
	if err != nil {
		return Destination{}, Wrong(fmt.Errorf("%s: no such descriptor is open", path))
	}
	if process == "" || process == strconv.Itoa(os.Getpid()) {
		switch filepath.Base(at) {
		case "1":
			return streamAt("standard output"), nil
		case "2":
			return streamAt("standard error"), nil
		}
	}
	return Destination{path: at, descriptor: true, info: info}, nil
}
