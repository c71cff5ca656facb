// Tasks on the threads of XLA.

#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>

#include "xla/ffi/api/ffi.h"

namespace {

// Run tasks on the threads of XLA. The caller takes part, and waits only for tasks that have begun, so it never waits for a
// thread that waits for it. What a task throws is thrown here, once all have ended.
inline void Run(xla::ffi::ThreadPool& pool, int64_t tasks, std::function<void(int64_t)> task) {
  struct Work {
    std::function<void(int64_t)> task;
    int64_t tasks;
    std::atomic<int64_t> next{0};
    std::mutex mutex;
    std::condition_variable all_done;
    int64_t done = 0;
    std::exception_ptr failure;

    void Take() {
      int64_t mine = 0;
      std::exception_ptr thrown;
      for (int64_t i; (i = next.fetch_add(1)) < tasks; ++mine) {
        try {
          task(i);
        } catch (...) {
          thrown = std::current_exception();
        }
      }
      if (mine == 0) return;
      std::lock_guard<std::mutex> lock(mutex);
      if (thrown) failure = thrown;
      if ((done += mine) == tasks) all_done.notify_all();
    }
  };
  auto work = std::make_shared<Work>();
  work->task = std::move(task);
  work->tasks = tasks;
  int64_t helpers = std::min<int64_t>(pool.num_threads(), tasks) - 1;
  for (int64_t i = 0; i < helpers; ++i) pool.Schedule([work] { work->Take(); });
  work->Take();
  std::unique_lock<std::mutex> lock(work->mutex);
  work->all_done.wait(lock, [&] { return work->done == tasks; });
  if (work->failure) std::rethrow_exception(work->failure);
}

// `Call` calls a function and returns what it throws as an error of XLA: an exception that leaves a kernel ends the process.
template <auto kFunction>
struct Safe;

template <typename... Arguments, void (*kFunction)(Arguments...)>
struct Safe<kFunction> {
  static xla::ffi::Error Call(Arguments... arguments) {
    try {
      kFunction(arguments...);
      return xla::ffi::Error::Success();
    } catch (const std::bad_alloc&) {
      return xla::ffi::Error(xla::ffi::ErrorCode::kResourceExhausted, "sporax: out of memory in a kernel");
    }
  }
};

}  // namespace
