//! What front ends and the gate say to each other, from outside: how it is written, and who may command what.

mod control;
mod declared;
mod phrase;
