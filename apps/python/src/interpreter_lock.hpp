#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace xpose::python {

// The end of a daemon thread's work: the interpreter is gone, and the process goes.
[[noreturn]] inline void stay() {
  while (true) pause();
}

// Before Python 3.14, an interpreter that ends also ends each daemon thread that waits for its
// lock: it unwinds the thread's frames. The first destructor or catch (...) of C++ on that way
// would abort the process. So the thread stays here, as it does since 3.14.
template <class Call>
decltype(auto) staying(const Call& call) {
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    stay();
  }
}

// The interpreter's lock is another thread's to take while this lives.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;  // takes it back once
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    staying([this] { PyEval_RestoreThread(thread_); });
  }

 private:
  PyThreadState* thread_;
};

// This thread, of Python's or not, has the interpreter's lock while this lives.
class Locked {
 public:
  Locked() : state_(staying(&taken)) {}
  Locked(const Locked&) = delete;  // gives it back once
  Locked& operator=(const Locked&) = delete;
  ~Locked() { PyGILState_Release(state_); }

 private:
  static bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
    return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
  }

  // An interpreter that has ended knows no thread any more, and crashes one that asks to be known.
  static PyGILState_STATE taken() {
    if (PyGILState_GetThisThreadState() == nullptr && is_ending()) stay();
    return PyGILState_Ensure();
  }

  PyGILState_STATE state_;
};

}  // namespace xpose::python
