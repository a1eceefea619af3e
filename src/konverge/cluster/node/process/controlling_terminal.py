"""Becomes a program that has its standard input as its controlling terminal, as a shell wants it.

Only a process itself can take a terminal, after it has left its old session and before it becomes another program; so
this runs in between, as `python -I -S controlling_terminal.py PROGRAM ARGUMENT…`, with the standard library alone.
"""

from __future__ import annotations

import fcntl
import os
import sys
import termios


def main() -> None:
    """Take the terminal, then become the program."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - the caller's own command
    except OSError as error:
        sys.stderr.write(f'exec: "{sys.argv[1]}": {error.strerror}\r\n')
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
