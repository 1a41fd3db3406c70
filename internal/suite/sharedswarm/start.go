package sharedswarm

import (
	"context"
	"fmt"
	"reflect"

	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/spec"
)

// Start starts n instances of a port. That they describe themselves differently is the adapter's fault.
func Start(ctx context.Context, group *launch.Group, target launch.Target, n int) ([]spec.Port, error) {
	swarm := make([]spec.Port, n)
	var first spec.Description
	for i := range swarm {
		port, err := group.Start(ctx, target, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = port.Description
		} else if !reflect.DeepEqual(first, port.Description) {
			return nil, fmt.Errorf("the adapter is at fault: instance %d describes itself otherwise than instance 1 (PR-11)",
				i+1)
		}
		swarm[i] = port.Adapter
	}
	return swarm, nil
}
