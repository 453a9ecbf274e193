"""Kernels by fork from one warm process that has imported torch and computed nothing. Linux only."""
