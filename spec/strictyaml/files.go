package strictyaml

import (
	"errors"
	"io/fs"
	"sync"
)

// Files reads the YAML files at the top of a file system, side by side, and returns what parse makes of them, in the
// order of their names. Its error joins what is wrong with each.
func Files[T any](files fs.FS, parse func(name string, text []byte) (T, error)) ([]T, error) {
	paths, _ := fs.Glob(files, "*.yaml") // the pattern is well-formed
	all, problems := make([]T, len(paths)), make([]error, len(paths))
	var readers sync.WaitGroup
	for i, path := range paths {
		readers.Go(func() {
			text, err := fs.ReadFile(files, path)
			if err == nil {
				all[i], err = parse(path, text)
			}
			problems[i] = err
		})
	}
	readers.Wait()
	return all, errors.Join(problems...)
}
