// Command conformance holds the parts of Kubernetes' end-to-end suite whose tests can be run without a node, and
// runs those whose exact names it is given.
//
// It takes the flags of the suite, and two more:
//
//	-names FILE    run the tests of these names, one per line
//	-results FILE  write a line of JSON for each test that was run
//
// It ends with 0 if all that ran has passed; whether a name exists is for the caller to see in the results.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/test/conformance/testdata"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	"k8s.io/kubernetes/test/fixtures"

	// What is done before and after all tests, and the constants they share.
	_ "k8s.io/kubernetes/test/e2e"
	_ "k8s.io/kubernetes/test/e2e/feature"

	// The tests.
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/architecture"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common"
	_ "k8s.io/kubernetes/test/e2e/dra"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
	_ "k8s.io/kubernetes/test/e2e/storage"

	// What the framework leaves to packages that only register themselves.
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
	_ "k8s.io/kubernetes/test/utils/format"
)

// The suite's own name stands before each test's when ginkgo looks for what is asked for.
const suiteName = "conformance"

var (
	namesFile   = flag.String("names", "", "a file with the name of a test on each line: only these are run")
	resultsFile = flag.String("results", "", "where to write a line of JSON for each test that was run")
)

// Result is what became of one test, or of what is done before or after all of them.
type Result struct {
	Name    string  `json:"name"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Failure string  `json:"failure"`
}

// verdict stands where `go test` would: this is an ordinary program.
type verdict struct{ failed bool }

func (v *verdict) Fail() { v.failed = true }

func main() {
	readFlags()
	logs.InitLogs()
	klog.EnableContextualLogging(true)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	if *namesFile != "" {
		suite.FocusStrings = focus(*namesFile)
		suite.SkipStrings = nil // else no test of a feature would run, though it is named
	}
	outcome := &verdict{}
	ginkgo.RunSpecs(outcome, suiteName, suite, reporter)
	logs.FlushLogs()
	if outcome.failed {
		os.Exit(1)
	}
}

func readFlags() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	testfiles.AddFileSource(manifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(fixtures.GetTestFixturesFS())
	testfiles.AddFileSource(testdata.GetConformanceTestdataFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
}

// focus returns expressions that match the names in a file, and nothing else.
func focus(file string) []string {
	content, err := os.ReadFile(file)
	if err != nil {
		stop(err)
	}
	var expressions []string
	for _, name := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		expressions = append(expressions, "^"+suiteName+" "+regexp.QuoteMeta(name)+"$")
	}
	return expressions
}

var _ = ginkgo.ReportAfterSuite("results", func(report ginkgo.Report) {
	if *resultsFile == "" {
		return
	}
	file, err := os.Create(*resultsFile)
	if err != nil {
		stop(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, spec := range report.SpecReports {
		if ran(spec) {
			if err := lines.Encode(resultOf(spec)); err != nil {
				stop(err)
			}
		}
	}
})

// ran tells the tests that began, and what failed around them, from the thousands that were not asked for.
func ran(spec ginkgo.SpecReport) bool {
	if spec.LeafNodeType != types.NodeTypeIt {
		return spec.State.Is(types.SpecStateFailureStates)
	}
	return spec.NumAttempts > 0 || spec.Failure.Message != ""
}

func resultOf(spec ginkgo.SpecReport) Result {
	name := spec.FullText()
	if name == "" {
		name = spec.LeafNodeType.String()
	}
	return Result{
		Name:    name,
		State:   spec.State.String(),
		Seconds: spec.RunTime.Seconds(),
		Failure: spec.Failure.Message,
	}
}

func stop(err error) {
	fmt.Fprintln(os.Stderr, "conformance:", err)
	os.Exit(2)
}
