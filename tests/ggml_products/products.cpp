// Products of quantised weights with rounded inputs as ggml computes them, as JSON on stdout: what `--activations q8` is
// compared with. Weights and inputs are made up here; `make.sh` compiles and runs this beside a built llama.cpp.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"

static const int INPUTS = 512, OUTPUTS = 5, ROWS = 3;

// Between −1 and 1, some of it larger: splitmix64.
static float drawn(uint64_t & state) {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    const float number = (float) (z >> 40) / (1 << 23) - 1.0f;
    return z % 37 == 0 ? 5 * number : number;
}

static void print_numbers(const char * name, const std::vector<float> & numbers) {
    printf("  \"%s\": [", name);
    for (size_t i = 0; i < numbers.size(); i++) {
        printf("%s%.9g", i ? ", " : "", numbers[i]);
    }
    printf("]");
}

int main() {
    const ggml_type types[] = {GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q8_0,
                               GGML_TYPE_Q2_K, GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K};
    const char * names[] = {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2K", "Q3K", "Q4K", "Q5K", "Q6K"};
    uint64_t state = 20240501;
    std::vector<float> weights(INPUTS * OUTPUTS), inputs(INPUTS * ROWS);
    for (float & number : weights) number = drawn(state);
    for (float & number : inputs) number = drawn(state);
    // A block of zeros.
    for (int i = 0; i < 256; i++) inputs[i] = 0;
    ggml_backend_t cpu = ggml_backend_cpu_init();
    ggml_backend_cpu_set_n_threads(cpu, 1);
    printf("{\n");
    print_numbers("inputs", inputs);
    for (int t = 0; t < 10; t++) {
        ggml_init_params params{ggml_tensor_overhead() * 8 + ggml_graph_overhead(), nullptr, true};
        ggml_context * context = ggml_init(params);
        ggml_tensor * matrix = ggml_new_tensor_2d(context, types[t], INPUTS, OUTPUTS);
        ggml_tensor * rows = ggml_new_tensor_2d(context, GGML_TYPE_F32, INPUTS, ROWS);
        ggml_tensor * product = ggml_mul_mat(context, matrix, rows);
        ggml_cgraph * graph = ggml_new_graph(context);
        ggml_build_forward_expand(graph, product);
        ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(context, cpu);
        std::vector<uint8_t> blocks(ggml_nbytes(matrix));
        ggml_quantize_chunk(types[t], weights.data(), blocks.data(), 0, OUTPUTS, INPUTS, nullptr);
        ggml_backend_tensor_set(matrix, blocks.data(), 0, blocks.size());
        ggml_backend_tensor_set(rows, inputs.data(), 0, inputs.size() * sizeof(float));
        ggml_backend_graph_compute(cpu, graph);
        std::vector<float> products(OUTPUTS * ROWS);
        ggml_backend_tensor_get(product, products.data(), 0, products.size() * sizeof(float));
        printf(",\n  \"%s\": {\n  \"blocks\": \"", names[t]);
        for (uint8_t byte : blocks) printf("%02x", byte);
        printf("\",\n");
        print_numbers("products", products);
        printf("\n  }");
        ggml_backend_buffer_free(buffer);
        ggml_free(context);
    }
    printf("\n}\n");
    ggml_backend_free(cpu);
}
