"""Tables, notes and plots, rendered as text, Markdown, LaTeX, HTML and JSON; the viewer page."""
