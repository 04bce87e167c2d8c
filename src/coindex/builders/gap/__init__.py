"""Parts of the GAP builder."""
