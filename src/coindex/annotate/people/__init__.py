"""Accounts, roles and limits on password guessing."""
