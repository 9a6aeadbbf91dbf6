//! The kernels of `kernels/*.cu` against the operations of the CPU, without a GPU.
//!
//! A C++ compiler makes a program of them in which fibers stand for threads (`kernels/emulator`). Every
//! kernel runs on made-up numbers, in all types, in odd shapes, with outputs full of not-a-numbers, and
//! with its threads in more than one order.
//!
//! Where there is no C++ compiler the tests say so and pass. `CXX` names another than `c++`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod attention;
mod emulator;
mod experts;
mod head;
mod layers;
mod number;
mod widen;
