package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// wheel returns the program of a platform as a wheel for Python's installers, which put it among the scripts: it needs
// no Python to run. Beside it is the plugin of pytest.
func wheel(p platform, binary, licence []byte) (packaged, error) {
	info := fmt.Sprintf("loopstone-%s.dist-info/", version)
	var tags strings.Builder
	for _, tag := range p.wheel {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
	}
	plugin, err := source("python", "loopstone_pytest.py", 0o644)
	if err != nil {
		return packaged{}, err
	}
	files := []entry{
		plugin,
		{fmt.Sprintf("loopstone-%s.data/scripts/%s", version, p.program()), binary, 0o755},
		{info + "licenses/LICENSE", licence, 0o644},
		{info + "METADATA", []byte("Metadata-Version: 2.1\nName: loopstone\nVersion: " + version + "\n" +
			"Summary: Conformance suite for agent loop detectors\nLicense: MIT\n" +
			"Project-URL: Repository, https://github.com/loopstone/loopstone\nRequires-Python: >=3.7\n" +
			"Description-Content-Type: text/markdown\n\n" + string(readme)), 0o644},
		{info + "entry_points.txt", []byte("[pytest11]\nloopstone = loopstone_pytest\n"), 0o644},
		{info + "WHEEL", []byte("Wheel-Version: 1.0\nGenerator: loopstone\nRoot-Is-Purelib: false\n" + tags.String()), 0o644},
	}
	record := info + "RECORD"
	var lines strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&lines, "%s,,\n", record)
	content, err := zipped(append(files, entry{record, []byte(lines.String()), 0o644}))
	return packaged{fmt.Sprintf("loopstone-%s-py3-none-%s.whl", version, strings.Join(p.wheel, ".")), content}, err
}

// zipped returns the files as a zip archive.
func zipped(files []entry) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: epoch}
		head.ExternalAttrs = uint32(0o100000|f.mode) << 16 // installers read from it that the program can be executed
		w, err := archive.CreateHeader(head)
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return b.Bytes(), err
}
