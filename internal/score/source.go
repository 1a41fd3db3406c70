package score

import (
	"context"
	"errors"

	"github.com/loopstone/loopstone/internal/recording"
)

func (c *Corpus) read(ctx context.Context, path, format string, each func(*recording.Run, *Run) error) error {
	return errors.New("not yet")
}

func (c *Corpus) recordings(ctx context.Context, each func(*Run) error) error {
	return errors.New("not yet")
}
