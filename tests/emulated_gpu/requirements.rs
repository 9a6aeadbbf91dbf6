//! GPUs and libraries that will not do are named before weights are read.

use super::gpu::EmulatedGpu;

#[test]
fn what_is_too_old_is_named_before_weights_are_read() {
    for (setting, value, words) in [
        ("EMULATED_GPU_CAPABILITY", 75, "compute capability 7.5"),
        ("EMULATED_DRIVER", 12_040, "CUDA 12.4"),
        ("EMULATED_CUBLAS", 12, "libcublas.so.13"),
    ] {
        let Some(gpu) = EmulatedGpu::new() else { return };
        let gpu = gpu.with(setting, &value);
        // There is no such model: whoever looked for weights first would say that.
        let output = gpu.run(&["bench", "--model", "nowhere", "--device", "cuda"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(words) && !errors.contains("nowhere"), "{errors}");

        let output = gpu.run(&["bench", "--model", "models/tiny-llama-bos", "--limit", "1"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        assert!(errors.contains("computing on the CPU") && errors.contains(words), "{errors}");
    }
}
