// The module xpose._xpose: the library under Python's names. Its callers are the files beside
// __init__.py, which have the documentation.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "describe.hpp"
#include "exchange.hpp"
#include "interpreter_lock.hpp"
#include "mover.hpp"
#include "numpy.hpp"
#include "prepared.hpp"
#include "routes.hpp"
#include "xla_handler.hpp"

namespace xpose::python {
namespace {

using namespace nb::literals;

// The exceptions of the module, by the kinds of errors. Never freed, as python_side().
struct Exceptions {
  nb::object error, no_strategy, device, wrong;
};
Exceptions& exceptions() {
  static auto* const all = new Exceptions;
  return *all;
}

PyObject* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return PyExc_ValueError;
    case ErrorKind::no_memory:
      return PyExc_MemoryError;
    case ErrorKind::no_strategy:
      return exceptions().no_strategy.ptr();
    case ErrorKind::device:
      return exceptions().device.ptr();
    case ErrorKind::wrong:
      return exceptions().wrong.ptr();
    default:
      return exceptions().error.ptr();
  }
}

void define_exceptions(nb::module_& m) {
  const auto define = [&](const char* name, const char* text, nb::handle base) {
    const std::string full = std::string("xpose.") + name;
    nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), text, base.ptr(), nullptr));
    m.attr(name) = made;
    return made;
  };
  Exceptions& all = exceptions();
  all.error = define("Error", "A failure of files, processes or threads.", PyExc_RuntimeError);
  all.no_strategy = define("NoStrategyError", "No strategy serves the problem.", all.error);
  all.device = define("DeviceError", "A device is missing, or reported an error.", all.error);
  all.wrong =
      define("WrongResultError", "Every strategy for the problem failed verification.", all.error);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyErr_SetObject(exception_of(error.kind()), text_of(error.what()).ptr());
    }
  });
}

// A fault that did not stop a call becomes a warning of Python's.
void warn(std::string_view text) {
  const Locked lock;
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%U", text_of(text).ptr()) != 0)
    PyErr_WriteUnraisable(nullptr);
}

std::string path_of(const nb::bytes& path) { return {path.c_str(), path.size()}; }

void construct_engine(Mover* self, const std::vector<nb::bytes>& plugin_folders, unsigned threads,
                      const nb::bytes& worker, const nb::bytes& cache, bool remember,
                      bool in_process, double stage_seconds) {
  EngineOptions options;
  for (const nb::bytes& folder : plugin_folders)
    options.plugin_folders.emplace_back(path_of(folder));
  options.threads = threads;
  options.worker = path_of(worker);
  options.cache = path_of(cache);
  options.remember = remember;
  options.in_process = in_process;
  options.stage_seconds = stage_seconds;
  options.warn = warn;
  const Unlocked unlocked;
  new (self) Mover(options);
}

// `target` is a layout, the address of a dense one, or None for one that is not there yet.
Layout target_of(const nb::object& target, const Layout& in, const Axes& shape) {
  if (PyTuple_Check(target.ptr()) != 0) {
    Layout out = layout_of(nb::borrow<nb::tuple>(target));
    if (out.writable) return out;
    throw Error(ErrorKind::invalid, "out is read-only; pass one that is not");
  }
  Layout out = dense(shape, in.element_bytes, in.device);
  if (!target.is_none()) out.address = pointer(target);
  return out;
}

bool is_in_place(const Layout& in, const Layout& out) {
  return in.address == out.address && in.address != nullptr;
}

void move(Mover& mover, const nb::tuple& source, nb::handle axes, const nb::object& target,
          nb::handle stream, const std::string& policy) {
  const Layout in = layout_of(source);
  const Axes order = order_of(axes, in.extents.size());
  mover.move(in, target_of(target, in, permuted(in.extents, order)), order, pointer(stream),
             parse_policy(policy));
}

PreparedPlan prepare(Mover& mover, const nb::tuple& source, nb::handle axes,
                     const nb::object& target, const std::string& policy, double budget) {
  const Layout in = layout_of(source);
  const Axes order = order_of(axes, in.extents.size());
  const Layout out = target_of(target, in, permuted(in.extents, order));
  PlanOptions options;
  options.policy = parse_policy(policy);
  options.tune.budget_seconds = budget;
  return {mover, in, out, order, is_in_place(in, out), options};
}

void execute_plan(const PreparedPlan& plan, const nb::tuple& source, const nb::object& target,
                  nb::handle stream) {
  const Layout in = layout_of(source);
  plan.execute(in, target_of(target, in, plan.shape()), pointer(stream));
}

Problem aligned_problem(const nb::tuple& source, nb::handle axes, const nb::object& target) {
  const Layout in = layout_of(source);
  const Axes order = order_of(axes, in.extents.size());
  const Layout out = target_of(target, in, permuted(in.extents, order));
  const bool in_place = is_in_place(in, out);
  if (in.is_empty() || (in_place && stays(in, out, order))) return nothing_of(in);
  Problem problem = problem_of(in, out, order, in_place);
  problem.in_alignment = alignment_for_plans(in.address, in.device.kind);
  problem.out_alignment = alignment_for_plans(out.address, out.device.kind);
  return problem;
}

