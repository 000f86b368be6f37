#include "plan.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

struct Speechless : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

xpose_status make_none(const xpose_problem*, const int64_t*, xpose_plan** plan, xpose_text) {
  *plan = reinterpret_cast<xpose_plan*>(plan);
  return XPOSE_OK;
}
xpose_status do_nothing(const xpose_plan*, const xpose_launch*, xpose_text) { return XPOSE_OK; }
void destroy_nothing(xpose_plan*) {}

// A strategy that is bound here without a plugin, and does what a plugin may not.
struct Wild {
  Wild() {
    functions.create = make_none;
    functions.launch = do_nothing;
    functions.destroy = destroy_nothing;
    strategy.functions = &functions;
    candidate.strategy = &strategy;
    candidate.variant.strategy = "wild";
  }
  Wild(const Wild&) = delete;  // points into itself

  BoundPlan bound() const {
    return {candidate, normal_form(matrix(5, 7, 4)), backend(Device{}).info(), 2};
  }
  // The Error of a launch, as Plan::execute lets it out.
  std::string said_by_launch(ErrorKind kind) const {
    const BoundPlan plan = bound();
    try {
      plan.launch(this, nullptr, nullptr, nullptr);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "nothing";
  }

  xpose_strategy functions{};
  Strategy strategy;
  Candidate candidate;
};

TEST(BoundPlan, WhatALaunchThrowsBecomesAnError) {
  Wild wild;
  const std::string through = "wild failed to launch: threw an exception through the ABI";
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw std::runtime_error("words");
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed), through + ": words");
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw 7;
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed), through);
}

TEST(BoundPlan, AnExceptionWhoseWhatIsNullBecomesAnError) {
  Wild wild;
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw Speechless();
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed),
            "wild failed to launch: threw an exception through the ABI");
}

TEST(BoundPlan, MemoryThatRanOutInAPluginIsAnErrorOfThatKind) {
  Wild wild;
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw std::bad_alloc();
  };
  wild.said_by_launch(ErrorKind::no_memory);
}

TEST(BoundPlan, ADestroyThatThrowsEndsNothing) {
  Wild wild;
  wild.functions.destroy = [](xpose_plan*) { throw std::runtime_error("words"); };
  { const BoundPlan unheard = wild.bound(); }
  BoundPlan heard = wild.bound();
  try {
    heard.destroy();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_STREQ(error.what(),
                 "wild failed to destroy its plan: threw an exception through the ABI: words");
  }
  heard.destroy();  // which it is already
}

}  // namespace
}  // namespace xpose
