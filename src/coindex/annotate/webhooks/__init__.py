"""Webhooks: requests to addresses that a project's managers choose, when work is finished."""
