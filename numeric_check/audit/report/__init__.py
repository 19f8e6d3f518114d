"""Reports of an audit: terminal, Markdown, HTML, and pictures."""
