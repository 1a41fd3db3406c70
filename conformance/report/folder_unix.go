//go:build unix

package report

import (
	"errors"
	"os"
)

// syncFolder makes a renaming within the folder last through a crash.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
