#include "trial/page_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "device/device.hpp"

namespace xpose {
namespace {

class PageWatchTest : public testing::Test {
 protected:
  std::byte* page(std::size_t number) const { return memory_.data() + number * page_bytes(); }
  PageWatch::Pages pages(std::size_t from, std::size_t to, bool readable) const {
    return {page(from), page(to), readable};
  }
  static int read(const std::byte* at) {
    return std::to_integer<int>(*static_cast<const volatile std::byte*>(at));
  }
  static void write(std::byte* at, int value) {
    *static_cast<volatile std::byte*>(at) = static_cast<std::byte>(value);
  }

  DeviceBuffer memory_ = DeviceBuffer::of_pages(backend(Device{}), 4 * page_bytes());
};

TEST_F(PageWatchTest, SaysNothingOfWhatIsAllowed) {
  write(page(1), 7);
  PageWatch watch({pages(0, 1, false), pages(1, 2, true)});
  EXPECT_EQ(read(page(1)), 7);
  write(page(2), 3);
  EXPECT_EQ(watch.open(), nullptr);
  EXPECT_EQ(watch.open(), nullptr);
}

TEST_F(PageWatchTest, NotesTheFirstReadOfAClosedPageWhichGoesOn) {
  write(page(2) + 5, 9);
  PageWatch watch({pages(1, 3, false)});
  EXPECT_EQ(read(page(2) + 5), 9);
  read(page(1) + 1);  // another page, later
  EXPECT_EQ(watch.open(), page(2) + 5);
}

TEST_F(PageWatchTest, NotesAWriteToAReadablePageWhichGoesOn) {
  PageWatch watch({pages(1, 2, true)});
  write(page(1) + 8, 4);
  EXPECT_EQ(read(page(1) + 8), 4);
  EXPECT_EQ(watch.open(), page(1) + 8);
}

TEST_F(PageWatchTest, NotesWhatOtherThreadsDo) {
  PageWatch watch({pages(0, 4, false)});
  std::thread(read, page(3)).join();
  std::thread(read, page(0)).join();
  EXPECT_EQ(watch.open(), page(3));
}

TEST_F(PageWatchTest, LeavesTheHandlerAsItWas) {
  struct sigaction before {
  }, after{};
  sigaction(SIGSEGV, nullptr, &before);
  {
    const PageWatch watch({pages(0, 1, false)});
    sigaction(SIGSEGV, nullptr, &after);
    EXPECT_NE(before.sa_sigaction, after.sa_sigaction);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
  write(page(0), 1);  // open again
}

TEST_F(PageWatchTest, AnyOtherFaultIsOne) {
  const auto fault = [&] {
    const PageWatch watch({pages(0, 1, false)});
    write(reinterpret_cast<std::byte*>(8), 1);
  };
  EXPECT_DEATH(fault(), "");
  const auto sent = [&] {
    const PageWatch watch({pages(0, 1, false)});
    raise(SIGSEGV);
  };
  EXPECT_DEATH(sent(), "");
}

}  // namespace
}  // namespace xpose
