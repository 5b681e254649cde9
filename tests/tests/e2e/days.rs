//! Whole days of persons who don't sit at a desktop of their own, each at the default settings but for the flags that it
//! names: what they do next is told at each step, and nothing that was asked or answered is lost on the way.

mod container;
mod input;
mod restarts;
mod service;
mod ssh;
mod vnc;
