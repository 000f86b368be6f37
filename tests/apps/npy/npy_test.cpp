#include "npy/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace xpose::app {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A file of one version around a header text.
std::string file_of(char major, const std::string& text) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  for (std::size_t i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  return file + text;
}

std::string dict_of(const std::string& descr, const std::string& shape = "(2, 3)") {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
}

NpyHeader parsed(const std::string& text, char major = 1) {
  return parse_npy_header(bytes_of(file_of(major, text)));
}

// The message with which a file is refused; empty where it is not.
std::string refusal(const std::string& file) {
  try {
    parse_npy_header(bytes_of(file));
  } catch (const NpyError& error) {
    return error.what();
  }
  return "";
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

// -------------------------------------------------------------------------------- refused headers

struct Malformed {
  const char* label;
  std::string file;
  const char* says;
};
void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.label; }
class Refused : public testing::TestWithParam<Malformed> {};

TEST_P(Refused, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(GetParam().file).substr(0, std::strlen(GetParam().says)), GetParam().says);
}

Malformed of_text(const char* label, const std::string& text, const char* says, char major = 1) {
  return {label, file_of(major, text), says};
}
Malformed of_descr(const char* label, const std::string& descr, const char* says) {
  return of_text(label, dict_of(descr), says);
}
Malformed of_shape(const char* label, const std::string& shape, const char* says) {
  return of_text(label, dict_of("'<f4'", shape), says);
}
std::string claiming(char major, const std::string& length) {
  return std::string("\x93NUMPY") + major + '\0' + length;
}

std::string label_of(const testing::TestParamInfo<Malformed>& info) { return info.param.label; }

INSTANTIATE_TEST_SUITE_P(
    Frame, Refused,
    testing::Values(
        Malformed{"Empty", "", "not a .npy file"},
        Malformed{"Magic", "\x93NUMPX\x01", "not a .npy file: it does not begin with \\x93NUMPY"},
        Malformed{"NoVersion", "\x93NUMPY\x01", "the file ends within its format version"},
        Malformed{"Version4", claiming(4, ""), "the .npy format version 4.0 is unknown"},
        Malformed{"Minor", std::string("\x93NUMPY\x01\x01", 8),
                  "the .npy format version 1.1 is unknown"},
        Malformed{"NoLength", claiming(2, "\x10"), "the file ends within its header's length"},
        Malformed{"ShortHeader", claiming(1, std::string("\x76\0{", 3)),
                  "the header is truncated: it claims 118 bytes and the file has 1 left"},
        Malformed{"AbsurdLength", claiming(2, "\xff\xff\xff\x7f"),
                  "the header claims 2147483647 bytes: at most 1048576 are read"},
        of_text("Utf8", dict_of("[('\xe9', '<f4')]"), "the header is not valid UTF-8", 3),
        of_text("Overlong", dict_of("[('\xe0\x80\x80', '<f4')]"), "the header is not valid UTF-8",
                3),
        of_text("Surrogate", dict_of("[('\xed\xa0\x80', '<f4')]"), "the header is not valid UTF-8",
                3)),
    label_of);

INSTANTIATE_TEST_SUITE_P(
    Text, Refused,
    testing::Values(
        of_text("NoText", "", "the header is malformed at character 0: expected a string"),
        of_text("List", "[1, 2]", "the header is not a dict: '[1, 2]'"),
        of_text("Open", "{'descr': '<f4'", "the header is malformed at character 15: expected ','"),
        of_text("Colon", "{'descr' '<f4'}", "the header is malformed at character 9: expected ':'"),
        of_text("Quote", "{'descr: 1", "the header is malformed at character 10: expected the clo"),
        of_text("Word", "{'descr': None}", "the header is malformed at character 10: expected a s"),
        of_text("Escape", "{'\\q': 1}", "the header is malformed at character 3: expected an esca"),
        of_text("Hex", "{'\\x1': 1}", "the header is malformed at character 4: expected 2 hexade"),
        of_text("Zero", "{'a': 007}", "the header is malformed at character 6: expected an integ"),
        of_text("Big", "{'a': 9223372036854775808}", "the header has an integer that does not fit"),
        of_text("Deep", std::string(60000, '('), "the header nests deeper than 32 brackets"),
        of_text("Tail", dict_of("'<f4'") + " x",
                "the header continues after its dict, at character"),
        of_text("Missing", "{'descr': '<f4', 'shape': ()}",
                "the header lacks the key 'fortran_order'"),
        of_text("Unknown", "{'descr': '<f4', 'order': 1}",
                "the header has an unknown key, 'order'"),
        of_text("NumberKey", "{1: 2}", "the header has an unknown key, 1"),
        of_text("Twice", "{'shape': (), 'shape': ()}", "the header has the key 'shape' twice"),
        of_text("Order", "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
                "the header's fortran_order is 1, neither True nor False")),
    label_of);

