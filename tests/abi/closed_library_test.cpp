#include <dlfcn.h>
#include <gtest/gtest.h>

// Its threads run its code until the process ends: whoever closes the library must not unmap it.
TEST(ClosedLibrary, StaysWhereItIs) {
  void* const library = dlopen(XPOSE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlclose(library), 0);
  EXPECT_NE(dlopen(XPOSE_LIBRARY, RTLD_NOW | RTLD_NOLOAD), nullptr);
}
