"""`python -m konverge.cli`: the command for where no program `konverge` is on the path."""

from konverge.cli import main

if __name__ == "__main__":
    main()
