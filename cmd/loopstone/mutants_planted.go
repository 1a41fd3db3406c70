//go:build mutants

package main

import "github.com/loopstone/loopstone/conformance/strength/mutant"

func init() { chooseMutant = mutant.Set }
