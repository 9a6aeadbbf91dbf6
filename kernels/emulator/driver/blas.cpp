// A stand-in for libcublas.so.13 and libcurand.so.10: products are sums in f32.

#include "../emulator.h"

#include <memory>
#include <random>
#include <type_traits>

#include "../../numbers.cuh"
#include "devices.h"
#include "journal.h"

namespace {

enum Status : int {
  SUCCESS = 0,
  NOT_INITIALIZED = 1,
  INVALID_VALUE = 7,
  EXECUTION_FAILED = 13,
  NOT_SUPPORTED = 15,
};
enum Number : int { R_32F = 0, R_16F = 2, R_16BF = 14 };
constexpr int COMPUTE_32F = 68;

struct Handle {
  void *stream;
};

struct Generator {
  void *stream;
  std::shared_ptr<std::mt19937> numbers;
};

size_t size_of(int type) { return type == R_32F ? 4 : 2; }

float number(const void *numbers, int type, size_t place) {
  switch (type) {
    case R_32F: return static_cast<const float *>(numbers)[place];
    case R_16F: return widen(static_cast<const f16 *>(numbers)[place]);
    default: return widen(static_cast<const bf16 *>(numbers)[place]);
  }
}

void set_number(void *numbers, int type, size_t place, float value) {
  switch (type) {
    case R_32F: static_cast<float *>(numbers)[place] = value; break;
    case R_16F: static_cast<f16 *>(numbers)[place] = narrow<f16>(value); break;
    default: static_cast<bf16 *>(numbers)[place] = narrow<bf16>(value);
  }
}

// A matrix by columns, `stride` apart.
struct Matrix {
  const void *numbers;
  int type, stride;

  // Its rows of `depth` numbers, or its columns, one below the other.
  std::vector<float> vectors(int count, int depth, bool rows) const {
    std::vector<float> vectors(size_t(count) * depth);
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < depth; k++) {
        const size_t place = rows ? i + size_t(k) * stride : k + size_t(i) * stride;
        vectors[size_t(i) * depth + k] = number(numbers, type, place);
      }
    }
    return vectors;
  }
};

float product(const float *a, const float *b, int depth) {
  float sum = 0;
  for (int k = 0; k < depth; k++) sum += a[k] * b[k];
  return sum;
}

bool is_known(int type) { return type == R_32F || type == R_16F || type == R_16BF; }

size_t bytes_of(int columns, int rows, int stride, int type) {
  return columns == 0 ? 0 : (size_t(columns - 1) * stride + rows) * size_of(type);
}

}  // namespace

extern "C" {

// EMULATED_CUBLAS is the version of cuBLAS (13); cuRAND's is 10.
int cublasGetProperty(int property, int *value) {
  *value = property == 0 ? static_cast<int>(setting("EMULATED_CUBLAS", 13)) : 0;
  return SUCCESS;
}
int curandGetProperty(int property, int *value) {
  *value = property == 0 ? 10 : 0;
  return SUCCESS;
}

int cublasCreate_v2(Handle **handle) {
  *handle = new Handle{nullptr};
  return device_of(nullptr) == nullptr ? NOT_INITIALIZED : SUCCESS;
}
int cublasDestroy_v2(Handle *handle) {
  delete handle;
  return SUCCESS;
}
int cublasSetStream_v2(Handle *handle, void *stream) {
  handle->stream = stream;
  return SUCCESS;
}

// C = alpha · op(A) · op(B) + beta · C, m × n, of `batches` matrices; beta is 0 or 1.
int cublasGemmStridedBatchedEx(const Handle *handle, int turned_a, int turned_b, int m, int n, int k,
                               const float *alpha, const char *a, int type_a, int stride_a,
                               long long step_a, const char *b, int type_b, int stride_b,
                               long long step_b, const float *beta, char *c, int type_c,
                               int stride_c, long long step_c, int batches, int compute, int) {
  if (compute != COMPUTE_32F || (*beta != 0 && *beta != 1) || type_a != type_b || !is_known(type_a) ||
      !is_known(type_c) || (type_c != R_32F && type_c != type_a))
    return NOT_SUPPORTED;
  if (m < 0 || n < 0 || k < 0 || stride_a < std::max(1, turned_a ? k : m) ||
      stride_b < std::max(1, turned_b ? n : k) || stride_c < std::max(1, m))
    return INVALID_VALUE;
  const Device *const device = device_of(handle->stream);
  if (device == nullptr || device != device_of(nullptr)) return NOT_INITIALIZED;
  if (device->is_broken) return EXECUTION_FAILED;
  emulator::kernel_name = "cublasGemm";
  note(device, "product %d %d %d", m, n, k);
  for (int batch = 0; batch < batches; batch++) {
    const char *const own_a = a + batch * step_a * static_cast<long long>(size_of(type_a));
    const char *const own_b = b + batch * step_b * static_cast<long long>(size_of(type_b));
    char *const own_c = c + batch * step_c * static_cast<long long>(size_of(type_c));
    check_memory(handle->stream, own_a, bytes_of(turned_a ? m : k, turned_a ? k : m, stride_a, type_a));
    check_memory(handle->stream, own_b, bytes_of(turned_b ? k : n, turned_b ? n : k, stride_b, type_b));
    check_memory(handle->stream, own_c, bytes_of(n, m, stride_c, type_c));
    ask(handle->stream, "cublasGemm", [=, alpha = *alpha, beta = *beta] {
      const auto left = Matrix{own_a, type_a, stride_a}.vectors(m, k, !turned_a);
      const auto right = Matrix{own_b, type_b, stride_b}.vectors(n, k, turned_b);
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          const size_t place = i + size_t(j) * stride_c;
          float sum = alpha * product(&left[size_t(i) * k], &right[size_t(j) * k], k);
          // What is there may be no number unless it is asked for.
          if (beta != 0) sum += number(own_c, type_c, place);
          set_number(own_c, type_c, place, sum);
        }
      }
    });
  }
  return SUCCESS;
}
int cublasGemmEx(const Handle *handle, int turned_a, int turned_b, int m, int n, int k,
                 const float *alpha, const char *a, int type_a, int stride_a, const char *b,
                 int type_b, int stride_b, const float *beta, char *c, int type_c, int stride_c,
                 int compute, int algorithm) {
  return cublasGemmStridedBatchedEx(handle, turned_a, turned_b, m, n, k, alpha, a, type_a, stride_a,
                                    0, b, type_b, stride_b, 0, beta, c, type_c, stride_c, 0, 1,
                                    compute, algorithm);
}

int curandCreateGenerator(Generator **generator, int) {
  *generator = new Generator{nullptr, std::make_shared<std::mt19937>()};
  return SUCCESS;
}
int curandDestroyGenerator(Generator *generator) {
  delete generator;
  return SUCCESS;
}
int curandSetStream(Generator *generator, void *stream) {
  generator->stream = stream;
  return SUCCESS;
}
int curandSetPseudoRandomGeneratorSeed(Generator *generator, unsigned long long seed) {
  generator->numbers->seed(static_cast<uint32_t>(seed));
  return SUCCESS;
}
int curandGenerateUniform(Generator *generator, float *numbers, size_t count) {
  check_memory(generator->stream, numbers, count * sizeof(float));
  ask(generator->stream, "curandGenerateUniform", [=, from = generator->numbers] {
    for (size_t i = 0; i < count; i++) numbers[i] = ((*from)() >> 8) * 0x1p-24f;
  });
  return SUCCESS;
}

}  // extern "C"
