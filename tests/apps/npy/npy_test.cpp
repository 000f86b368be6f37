#include "npy/npy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "npy_text.hpp"

namespace xpose::app {
namespace {

NpyHeader parsed(const std::string& text, char major = 1) {
  return parse_npy_header(bytes_of(file_of(major, text)));
}

// ------------------------------------------------------------------------------------ item sizes

struct Dtype {
  const char* descr;
  std::uint64_t bytes;
};
class ItemSize : public testing::TestWithParam<Dtype> {};

TEST_P(ItemSize, IsExactAndTheTextIsKept) {
  const NpyHeader header = parsed(dict_of(GetParam().descr));
  EXPECT_EQ(header.descr, GetParam().descr);
  EXPECT_EQ(header.item_bytes, GetParam().bytes);
  EXPECT_EQ(header.data_bytes, 6 * GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Dtypes, ItemSize,
    testing::Values(Dtype{"'<f4'", 4}, Dtype{"'|u1'", 1}, Dtype{"'>i2'", 2}, Dtype{"'<c16'", 16},
                    Dtype{"'|S3'", 3}, Dtype{"'|V8'", 8}, Dtype{"'<M8[ns]'", 8},
                    Dtype{"'<m8[25s]'", 8}, Dtype{"'<M8'", 8}, Dtype{"'<U2'", 8}, Dtype{"'|b1'", 1},
                    Dtype{"'<f2'", 2}, Dtype{"'<f16'", 16}, Dtype{"\"<f8\"", 8}, Dtype{"'|S0'", 0},
                    Dtype{"u'<i8'", 8}, Dtype{"[('x', '<f4'), ('y', '>i4')]", 8},
                    Dtype{"[('x', '<f4', (2,))]", 8},
                    Dtype{"[('x', '<f4', (2, 3)), ('', '|V8')]", 32}, Dtype{"[('x', '<i2', 3)]", 6},
                    Dtype{"[('x', ('<i2', (3,)), (2,))]", 12}, Dtype{"[('x', '<f4', ())]", 4},
                    Dtype{"[(('title', 'name'), '<f4'), ('z', '|u1')]", 5},
                    Dtype{"[('p', [('x', '<f4'), ('y', [('z', '<f8')], (2,))])]", 20},
                    Dtype{"[('it\\'s', '<f4'), (\"\\x41\\u00e9\", '|u1')]", 5}, Dtype{"[]", 0}));

// ---------------------------------------------------------------------------------- valid headers

TEST(NpyHeader, IsReadWhateverTheOrderOfItsKeys) {
  const NpyHeader header =
      parsed("{\"shape\":(7,),\n'fortran_order' : True,'descr':'<f4'}   \n", 2);
  EXPECT_EQ(header.shape, std::vector<std::int64_t>{7});
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.item_bytes, 4u);
  EXPECT_EQ(header.data_bytes, 28u);
}

TEST(NpyHeader, PlacesTheDataBehindItself) {
  const std::string text = dict_of("'<f4'");
  EXPECT_EQ(parsed(text, 1).data_offset, 10 + text.size());
  EXPECT_EQ(parsed(text, 2).data_offset, 12 + text.size());
  EXPECT_EQ(parsed(text, 3).data_offset, 12 + text.size());
}

TEST(NpyHeader, ReadsScalarsEmptyArraysAndLongIntegers) {
  EXPECT_EQ(parsed(dict_of("'<f4'", "()")).data_bytes, 4u);
  EXPECT_EQ(parsed(dict_of("'<f4'", "(0, 5)")).data_bytes, 0u);
  EXPECT_EQ(parsed(dict_of("'<f4'", "(3L, 5L)")).data_bytes, 60u);
  EXPECT_EQ(parsed(dict_of("'|u1'", "(9223372036854775807,)")).data_bytes, 9223372036854775807u);
}

TEST(NpyHeader, HoldsFieldNamesInUtf8) {
  EXPECT_EQ(parsed(dict_of("[('\xe9', '<f4')]"), 1).descr, "[('\xc3\xa9', '<f4')]");
  EXPECT_EQ(parsed(dict_of("[('\xe9', '<f4')]"), 2).descr, "[('\xc3\xa9', '<f4')]");
  EXPECT_EQ(parsed(dict_of("[('\xe2\x82\xac', '<f4')]"), 3).descr, "[('\xe2\x82\xac', '<f4')]");
}

TEST(NpyHeader, NamesItsDtype) {
  EXPECT_EQ(dtype_name(parsed(dict_of("'<f4'"))), "<f4");
  EXPECT_EQ(dtype_name(parsed(dict_of("[('x', '<f4')]"))), "[('x', '<f4')]");
}

// ------------------------------------------------------------------------------- data and writing

TEST(Headerless, HasTheStatedArrayFromTheFirstByteOn) {
  const NpyHeader array = headerless("<f4", {2, 3});
  EXPECT_EQ(array.descr, "'<f4'");
  EXPECT_FALSE(array.fortran_order);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(array.item_bytes, 4U);
  EXPECT_EQ(array.data_offset, 0U);
  EXPECT_EQ(array.data_bytes, 24U);
  EXPECT_EQ(headerless("[('x', '<f4'), ('y', '|V3')]", {5}).data_bytes, 35U);
  EXPECT_EQ(dtype_name(headerless("V12", {5})), "V12");
}

TEST(Headerless, IsRefusedAsAHeaderIs) {
  for (const char* const dtype :
       {"", "float32", "O", "<f4' ", "[", "[('x', '<f4')]]", "V2147483648"})
    EXPECT_THROW(headerless(dtype, {2, 3}), NpyError) << dtype;
  for (const char* const dtype : {"'", "[", "[('x', '<f4')]]", "[('x', '<f4')"}) try {
      headerless(dtype, {2, 3});
    } catch (const NpyError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("the dtype ")) << error.what();
    }
  EXPECT_THROW(headerless("<f4", {std::int64_t{1} << 32, std::int64_t{1} << 32}), NpyError);
}

TEST(NpySize, IsThatOfTheArrayOrMoreOrARefusalWithBothByteCounts) {
  const std::string file = file_of(1, dict_of("'<f4'"));
  const NpyHeader header = parse_npy_header(bytes_of(file));
  check_npy_size(header, file.size() + 24);
  check_npy_size(header, file.size() + 25);
  try {
    check_npy_size(header, file.size() + 23);
    FAIL() << "the data of a truncated file";
  } catch (const NpyError& error) {
    EXPECT_EQ(error.what(), "the file is truncated: its header asks for " +
                                std::to_string(file.size() + 24) + " bytes and it has " +
                                std::to_string(file.size() + 23));
  }
}

struct Written {
  const char* descr;
  std::vector<std::int64_t> shape;
  bool fortran_order;
};

TEST(FormatNpyHeader, IsReadBack) {
  const std::string utf8 = "[('\xe2\x82\xac', '<f4')]";
  const std::string latin1 = "[('\xc3\xa9', '<f4')]";
  for (const Written& w :
       {Written{"'<f4'", {1234, 4321}, false}, Written{"'<f4'", {}, true},
        Written{"'|u1'", {9}, true}, Written{"'<c16'", {0, 3, 9223372036854775807 >> 8}, false},
        Written{utf8.c_str(), {2, 3}, false}, Written{latin1.c_str(), {2, 3}, true}}) {
    const std::string header = format_npy_header(w.descr, w.fortran_order, w.shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    const NpyHeader back = parse_npy_header(bytes_of(header));
    EXPECT_EQ(back.descr, w.descr);
    EXPECT_EQ(back.shape, w.shape);
    EXPECT_EQ(back.fortran_order, w.fortran_order);
    EXPECT_EQ(back.data_offset, header.size());
  }
}

TEST(FormatNpyHeader, IsWhatNumPyWrites) {
  const std::vector<std::int64_t> shape = {4321, 1234};
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (4321, 1234), }";
  EXPECT_EQ(format_npy_header("'<f4'", false, shape),
            file_of(1, text + std::string(117 - text.size(), ' ') + '\n'));
}

TEST(FormatNpyHeader, RefusesMoreDimensionsThanAreRead) {
  EXPECT_NO_THROW(format_npy_header("'<f4'", false, std::vector<std::int64_t>(64, 1)));
  EXPECT_THROW(format_npy_header("'<f4'", false, std::vector<std::int64_t>(65, 1)), NpyError);
}

TEST(FormatNpyHeader, PicksTheLowestVersionThatHoldsIt) {
  const std::vector<std::int64_t> shape = {2, 3};
  const auto version = [&](const std::string& name) {
    return int{format_npy_header("[('" + name + "', '<f4')]", false, shape)[6]};
  };
  EXPECT_EQ(version("x"), 1);
  EXPECT_EQ(version("\xc3\xa9"), 1);
  EXPECT_EQ(version(std::string(65300, 'x')), 1);
  EXPECT_EQ(version(std::string(65535, 'x')), 2);
  EXPECT_EQ(version("\xe2\x82\xac"), 3);
}

}  // namespace
}  // namespace xpose::app
