//go:build tools

// Package tools names the programs this module builds, so that go.mod and go.sum cover them.
package tools

import _ "github.com/google/go-jsonnet/cmd/jsonnet"
