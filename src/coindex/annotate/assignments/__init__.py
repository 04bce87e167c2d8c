"""Who annotates which document next, with rankings and suggestions."""
