// Layout writes the JSON that it reads as YAML, with the library that controller-gen writes with.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	var value any
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Print("---\n" + string(text))
}
