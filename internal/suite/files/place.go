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
	own        int         // the number of a descriptor of this process; notOwn otherwise
	info       fs.FileInfo // nil where there is nothing yet
}

const notOwn = -1

// String returns an absolute path, or which descriptor it is.
func (p Place) String() string { return p.path }

// StandardOutput is the place of what a command prints.
func StandardOutput() Place {
	info, _ := os.Stdout.Stat() // without it, it is compared by its name alone
	return ownDescriptor(1, info)
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
	for number, stream := range []*os.File{1: os.Stdout, 2: os.Stderr} {
		if stream == nil || p.descriptor {
			continue
		}
		if info, err := stream.Stat(); err == nil && p.Is(ownDescriptor(number, info)) {
			return ownDescriptor(number, info), true
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
// circle, and a descriptor that this process was not started with.
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
		if isDescriptor(at) {
			return findDescriptor(path, at)
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
	return Place{path: at, own: notOwn, info: info}, nil
}

// descriptorsOf matches a process's folder of descriptors on Linux, and finds the process.
var descriptorsOf = regexp.MustCompile(`^/proc/([0-9]+)(?:/task/[0-9]+)?/fd$`)

func isDescriptor(at string) bool {
	folder := filepath.Dir(at)
	return folder == "/dev/fd" || descriptorsOf.MatchString(folder)
}

func findDescriptor(path, at string) (Place, error) {
	info, err := os.Stat(at)
	if err != nil {
		return Place{}, fmt.Errorf("%s: no such descriptor is open", path)
	}
	process := descriptorsOf.FindStringSubmatch(filepath.Dir(at))
	if process != nil && process[1] != strconv.Itoa(os.Getpid()) {
		return Place{path: at, descriptor: true, own: notOwn, info: info}, nil
	}
	number, err := strconv.Atoi(filepath.Base(at))
	if err != nil || !inherited(number) {
		return Place{}, fmt.Errorf("%s: this process was not started with that descriptor", path)
	}
	return ownDescriptor(number, info), nil
}

func ownDescriptor(number int, info fs.FileInfo) Place {
	name := fmt.Sprintf("descriptor %d", number)
	switch number {
	case 1:
		name = "standard output"
	case 2:
		name = "standard error"
	}
	return Place{path: name, descriptor: true, own: number, info: info}
}
