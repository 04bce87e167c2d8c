"""How the shipped models and the result tables were made; not part of the wheel."""
