// The kernels that candle brings along, as plain loops over the parameters that they take.
//
// Only those that this project's operations reach on a GPU. A launch of any other ends the program with
// its name.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "../../numbers.cuh"

namespace candle {

// Where number i of a tensor lies. `info` holds its dimensions and, further down, its strides; null for
// one that is contiguous.
struct Layout {
  size_t dimensions;
  const size_t *info, *strides;

  Layout(size_t dimensions, const size_t *info, size_t tensor = 0)
      : dimensions(dimensions), info(info), strides(info + (tensor + 1) * dimensions) {}

  size_t operator()(size_t number) const {
    if (info == nullptr) return number;
    size_t place = 0;
    for (size_t d = dimensions; d-- > 0; number /= info[d]) place += number % info[d] * strides[d];
    return place;
  }
};

inline double wide(uint32_t number) { return number; }
inline double wide(float number) { return number; }
inline double wide(double number) { return number; }
template <typename T> double wide(T number) { return widen(number); }
template <typename T> T narrowed(double number) { return narrow<T>(static_cast<float>(number)); }
template <> inline uint32_t narrowed(double number) { return static_cast<uint32_t>(number); }
template <> inline double narrowed(double number) { return number; }

template <typename T, typename U, typename Of>
void map(size_t count, const Layout &layout, const T *input, U *output, Of of) {
  for (size_t i = 0; i < count; i++) output[i] = narrowed<U>(of(wide(input[layout(i)])));
}

template <typename T, typename U>
void cast(size_t count, size_t dimensions, const size_t *info, const T *input, U *output) {
  map(count, {dimensions, info}, input, output, [](double x) { return x; });
}

template <typename T, double (*OF)(double)>
void unary(size_t count, size_t dimensions, const size_t *info, const T *input, T *output) {
  map(count, {dimensions, info}, input, output, OF);
}

template <typename T>
void affine(size_t count, size_t dimensions, const size_t *info, const T *input, T *output, T factor,
            T offset) {
  // 16-bit types round between the two steps.
  map(count, {dimensions, info}, input, output,
      [&](double x) { return wide(narrowed<T>(x * wide(factor))) + wide(offset); });
}

template <typename T, double (*OF)(double, double)>
void binary(size_t count, size_t dimensions, const size_t *info, const T *left, const T *right,
            T *output) {
  const Layout of_left(dimensions, info), of_right(dimensions, info, 1);
  for (size_t i = 0; i < count; i++)
    output[i] = narrowed<T>(OF(wide(left[of_left(i)]), wide(right[of_right(i)])));
}

template <typename T, bool (*OF)(double, double)>
void compare(size_t count, size_t dimensions, const size_t *info, const T *left, const T *right,
             uint8_t *output) {
  const Layout of_left(dimensions, info), of_right(dimensions, info, 1);
  for (size_t i = 0; i < count; i++) output[i] = OF(wide(left[of_left(i)]), wide(right[of_right(i)]));
}

template <typename T>
void choose(size_t count, size_t dimensions, const size_t *info, const uint8_t *is_first,
            const T *first, const T *second, T *output) {
  const Layout of_choice(dimensions, info), of_first(dimensions, info, 1),
      of_second(dimensions, info, 2);
  for (size_t i = 0; i < count; i++)
    output[i] = is_first[of_choice(i)] ? first[of_first(i)] : second[of_second(i)];
}

template <typename T>
void const_set(size_t count, size_t dimensions, const size_t *info, T value, T *output) {
  const Layout layout(dimensions, info);
  for (size_t i = 0; i < count; i++) output[layout(i)] = value;
}

template <typename T>
void copy2d(const T *source, T *target, uint32_t rows, uint32_t columns, uint32_t source_stride,
            uint32_t target_stride) {
  for (size_t row = 0; row < rows; row++)
    std::copy_n(source + row * source_stride, columns, target + row * target_stride);
}

template <typename T>
void index_select(size_t count, size_t, const size_t *, const uint32_t *ids, const T *input, T *output,
                  size_t, size_t of_source, size_t of_ids, size_t right) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t id = ids[i / right % of_ids];
    if (id >= of_source) emulator::fail("an index that is not there");
    output[i] = input[(i / (of_ids * right) * of_source + id) * right + i % right];
  }
}

template <typename T>
void index_add(const uint32_t *ids, size_t of_ids, const T *input, T *output, size_t left, size_t,
               size_t of_target, size_t right) {
  for (size_t l = 0; l < left; l++) {
    for (size_t i = 0; i < of_ids; i++) {
      if (ids[i] >= of_target) emulator::fail("an index that is not there");
      for (size_t r = 0; r < right; r++) {
        T &sum = output[(l * of_target + ids[i]) * right + r];
        sum = narrowed<T>(wide(sum) + wide(input[(l * of_ids + i) * right + r]));
      }
    }
  }
}

// A sum as a block of threads takes it: each of its own numbers, then halves of the threads. Sums of f16 are rounded to it at every
// step, as there; those of bf16 are f32 throughout, those of f32 too.
template <typename T> T block_sum(size_t first, size_t count, const Layout &layout, const T *input, size_t threads) {
  using Sum = std::conditional_t<std::is_same_v<T, bf16>, float, T>;
  const auto add = [](Sum a, Sum b) { return narrowed<Sum>(wide(a) + wide(b)); };
  std::vector<Sum> sums(threads, narrowed<Sum>(0.0));
  for (size_t i = 0; i < count; i++)
    sums[i % threads] = add(sums[i % threads], narrowed<Sum>(wide(input[layout(first + i)])));
  for (size_t half = threads / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++) sums[i] = add(sums[i], sums[i + half]);
  return narrowed<T>(wide(sums[0]));
}

