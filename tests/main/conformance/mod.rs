//! Monty's own simulator, recorded: the files of `tests/conformance/mujoco`, replayed over the wire under compat `mujoco`.
//!
//! `SACCADE_CONFORMANCE` names another folder of `monty-golden/1` files. `SACCADE_MESHES` names the folder of their meshes, in
//! the layout of Monty's simulator; without it the files that need one are left out.

pub mod golden;
mod images;
mod points;
mod recorded;
mod silhouettes;
mod stage;
pub mod states;
