module konverge.dev/bench/apiserver/load

go 1.26
