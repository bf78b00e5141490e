"""Every compiled loop of the package: loose arrays in, an ``out`` array filled; numpy and numba only."""
