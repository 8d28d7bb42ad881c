//! What holds for every machine that can be described.

mod topology;
