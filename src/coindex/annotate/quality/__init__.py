"""Agreement, adjudication, consensus, gold documents, training and the leaderboard."""
