//! Nothing to build yet without device kernels: `kernels/*.cu` will be compiled here when the feature
//! `cuda` is on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
