"""Long runs of many tasks: engines that process them, and parts on disk to resume from."""
