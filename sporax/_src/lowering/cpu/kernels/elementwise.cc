// Chains of elementwise operations over many groups of arrays at once: the update of all Parameters by an optimizer.
//
// XLA compiles a loop for each group. Here a program, a list of operations, is interpreted: each operation computes a block of
// elements at a time, which stays in the first cache, so that memory is read and written once. No operation is fused with
// another, so each rounds by itself, on every processor.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "threads.h"
#include "vectors.h"

namespace ffi = xla::ffi;

namespace {

constexpr int64_t kBlock = 1024;    // elements of an operation
constexpr int64_t kOfTask = 32768;  // elements that a thread computes before it looks for other work

// In the order of `elementwise.OPERATORS`.
enum Operator : int64_t {
  kAdd, kSub, kMul, kDiv, kMax, kMin, kNeg, kAbs, kSign, kSqrt, kRsqrt, kGt, kGe, kLt, kLe, kEq, kNe, kSelect
};

// The condition, or the only operand, is `a`; the result may be one of the operands.
#define LOOP(value)                                   \
  _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] = (value); \
  return

FOR_EACH_PROCESSOR void Apply(int64_t op, const float* a, const float* b, const float* c, float* out, int64_t count) {
  switch (op) {
    case kAdd: LOOP(a[i] + b[i]);
    case kSub: LOOP(a[i] - b[i]);
    case kMul: LOOP(a[i] * b[i]);
    case kDiv: LOOP(a[i] / b[i]);
    case kMax: LOOP(a[i] > b[i] || a[i] != a[i] ? a[i] : b[i]);
    case kMin: LOOP(a[i] < b[i] || a[i] != a[i] ? a[i] : b[i]);
    case kNeg: LOOP(-a[i]);
    case kAbs: LOOP(std::fabs(a[i]));
    case kSign: LOOP(a[i] > 0 ? 1.0f : a[i] < 0 ? -1.0f : a[i]);
    case kSqrt: LOOP(__builtin_sqrtf(a[i]));
    case kRsqrt: LOOP(1.0f / __builtin_sqrtf(a[i]));
    case kGt: LOOP(a[i] > b[i] ? 1.0f : 0.0f);
    case kGe: LOOP(a[i] >= b[i] ? 1.0f : 0.0f);
    case kLt: LOOP(a[i] < b[i] ? 1.0f : 0.0f);
    case kLe: LOOP(a[i] <= b[i] ? 1.0f : 0.0f);
    case kEq: LOOP(a[i] == b[i] ? 1.0f : 0.0f);
    case kNe: LOOP(a[i] != b[i] ? 1.0f : 0.0f);
    default: LOOP(a[i] != 0 ? c[i] : b[i]);
  }
}

// A program: values are numbered, first the inputs, then the constants, then the results of the steps.
struct Program {
  struct Step {
    int64_t op, operands[3], result;  // positions among the values
  };

  int64_t inputs;
  std::vector<float> constants;
  std::vector<Step> steps;
  std::vector<int64_t> outputs;
  std::vector<int64_t> last;       // the last step that reads each value; the number of steps for an output
  std::vector<int64_t> registers;  // of each result of a step: blocks of results that are no longer needed are used again
  int64_t blocks = 0;

  Program(int64_t inputs, ffi::Span<const float> constants, ffi::Span<const int64_t> rows, ffi::Span<const int64_t> outputs)
      : inputs(inputs), constants(constants.begin(), constants.end()), outputs(outputs.begin(), outputs.end()) {
    const int64_t first = inputs + constants.size(), count = rows.size() / 4;
    last.assign(first + count, -1);
    for (int64_t s = 0; s < count; ++s) {
      const int64_t* row = rows.begin() + s * 4;
      steps.push_back({row[0], {row[1], row[2], row[3]}, first + s});
      for (int64_t operand : steps.back().operands) last[operand] = s;
    }
    for (int64_t output : this->outputs) last[output] = count;
    std::vector<int64_t> free;
    registers.resize(count);
    for (int64_t s = 0; s < count; ++s) {
      if (free.empty()) free.push_back(blocks++);
      registers[s] = free.back();
      free.pop_back();
      for (int64_t value = first; value <= first + s; ++value)
        if (last[value] == s) free.push_back(registers[value - first]);
    }
  }

  int64_t First() const { return inputs + constants.size(); }  // the value of the first step
};

