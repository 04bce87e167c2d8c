"""Drivers that trained the shipped models on a GPU, with plans, logs and scores."""
