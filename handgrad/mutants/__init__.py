"""Right and wrong versions of well-known operations: what a check of custom Functions is measured on. See `bank`."""
