"""`python -m coindex` is the same as `coindex`."""

from coindex.cli import main

main()