struct Group {
  std::vector<const float*> inputs;
  std::vector<bool> is_scalar;
  std::vector<float*> outputs;
  int64_t size;

  // Return whether a step may write its result where the output belongs, which is one place. Its memory may be that of an
  // input: then no later step may read the input.
  bool MayWrite(const Program& program, size_t output) const {
    const int64_t step = program.outputs[output] - program.First();
    for (size_t o = 0; o < output; ++o)
      if (program.outputs[o] == program.outputs[output]) return false;
    for (int64_t i = 0; i < program.inputs; ++i)
      if (inputs[i] == outputs[output] && program.last[i] > step) return false;
    return step >= 0;
  }
};

// Compute the elements of a group from `begin` on, with memory for the blocks of inputs, constants and results.
void Compute(const Program& program, const Group& group, int64_t begin, int64_t end, float* memory) {
  const int64_t inputs = program.inputs, first = program.First();
  std::vector<float*> values(first + program.steps.size());
  for (int64_t v = 0; v < first; ++v) {
    values[v] = memory + v * kBlock;
    if (v >= inputs || group.is_scalar[v])
      std::fill_n(values[v], std::min(kBlock, end - begin), v < inputs ? *group.inputs[v] : program.constants[v - inputs]);
  }
  for (size_t s = 0; s < program.steps.size(); ++s)
    values[first + s] = memory + (first + program.registers[s]) * kBlock;
  std::vector<size_t> written, copied;  // outputs
  for (size_t o = 0; o < program.outputs.size(); ++o) (group.MayWrite(program, o) ? written : copied).push_back(o);
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t count = std::min(kBlock, end - at);
    for (int64_t v = 0; v < inputs; ++v)
      if (!group.is_scalar[v]) values[v] = const_cast<float*>(group.inputs[v]) + at;
    for (size_t o : written) values[program.outputs[o]] = group.outputs[o] + at;
    for (const Program::Step& step : program.steps)
      Apply(step.op, values[step.operands[0]], values[step.operands[1]], values[step.operands[2]], values[step.result], count);
    for (size_t o : copied) std::memcpy(group.outputs[o] + at, values[program.outputs[o]], count * sizeof(float));
  }
}

void Call(ffi::ThreadPool pool, ffi::RemainingArgs arguments, ffi::RemainingRets results, int64_t inputs,
          ffi::Span<const float> constants, ffi::Span<const int64_t> steps, ffi::Span<const int64_t> outputs) {
  const Program program(inputs, constants, steps, outputs);
  struct Part {
    int64_t group, begin, end;
  };
  std::vector<Group> groups(arguments.size() / inputs);
  std::vector<Part> parts;
  std::vector<int64_t> tasks{0};  // the first part of each
  int64_t elements = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    for (size_t o = 0; o < outputs.size(); ++o) {
      auto result = *results.get<ffi::AnyBuffer>(g * outputs.size() + o);
      group.outputs.push_back(static_cast<float*>(result->untyped_data()));
      group.size = result->element_count();
    }
    for (int64_t i = 0; i < inputs; ++i) {
      const auto argument = *arguments.get<ffi::AnyBuffer>(g * inputs + i);
      group.inputs.push_back(static_cast<const float*>(argument.untyped_data()));
      group.is_scalar.push_back(argument.dimensions().size() == 0);
    }
    for (int64_t begin = 0; begin < group.size; begin += kOfTask) {
      const int64_t end = std::min(group.size, begin + kOfTask);
      if (elements >= kOfTask) tasks.push_back(parts.size()), elements = 0;
      parts.push_back({static_cast<int64_t>(g), begin, end});
      elements += end - begin;
    }
  }
  tasks.push_back(parts.size());
  const auto task = [&](int64_t i) {
    const std::unique_ptr<float[]> memory(new float[(program.First() + program.blocks) * kBlock]);
    for (int64_t p = tasks[i]; p < tasks[i + 1]; ++p)
      Compute(program, groups[parts[p].group], parts[p].begin, parts[p].end, memory.get());
  };
  Run(pool, tasks.size() - 1, task);
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(elementwise_f32, Safe<Call>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<int64_t>("inputs")
                                  .Attr<ffi::Span<const float>>("constants")
                                  .Attr<ffi::Span<const int64_t>>("steps")
                                  .Attr<ffi::Span<const int64_t>>("outputs"));
