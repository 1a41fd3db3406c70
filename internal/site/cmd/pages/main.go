// Pages writes the Markdown of the site into a folder, which it empties first.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/loopstone/loopstone/internal/site"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pages FOLDER")
		os.Exit(64)
	}
	if err := site.Write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
