// The headers that are refused, and the words with which they are.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "npy/npy.hpp"
#include "npy_text.hpp"

namespace xpose::app {
namespace {

// The message with which a file is refused; empty where it is not.
std::string refusal(const std::string& file) {
  try {
    parse_npy_header(bytes_of(file));
  } catch (const NpyError& error) {
    return error.what();
  }
  return "";
}

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
        Malformed{"Magic", "\x93NUMPX\x01",
                  "not a .npy file: it does not begin with \\x93NUMPY; a file of elements alone "
                  "needs --raw"},
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
                "the header continues after its end, at character"),
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

}  // namespace
}  // namespace xpose::app
