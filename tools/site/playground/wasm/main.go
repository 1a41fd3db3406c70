//go:build js && wasm

// Command wasm is the playground for a browser: it gives the worker that starts it the function loopstone(method, …),
// which returns a JSON text with either result or error.
package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/site/playground"
)

// heapGrowth is by how many percent the heap grows before it is swept: a browser has one thread for both, and a trace
// that people read is judged before the first sweep.
const heapGrowth = 400

func main() {
	debug.SetGCPercent(heapGrowth)
	ground := playground.New(reference.Port())
	js.Global().Set("loopstone", js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := answer(ground, args)
		if err != nil {
			return spec.ObjectValue(spec.Member{Name: "error", Value: spec.StringValue(err.Error())}).String()
		}
		return spec.ObjectValue(spec.Member{Name: "result", Value: result}).String()
	}))
	select {} // the worker asks for as long as it lives
}

func answer(ground *playground.Playground, args []js.Value) (spec.Value, error) {
	switch method := args[0].String(); method {
	case "load":
		return ground.Load(args[1].String())
	case "judge":
		lanes, err := spec.ParseValue([]byte(args[2].String()))
		if err != nil {
			return spec.Value{}, fmt.Errorf("read the lanes: %w", err)
		}
		return ground.Judge(context.Background(), args[1].Int(), lanes)
	case "case":
		lane, err := spec.ParseValue([]byte(args[2].String()))
		if err != nil {
			return spec.Value{}, fmt.Errorf("read the lane: %w", err)
		}
		text, err := ground.Case(context.Background(), args[1].Int(), lane)
		return spec.StringValue(text), err
	default:
		return spec.Value{}, fmt.Errorf("there is no method %s", method)
	}
}
