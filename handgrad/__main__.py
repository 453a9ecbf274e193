"""`python -m handgrad`, for where the command itself is not on the path."""

from handgrad.cli import main

main(prog_name="handgrad")
