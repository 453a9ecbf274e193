"""From the text in `sources/` to the notebooks of `chapters/`, `exercises/` and `solutions/`."""
