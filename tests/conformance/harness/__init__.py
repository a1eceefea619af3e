"""One suite, two servers: a case is a script of requests, played on the real and on the embedded API server.

`script` says what is asked, `servers` ask it, `play` writes down what came back, `transcript` makes two runs comparable
(`masks` lists what may differ), and `test_cases.py` compares.
"""
