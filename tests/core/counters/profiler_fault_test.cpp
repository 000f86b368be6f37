#include "counters/profiler_fault.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

TEST(ProfilerFault, SaysHowToGetThePermission) {
  EXPECT_EQ(profiler_fault("starting a pass", 35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
            "starting a pass: the driver keeps the counters for administrators "
            "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES); run as root or with CAP_SYS_ADMIN, or have the "
            "module nvidia loaded with NVreg_RestrictProfilingToAdminUsers=0");
}

TEST(ProfilerFault, SaysThatAnotherProfilerIsThere) {
  for (const int status : {26, 39})
    EXPECT_NE(profiler_fault("x", status, "N").find("end the other profiler"), std::string::npos);
}

TEST(ProfilerFault, WhatNobodyCanHelpIsNamed) {
  EXPECT_EQ(profiler_fault("closing the range", 7, "CUPTI_ERROR_INVALID_OPERATION"),
            "closing the range: failed with CUPTI_ERROR_INVALID_OPERATION");
}

// Each of the closed set says why and what to do, in one line.
TEST(ProfilerFault, EachHasARemedy) {
  using enum ProfilerFault;
  for (const ProfilerFault fault :
       {out_of_memory, not_compatible, not_initialized, hardware_busy, not_supported,
        virtualized_device_not_supported, insufficient_privileges, old_profiler_api_initialized,
        multiple_subscribers_not_supported, virtualized_device_insufficient_privileges,
        confidential_computing_not_supported, cmp_device_not_supported, mig_device_not_supported,
        wsl_device_not_supported, invalid_chip_name}) {
    const std::string text = profiler_fault("counting", static_cast<int>(fault), "NAME");
    EXPECT_EQ(text.rfind("counting: ", 0), 0U) << text;
    EXPECT_NE(text.find(" (NAME); "), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace xpose
