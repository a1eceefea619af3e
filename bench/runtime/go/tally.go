package main

import (
	"encoding/json"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// tally knows which objects are done, of how many.
type tally struct {
	mutex sync.Mutex
	count int
	names map[string]struct{}
}

func newTally(count int) *tally {
	return &tally{count: count, names: make(map[string]struct{}, count)}
}

// add notes an object, and tells whether it was the last one.
func (t *tally) add(name string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if _, there := t.names[name]; there {
		return false
	}
	t.names[name] = struct{}{}
	return len(t.names) == t.count
}

// finish prints the result and ends the process, which has no more to do.
func finish(delays []float64) {
	result := map[string]any{"done": monotonic()}
	if delays != nil {
		result["delays"] = delays
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fatal(err)
	}
	os.Exit(0)
}

func monotonic() float64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		fatal(err)
	}
	return float64(now.Nano()) / 1e9
}