std::string tune(Mover& mover, const nb::tuple& source, nb::handle axes, const nb::object& target,
                 double budget, int max_rounds, bool every_strategy, bool warm, bool whole,
                 const std::vector<std::string>& variants, const nb::object& progress) {
  const Problem problem = aligned_problem(source, axes, target);
  Interruption interruption;
  TuneOptions options;
  options.budget_seconds = budget;
  options.max_rounds = max_rounds;
  options.every_strategy = every_strategy;
  options.warm = warm;
  options.whole = whole;
  for (const std::string& variant : variants) options.variants.push_back(parse_variant(variant));
  options.interrupted = [&] { return interruption.came(); };
  if (!progress.is_none())
    options.progress = [&](const Progress& state) {
      const Locked lock;
      try {
        staying([&] {
          progress(nb::str(state.stage.data(), state.stage.size()), state.done, state.total);
        });
      } catch (...) {
        interruption.keep();
      }
    };
  std::string json;
  {
    const Unlocked unlocked;
    json = tune_json(mover.engine().tune(problem, options));
  }
  interruption.raise();
  mover.choose_anew();
  forget_xla_plans();
  return json;
}

nb::dict explain_variant(Mover& mover, const nb::tuple& source, nb::handle axes,
                         const nb::object& target, const std::string& variant, bool measure) {
  Problem problem = aligned_problem(source, axes, target);
  if (problem.device.kind == DeviceKind::host) {  // its kernels run on the simulator
    problem.device = {DeviceKind::cuda, 0};
    problem.in_alignment = problem.out_alignment = 256;
  }
  ExplainOptions options;
  options.measure = measure;
  std::optional<Explanation> explanation;
  {
    const Unlocked unlocked;
    explanation = explain(mover.engine(), problem, parse_variant(variant), options);
  }
  return described(*explanation);
}

nb::list plugins(Mover& mover) {
  std::vector<PluginInfo> plugins;
  {
    const Unlocked unlocked;
    plugins = mover.engine().plugins();
  }
  return described(plugins);
}

// Waits for all work of a device: for libraries that cannot be told of a stream.
void synchronize(int ordinal) {
  static auto* const places = new std::map<int, DeviceMemory>;  // never freed: CUDA may be gone
  auto place = places->find(ordinal);
  if (place == places->end())
    place = places->emplace(ordinal, DeviceMemory({DeviceKind::cuda, ordinal}, 1)).first;
  const Unlocked unlocked;
  char byte = 0;
  place->second.download(&byte, 1);
}

void define_engine(nb::module_& m) {
  nb::class_<Mover>(m, "Engine")
      .def("__init__", &construct_engine, "plugin_folders"_a, "threads"_a, "worker"_a, "cache"_a,
           "remember"_a, "in_process"_a, "stage_seconds"_a)
      .def("permute", &permute, "x"_a.none(), "axes"_a.none(), "out"_a.none(), "stream"_a.none(),
           "policy"_a.none())
      .def("move", &move, "source"_a, "axes"_a.none(), "target"_a, "stream"_a, "policy"_a)
      .def("prepare", &prepare, "source"_a, "axes"_a.none(), "target"_a.none(), "policy"_a,
           "budget"_a)
      .def("tune", &tune, "source"_a, "axes"_a.none(), "target"_a.none(), "budget"_a,
           "max_rounds"_a, "every_strategy"_a, "warm"_a, "whole"_a, "variants"_a,
           "progress"_a.none())
      .def("explain", &explain_variant, "source"_a, "axes"_a.none(), "target"_a.none(), "variant"_a,
           "measure"_a)
      .def("plugins", &plugins);
}

void define_plan(nb::module_& m) {
  nb::class_<PreparedPlan>(m, "Plan",
                           "A variant bound to a layout of arrays. Made by `xpose.plan`.\n\n"
                           "Call it with an array of that layout, and optionally an output.")
      .def("__call__", &call, "x"_a.none(), "out"_a.none() = nb::none(), nb::kw_only(),
           "stream"_a.none() = nb::none(),
           "Move `x` to a new array, or to `out`. ValueError where a layout is another.")
      .def("execute", &execute_plan, "source"_a, "target"_a, "stream"_a)
      .def_prop_ro(
          "shape", [](const PreparedPlan& plan) { return plan.python_shape(); },
          "The result's shape.")
      .def_prop_ro("problem", &PreparedPlan::problem, "The problem in words.")
      .def_prop_ro("variant", &PreparedPlan::variant, "The variant, such as 'smem{tile=64}'.")
      .def_prop_ro("launch", &PreparedPlan::launch, "The launch in short.")
      .def_prop_ro("is_estimate", &PreparedPlan::is_estimate,
                   "True: nothing was measured on the problem.")
      .def("__repr__", [](const PreparedPlan& plan) {
        return "<xpose.Plan of " + plan.problem() + ": " + plan.variant() + ">";
      });
}

}  // namespace

NB_MODULE(_xpose, m) {
  nb::set_leak_warnings(false);  // a daemon thread keeps what it has to the end
  define_exceptions(m);
  define_engine(m);
  define_plan(m);
  define_arrays(m);
  define_routes(m);
  define_exchange(m);
  m.attr("__version__") = version();
  m.def(
      "policy_number",
      [](const std::string& policy) { return static_cast<int>(parse_policy(policy)); }, "policy"_a);
  m.def(
      "xla_handlers", [](Mover& mover) { return xla_handlers(mover.engine()); }, "engine"_a);
  m.def("synchronize", &synchronize, "ordinal"_a);
  m.def("devices", [] { return described(devices()); });
  m.def("cuda_unavailable_reason", &cuda_unavailable_reason);
  m.def("set_python_side", &set_python_side, "ndarray"_a, "empty"_a, "permute_other"_a,
        "call_other"_a);
}

}  // namespace xpose::python
