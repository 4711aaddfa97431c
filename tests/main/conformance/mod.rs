//! Monty's own simulator, recorded: the files of `tests/conformance/mujoco`, replayed over the wire under compat `mujoco`.
//!
//! `SACCADE_CONFORMANCE` names another folder of `monty-golden/1` files.

mod golden;
mod images;
mod points;
mod recorded;
mod stage;
mod states;
