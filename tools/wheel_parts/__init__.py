"""Parts of tools/wheels."""
