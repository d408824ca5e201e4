//! The command as its users meet it, the documents, and the tidiness of the repository's sources.

mod check;
mod checkpointed;
mod claims;
mod common;
mod debug_page;
mod erlang;
mod graph;
mod help;
mod interrupted;
mod ltl;
mod model_pages;
mod models;
mod options;
mod show;
mod simulate;
mod streams;
mod tidy;
mod transcripts;
mod watch;
mod watch_naive;
