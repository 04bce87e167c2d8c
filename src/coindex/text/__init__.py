"""English text: tokens, sentences, mention classes, names, heads, parses."""
