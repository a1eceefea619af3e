"""Runs one program and prints, after what it printed itself, what it used: CPU seconds and peak memory.

    measure.py PROGRAM ARGUMENT…

A process of its own, and a small one: Linux counts what the parent held at the start towards the peak of a child.
"""

import json
import os
import sys
import time

started = time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
code = os.waitstatus_to_exitcode(status)
result = {"started": started, "cpu": used.ru_utime + used.ru_stime, "rss_mb": used.ru_maxrss / 1024, "code": code}
print(json.dumps(result))
