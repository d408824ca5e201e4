//! The shared structures of the workers, under every interleaving of small programs.