INSTANTIATE_TEST_SUITE_P(
    Shape, Refused,
    testing::Values(
        of_shape("List", "[2, 3]", "the shape [2, 3] is not a tuple"),
        of_shape("Parentheses", "(3)", "the shape (3) is not a tuple"),
        of_shape("Text", "('3',)", "the shape ('3',) holds an extent that is not an integer"),
        of_shape("Boolean", "(True, 2)",
                 "the shape (True, 2) holds an extent that is not an integer"),
        of_shape("Negative", "(2, -3)", "the shape (2, -3) has a negative dimension"),
        of_shape("Overflow", "(4294967296, 4294967296)",
                 "the shape overflows: its elements of 4 bytes exceed 2^63 bytes"),
        of_shape("OverflowOfNothing", "(0, 9223372036854775807)", "the shape overflows"),
        of_shape("Items", "(4611686018427387904,)", "the shape overflows"),
        of_text(
            "Rank",
            "{'shape': (" +
                [] {
                  std::string ones;
                  for (int i = 0; i < 65; ++i) ones += "1,";
                  return ones;
                }() +
                "), 'descr': '<f4', 'fortran_order': False}",
            "the shape has 65 dimensions: at most 64 are read")),
    label_of);

INSTANTIATE_TEST_SUITE_P(
    Dtype, Refused,
    testing::Values(
        of_descr("Object", "'|O'", "the dtype '|O' holds Python objects"),
        of_descr("NestedObject", "[('x', '<f4'), ('o', [('p', '|O')])]",
                 "the dtype '|O' holds Python objects"),
        of_descr("Nothing", "''", "the dtype '' is unknown: expected a type string like '<f4'"),
        of_descr("NoSize", "'<f'", "the dtype '<f' is unknown"),
        of_descr("NoKind", "'<'", "the dtype '<' is unknown"),
        of_descr("Float3", "'<f3'", "the dtype '<f3' is unknown"),
        of_descr("Kind", "'<q8'", "the dtype '<q8' is unknown"),
        of_descr("Unit", "'<f4[ns]'", "the dtype '<f4[ns]' is unknown"),
        of_descr("TimeUnit", "'<M8[]'", "the dtype '<M8[]' is unknown"),
        of_descr("Sign", "'|S-1'", "the dtype '|S-1' is unknown"),
        of_descr("Integer", "4", "the dtype 4 is unknown: expected a type string or a list"),
        of_descr("TopTuple", "('<f4', (2,))", "the dtype ('<f4', (2,)) is unknown"),
        of_descr("FieldNotTuple", "['<f4']", "the dtype '<f4' is unknown: expected a field"),
        of_descr("FieldOfOne", "[('x',)]", "the dtype ('x',) is unknown: expected a field"),
        of_descr("FieldName", "[(1, '<f4')]", "the dtype (1, '<f4') is unknown: expected a field"),
        of_descr("SubShape", "[('x', '<f4', (-1,))]", "the dtype (-1,) is unknown: expected a sub"),
        of_descr("LongText", "'|S4294967295'", "the dtype's item exceeds 2^31 - 1 bytes"),
        of_descr("LongerText", "'|S99999999999'", "the dtype's item exceeds 2^31 - 1 bytes"),
        of_descr("WideText", "'<U1073741824'", "the dtype's item exceeds 2^31 - 1 bytes"),
        of_descr("LargeSub", "[('x', '<f8', (65536, 65536))]",
                 "the dtype's item exceeds 2^31 - 1 bytes"),
        of_descr("LargeSum", "[('x', '|S2147483647'), ('y', '|u1')]",
                 "the dtype's item exceeds 2^31 - 1 bytes")),
    label_of);

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
