package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// coverage has, for each file, its lines, and for each line its parts: how often each of its branches, regions or
// statements was reached. A part is named so that a second report of the same part adds to it.
type coverage map[string]map[int]map[string]int

func (c coverage) add(file string, line int, part string, hits int) {
	if c[file] == nil {
		c[file] = map[int]map[string]int{}
	}
	if c[file][line] == nil {
		c[file][line] = map[string]int{}
	}
	c[file][line][part] += hits
}

// read reads a report in either format.
func (c coverage) read(text []byte) error {
	if bytes.HasPrefix(text, []byte("{")) {
		return c.readRegions(text)
	}
	return c.readLCOV(text)
}

// readLCOV reads the lines and branches of LCOV.
func (c coverage) readLCOV(text []byte) error {
	file := ""
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		kind, rest, _ := strings.Cut(scan.Text(), ":")
		fields := strings.Split(rest, ",")
		switch kind {
		case "SF":
			file = rest
		case "DA", "BRDA":
			line, err := strconv.Atoi(fields[0])
			hits, hitsErr := strconv.Atoi(strings.Replace(fields[len(fields)-1], "-", "0", 1))
			if kind == "DA" {
				hits, hitsErr = strconv.Atoi(fields[1])
			}
			if err := errors.Join(err, hitsErr); err != nil {
				return fmt.Errorf("%s: %w", scan.Text(), err)
			}
			c.add(file, line, strings.Join(append([]string{kind}, fields[1:len(fields)-1]...), " "), hits)
		}
	}
	if len(c) == 0 {
		return errors.New("this is no report of coverage")
	}
	return nil
}

// readRegions reads the JSON of llvm-cov. A generic function has its regions once for each type.
func (c coverage) readRegions(text []byte) error {
	var report struct {
		Data []struct {
			Functions []struct {
				Filenames []string
				Regions   [][]int // line, column, end, its column, hits, file, file that it is expanded in, kind
			}
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	for _, data := range report.Data {
		for _, function := range data.Functions {
			for _, r := range function.Regions {
				handsOn := r[0] == r[2] && r[3] == r[1]+1 // the sign ?, which hands an error on
				if code := r[7] == 0; code && !handsOn {
					c.add(function.Filenames[r[5]], r[0], fmt.Sprint(r[:4]), r[4])
				}
			}
		}
	}
	return nil
}

// line is one of a port's that is not reached, or not in every branch.
type line struct {
	file   string // below the folder of the ports
	number int
	text   string
}

// below counts the lines of the files below a folder, and returns those that are not reached in every part, in order.
func (c coverage) below(folder string) (lines int, unreached []line, err error) {
	for _, file := range slices.Sorted(maps.Keys(c)) {
		name, ok := within(folder, file)
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return 0, nil, fmt.Errorf("read what was covered: %w", err)
		}
		source := strings.Split(string(text), "\n")
		for number, parts := range c[file] {
			lines++
			if number >= 1 && slices.Min(slices.Collect(maps.Values(parts))) == 0 && number <= len(source) {
				unreached = append(unreached, line{name, number, strings.TrimSpace(source[number-1])})
			}
		}
	}
	slices.SortFunc(unreached, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number))
	})
	if lines == 0 {
		return 0, nil, fmt.Errorf("the reports say nothing of a file below %s", folder)
	}
	return lines, unreached, nil
}

// within returns a file's path below a folder. Reports have it from the root, from the folder that the tool was started
// in, or from the module.
func within(folder, file string) (string, bool) {
	_, name, found := strings.Cut("/"+filepath.ToSlash(file), "/"+folder+"/")
	return name, found
}
