// load puts a server under load as a Go client would, and prints what it saw as one line of JSON.
//
//	load create SERVER FOLDER COUNT WRITERS   creates objects; FOLDER has ca.crt, client.crt, client.key and body.json
//	load watch SERVER FOLDER COUNT WATCHERS   creates objects one after the other while watchers follow them
//
// %d in body.json is the number of the object. A watch event's delay is counted from the moment its create was sent.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const objects = "/apis/bench.konverge.dev/v1/namespaces/default/gadgets"

type load struct {
	server string
	body   string
	client *http.Client
}

func main() {
	mode, server, folder := os.Args[1], os.Args[2], os.Args[3]
	count, width := number(os.Args[4]), number(os.Args[5])
	l := &load{server: server, body: string(read(folder, "body.json")), client: client(folder, width)}
	switch mode {
	case "create":
		l.createAll(count, width)
	case "watch":
		l.follow(count, width)
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func read(folder, name string) []byte {
	data, err := os.ReadFile(filepath.Join(folder, name))
	check(err)
	return data
}

func client(folder string, width int) *http.Client {
	pair, err := tls.X509KeyPair(read(folder, "client.crt"), read(folder, "client.key"))
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(read(folder, "ca.crt"))
	config := &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: width + 1,
	}}
}

// createAll lets so many writers share the objects out among them.
func (l *load) createAll(count, writers int) {
	var next atomic.Int64
	var group sync.WaitGroup
	took := make([][]time.Duration, writers)
	started := time.Now()
	for writer := range writers {
		group.Go(func() {
			for index := next.Add(1) - 1; index < int64(count); index = next.Add(1) - 1 {
				sent := time.Now()
				l.create(int(index))
				took[writer] = append(took[writer], time.Since(sent))
			}
		})
	}
	group.Wait()
	seconds := time.Since(started).Seconds()
	all := []time.Duration{}
	for _, each := range took {
		all = append(all, each...)
	}
	report(map[string]any{"seconds": seconds, "per_second": float64(count) / seconds}, all)
}

func (l *load) create(index int) {
	body := strings.ReplaceAll(l.body, "%d", strconv.Itoa(index))
	response, err := l.client.Post(l.server+objects, "application/json", strings.NewReader(body))
	check(err)
	answer, err := io.ReadAll(response.Body)
	check(err)
	response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		check(fmt.Errorf("%d: %s", response.StatusCode, answer))
	}
}

// follow opens the watches, then creates one object at a time and waits until every watcher has seen it.
func (l *load) follow(count, watchers int) {
	seen := make(chan time.Time, watchers)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range watchers {
		l.watch(ctx, seen)
	}
	delays := []time.Duration{}
	for index := range count {
		sent := time.Now()
		l.create(1_000_000 + index)
		for range watchers {
			delays = append(delays, (<-seen).Sub(sent))
		}
	}
	report(map[string]any{}, delays)
}

func (l *load) watch(ctx context.Context, seen chan<- time.Time) {
	request, err := http.NewRequestWithContext(ctx, "GET", l.server+objects+"?watch=true&resourceVersion="+l.version(), nil)
	check(err)
	response, err := l.client.Do(request)
	check(err)
	go func() {
		lines := bufio.NewReaderSize(response.Body, 1<<16)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			if bytes.HasPrefix(line, []byte(`{"type":"ADDED"`)) {
				seen <- time.Now()
			}
		}
	}()
}

func (l *load) version() string {
	response, err := l.client.Get(l.server + objects + "?limit=1")
	check(err)
	defer response.Body.Close()
	list := struct{ Metadata struct{ ResourceVersion string } }{}
	check(json.NewDecoder(response.Body).Decode(&list))
	return list.Metadata.ResourceVersion
}

func report(figures map[string]any, took []time.Duration) {
	sort.Slice(took, func(a, b int) bool { return took[a] < took[b] })
	figures["p50_ms"] = float64(took[len(took)/2].Microseconds()) / 1000
	figures["p99_ms"] = float64(took[len(took)*99/100].Microseconds()) / 1000
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
