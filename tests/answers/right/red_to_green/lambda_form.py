"""A lambda."""

slope = lambda x: x.square() * 3  # noqa: E731
