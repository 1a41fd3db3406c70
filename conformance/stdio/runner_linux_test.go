package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// runnerEnv tells this binary to be a runner, which starts an adapter that heeds nothing but SIGKILL.
const runnerEnv = "LOOPSTONE_RUNNER"

func init() {
	if os.Getenv(runnerEnv) == "" || os.Getenv(faultyadapter.Env) != "" {
		return
	}
	command, err := faultyadapter.Command("stubborn")
	if err == nil {
		_, err = stdio.Start(context.Background(), command, stdio.Options{})
	}
	fmt.Println(err)
	time.Sleep(patience)
	os.Exit(1)
}

// A runner that is killed cannot end its adapters; the kernel does.
func TestNoAdapterSurvivesItsRunner(t *testing.T) {
	t.Parallel()
	command, mark := catch(t, "stubborn")
	runner := exec.Command(command.Path)
	runner.Env = append(append(os.Environ(), command.Env...), faultyadapter.Env+"=", runnerEnv+"=1")
	output, err := runner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Errorf("the runner says %q, %v", line, err)
	}
	if err := runner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = runner.Wait() // it was killed
	expectGone(t, mark)
}
