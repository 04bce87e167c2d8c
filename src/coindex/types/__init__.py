"""The data model: `Document`, `Problem`, and the types of their fields."""
