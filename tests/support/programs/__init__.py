"""Random programs: `writer` makes them, `calls` says what they call, `laws` runs them in both modes."""
