"""The Module itself, in the place where torch has it."""
