// Package v1 holds the types of ../../python/marker_kinds.py, written in Go for controller-gen to read.
//
// +groupName=markers.konverge.dev
// +versionName=v1
package v1
