//go:build mutants

package main

import "github.com/loopstone/loopstone/internal/strength/mutant"

func init() { chooseMutant = mutant.Set }
