//! Languages of models: source text to state spaces.
