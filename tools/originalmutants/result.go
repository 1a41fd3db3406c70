package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// results is a folder with what is known of the mutants, a file for each original: a run that was stopped goes on.
type results struct {
	folder string
	mutex  sync.Mutex // guards the record while its verdicts come in, and its file
}

func (s *results) file(name string) string { return filepath.Join(s.folder, name+".json") }

// known returns the verdicts that were found with the same suite and as many traces, by the names of the mutants.
func (s *results) known(rec record) (map[string]verdict, error) {
	list := map[string]verdict{}
	text, err := os.ReadFile(s.file(rec.name))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	var old record
	if err == nil {
		err = json.Unmarshal(text, &old)
	}
	if err != nil || old.Suite != rec.Suite || old.Drawn != rec.Drawn {
		return list, err
	}
	for _, v := range old.Verdicts {
		list[v.String()] = v
	}
	return list, nil
}

// note adds a verdict to a record, or replaces the one that it has on the mutant, and writes what is known.
func (s *results) note(rec *record, v verdict) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := slices.IndexFunc(rec.Verdicts, func(old verdict) bool { return old.String() == v.String() })
	if i < 0 {
		rec.Verdicts = append(rec.Verdicts, v)
	} else {
		rec.Verdicts[i] = v
	}
	if s.folder == "" {
		return nil
	}
	text, err := json.MarshalIndent(rec, "", " ")
	if err == nil {
		err = os.MkdirAll(s.folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(s.file(rec.name), text, 0o600)
	}
	return err
}
