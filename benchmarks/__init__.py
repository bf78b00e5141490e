"""How fast each step is, beside other tools, and how accurate: measured in one run, never one without the other.

`adapters` is the table of what is compared; `pytest benchmarks` times it with pytest-benchmark, and
``python -m benchmarks.report`` (``make bench``) measures all of it, interleaved, with its accuracy, and rewrites
`results.csv`, the plots and the marked sections of the README.
"""
