"""The cases, a module for each command."""
