// Quotas of control groups, read from folders that look like a machine's.
#include "device/processor_limits.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace xpose {
namespace {

namespace fs = std::filesystem;

class ProcessorLimits : public testing::Test {
 protected:
  ~ProcessorLimits() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    const fs::path path = root_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void v1_group(const std::string& group, const std::string& quota, const std::string& period) {
    write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_quota_us", quota + '\n');
    write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_period_us", period + '\n');
  }
  unsigned processors() const { return processors_by_groups(root_); }

 private:
  fs::path root_ = fs::path(testing::TempDir()) /
                   ("xpose-quotas-" + std::to_string(getpid()) + '-' +
                    testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ProcessorLimits, AMachineWithoutGroupsHasNone) {
  EXPECT_EQ(processors(), kNoProcessorLimit);
}

TEST_F(ProcessorLimits, WholeProcessorsOfAQuotaOfV2Count) {
  write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/user/job\n");
  const auto with = [this](const char* max) {
    write("sys/fs/cgroup/user/job/cpu.max", max);
    return processors();
  };
  EXPECT_EQ(with("max 100000\n"), kNoProcessorLimit);
  EXPECT_EQ(with("50000 100000\n"), 1U);
  EXPECT_EQ(with("199999 100000\n"), 1U);
  EXPECT_EQ(with("400000 100000\n"), 4U);
  EXPECT_EQ(with("9223372036854775807 1\n"), kNoProcessorLimit);
  EXPECT_EQ(with("nonsense\n"), kNoProcessorLimit);
  EXPECT_EQ(with("400000\n"), kNoProcessorLimit);
  write("sys/fs/cgroup/user/cpu.max", "300000 100000\n");  // the tightest of nested groups counts
  EXPECT_EQ(with("400000 100000\n"), 3U);
}

TEST_F(ProcessorLimits, TheQuotaOfV1IsThatOfTheController) {
  write("proc/self/mountinfo",
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("proc/self/cgroup", "5:cpu,cpuacct:/jobs/one\n4:memory:/other\n");
  v1_group("/jobs/one", "-1", "100000");
  EXPECT_EQ(processors(), kNoProcessorLimit);
  v1_group("/jobs/one", "250000", "100000");
  EXPECT_EQ(processors(), 2U);
  v1_group("", "100000", "100000");
  EXPECT_EQ(processors(), 1U);
}

}  // namespace
}  // namespace xpose
