// Limits of control groups, read from folders that look like a machine's.
#include "device/memory_limits.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace xpose {
namespace {

namespace fs = std::filesystem;

constexpr const char* kV2Mount = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
constexpr const char* kV1Mounts =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

class MemoryLimits : public testing::Test {
 protected:
  ~MemoryLimits() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    const fs::path path = root_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void v2_group(const std::string& group, const std::string& max, const std::string& current) {
    write("sys/fs/cgroup" + group + "/memory.max", max + '\n');
    write("sys/fs/cgroup" + group + "/memory.current", current + '\n');
  }
  void v1_group(const std::string& group, const std::string& limit, const std::string& usage) {
    write("sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes", limit + '\n');
    write("sys/fs/cgroup/memory" + group + "/memory.usage_in_bytes", usage + '\n');
  }
  std::uint64_t left() const { return memory_left_by_groups(root_); }

 private:
  fs::path root_ = fs::path(testing::TempDir()) /
                   ("xpose-limits-" + std::to_string(getpid()) + '-' +
                    testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(MemoryLimits, AMachineWithoutGroupsHasNone) { EXPECT_EQ(left(), kNoMemoryLimit); }

TEST_F(MemoryLimits, TheLimitOfV2LessThatIsTaken) {
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/user/job\n");
  v2_group("/user/job", "1000000", "300000");
  EXPECT_EQ(left(), 700000U);
  v2_group("/user/job", "max", "300000");
  EXPECT_EQ(left(), kNoMemoryLimit);
  write("sys/fs/cgroup/user/job/memory.high", "500000\n");
  EXPECT_EQ(left(), 200000U);
  v2_group("/user/job", "max", "600000");
  EXPECT_EQ(left(), 0U);
}

TEST_F(MemoryLimits, CachedFilesAreFree) {
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/job\n");
  v2_group("/job", "1000000", "900000");
  write("sys/fs/cgroup/job/memory.stat",
        "anon 200000\nfile 700000\nshmem 1\ninactive_file 400000\nactive_file 300000\n");
  EXPECT_EQ(left(), 800000U);
}

TEST_F(MemoryLimits, OfNestedGroupsTheTightestCounts) {
  write("proc/self/mountinfo", kV2Mount);
  write("proc/self/cgroup", "0::/a/b/c\n");
  v2_group("/a/b/c", "max", "10");
  v2_group("/a/b", "1000", "200");
  v2_group("/a", "1500", "1400");
  EXPECT_EQ(left(), 100U);
  v2_group("/a/b/c", "60", "10");
  EXPECT_EQ(left(), 50U);
}

TEST_F(MemoryLimits, TheLimitOfV1IsThatOfTheMemoryController) {
  write("proc/self/mountinfo", kV1Mounts);
  write("proc/self/cgroup", "5:cpu:/other\n4:memory:/jobs/one\n0::/\n");
  v1_group("", "9223372036854771712", "5000000");  // none
  v1_group("/jobs", "9223372036854771712", "5000000");
  v1_group("/jobs/one", "1000000", "400000");
  write("sys/fs/cgroup/memory/jobs/one/memory.stat",
        "inactive_file 1\ntotal_inactive_file 100000\ntotal_active_file 50000\n");
  EXPECT_EQ(left(), 750000U);
  v1_group("/jobs/one", "9223372036854771712", "400000");
  EXPECT_EQ(left(), kNoMemoryLimit);
  v1_group("/jobs", "6000000", "5000000");
  EXPECT_EQ(left(), 1000000U);
}

// Its group is named as the machine sees it, or not below what is mounted.
TEST_F(MemoryLimits, AContainerSeesItsOwnGroupAsTheTop) {
  write("proc/self/mountinfo",
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  v1_group("", "1000", "100");
  v1_group("/inner", "2000", "1500");
  EXPECT_EQ(left(), 500U);
  write("proc/self/cgroup", "4:memory:/docker/other\n");
  EXPECT_EQ(left(), 900U);
  write("proc/self/mountinfo", "31 23 0:28 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/\n");
  v2_group("", "3000", "1000");
  EXPECT_EQ(left(), 2000U);
}

TEST_F(MemoryLimits, GroupsOfBothVersionsCountAtOnce) {
  write("proc/self/mountinfo",
        std::string(kV1Mounts) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "4:memory:/one\n0::/two\n");
  v1_group("/one", "1000", "100");
  v2_group("/unified/two", "max", "100");
  EXPECT_EQ(left(), 900U);
  v2_group("/unified/two", "600", "100");
  EXPECT_EQ(left(), 500U);
}

TEST_F(MemoryLimits, FilesThatSayNothingLimitNothing) {
  write("proc/self/mountinfo", std::string("nonsense\n1 2 3 - cgroup2\n") + kV2Mount);
  write("proc/self/cgroup", "nonsense\n0::/gone/group\n");
  v2_group("/gone", "", "");
  EXPECT_EQ(left(), kNoMemoryLimit);
  v2_group("", "100", "");
  EXPECT_EQ(left(), 100U);
}

TEST_F(MemoryLimits, ThisMachineAnswers) { EXPECT_GT(memory_left_by_groups(), 0U); }

}  // namespace
}  // namespace xpose