// One block for each number of `output`; what is summed is last of the dimensions.
template <typename T>
void fast_sum(size_t count, size_t summed, size_t dimensions, const size_t *info, const T *input, T *output) {
  const Layout layout(dimensions, info);
  for (size_t i = 0; i * summed < count; i++)
    output[i] = block_sum(i * summed, summed, layout, input, blockDim.x);
}

// One thread for each of `count` numbers of `output`.
template <typename T>
void fast_sum_small(size_t count, size_t summed, size_t dimensions, const size_t *info, const T *input,
                    T *output) {
  const Layout layout(dimensions, info);
  for (size_t i = 0; i < count; i++) output[i] = block_sum(i * summed, summed, layout, input, 1);
}

template <typename T, bool (*IS_FURTHER)(double, double)>
void fast_extreme(size_t count, size_t compared, size_t dimensions, const size_t *info, const T *input,
                  T *output) {
  const Layout layout(dimensions, info);
  for (size_t i = 0; i * compared < count; i++) {
    T found = input[layout(i * compared)];
    for (size_t k = 1; k < compared; k++) {
      const T other = input[layout(i * compared + k)];
      if (IS_FURTHER(wide(other), wide(found))) found = other;
    }
    output[i] = found;
  }
}

// Rows of `columns` numbers, one block for each, computed in f32.
template <typename T> void softmax(const T *input, T *output, int columns) {
  for (size_t row = 0; row < gridDim.x; row++, input += columns, output += columns) {
    float highest = -INFINITY, total = 0;
    for (int i = 0; i < columns; i++) highest = fmaxf(highest, static_cast<float>(wide(input[i])));
    std::vector<float> powers(columns);
    for (int i = 0; i < columns; i++)
      total += powers[i] = expf(static_cast<float>(wide(input[i])) - highest);
    for (int i = 0; i < columns; i++) output[i] = narrowed<T>(powers[i] / total);
  }
}

inline bool greater(double a, double b) { return a > b; }
inline bool less(double a, double b) { return a < b; }
inline double square(double x) { return x * x; }
inline double negative(double x) { return -x; }
inline double inverse(double x) { return 1 / x; }
inline double sigmoid(double x) { return 1 / (1 + exp(-x)); }
inline double add(double a, double b) { return a + b; }
inline double subtract(double a, double b) { return a - b; }
inline double multiply(double a, double b) { return a * b; }
inline double divide(double a, double b) { return a / b; }

// Shows `add` the name and the function of each.
template <typename T, typename Add> void each_of_type(const std::string &type, Add add) {
  add("cast_" + type + "_f32", cast<T, float>);
  add("cast_" + type + "_f16", cast<T, f16>);
  add("cast_" + type + "_bf16", cast<T, bf16>);
  add("ucopy_" + type, cast<T, T>);
  add("ucos_" + type, unary<T, cos>);
  add("usin_" + type, unary<T, sin>);
  add("uexp_" + type, unary<T, exp>);
  add("usqr_" + type, unary<T, square>);
  add("usqrt_" + type, unary<T, sqrt>);
  add("uabs_" + type, unary<T, fabs>);
  add("uneg_" + type, unary<T, negative>);
  add("urecip_" + type, unary<T, inverse>);
  add("utanh_" + type, unary<T, tanh>);
  add("uerf_" + type, unary<T, erf>);
  add("ulog_" + type, unary<T, log>);
  add("usigmoid_" + type, unary<T, sigmoid>);
  add("affine_" + type, affine<T>);
  add("badd_" + type, binary<T, candle::add>);
  add("bsub_" + type, binary<T, subtract>);
  add("bmul_" + type, binary<T, multiply>);
  add("bdiv_" + type, binary<T, divide>);
  add("bmaximum_" + type, binary<T, fmax>);
  add("bminimum_" + type, binary<T, fmin>);
  add("gt_" + type, compare<T, greater>);
  add("lt_" + type, compare<T, less>);
  add("where_u8_" + type, choose<T>);
  add("const_set_" + type, const_set<T>);
  add("copy2d_" + type, copy2d<T>);
  add("ia_u32_" + type, index_add<T>);
  add("is_u32_" + type, index_select<T>);
  add("fast_sum_" + type, fast_sum<T>);
  add("fast_sum_small_" + type, fast_sum_small<T>);
  add("fast_max_" + type, fast_extreme<T, greater>);
  add("fast_min_" + type, fast_extreme<T, less>);
  add("softmax_" + type, softmax<T>);
}

template <typename Add> void each(Add add) {
  each_of_type<float>("f32", add);
  each_of_type<f16>("f16", add);
  each_of_type<bf16>("bf16", add);
  add("cast_u32_f32", cast<uint32_t, float>);
  add("ucopy_u32", cast<uint32_t, uint32_t>);
  add("const_set_u32", const_set<uint32_t>);
  add("copy2d_u32", copy2d<uint32_t>);
}

}  // namespace candle
