"""The library exports the functions of xpose.h and those of the C++ headers, and nothing else.

exported_symbols_test.py NM READELF LIBRARY SOURCE_DIR
"""

import os
import re
import subprocess
import sys
import unittest

NM, READELF, LIBRARY, ROOT = sys.argv[1:5]
del sys.argv[1:5]

# A new version appends names; none ever goes.
C_FUNCTIONS = {
    "xpose_c_version", "xpose_engine_create", "xpose_engine_destroy", "xpose_execute", "xpose_last_error",
    "xpose_permute", "xpose_plan_destroy", "xpose_plan_is_estimate", "xpose_plan_launch", "xpose_plan_variant",
    "xpose_prepare", "xpose_status_text", "xpose_text_free", "xpose_transpose", "xpose_tune", "xpose_version",
}


def exported():
    """Each symbol's kind as nm says it: T is a function, V and W are emitted by whoever uses a header."""
    lines = subprocess.run([NM, "-D", "--defined-only", "-P", LIBRARY], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(line.split(" ")[:2] for line in lines)


class ExportedSymbolsTest(unittest.TestCase):
    def test_the_functions_of_c_are_those_of_the_list(self):
        names = {symbol for symbol in exported() if not symbol.startswith("_Z")}
        self.assertEqual(names, C_FUNCTIONS)

    def test_the_header_declares_them(self):
        with open(os.path.join(ROOT, "core/include/xpose/xpose.h"), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        declared = re.findall(r"XPOSE_C_API [\w* ]*?\*?(xpose_\w+)\(", text)
        self.assertEqual(set(declared), C_FUNCTIONS)

    def test_the_functions_of_cpp_are_in_our_namespace(self):
        strong = {symbol for symbol, kind in exported().items() if symbol.startswith("_Z") and kind not in "VWu"}
        self.assertGreater(len(strong), 20)
        self.assertEqual({symbol for symbol in strong if not re.match(r"_Z(T[VIS])?N?K?5xpose", symbol)}, set())

    def test_the_insides_stay_inside(self):
        self.assertEqual({symbol for symbol in exported() if re.search(r"5c_api|8nlohmann|5Eigen|sqlite3", symbol)}, set())

    def test_no_other_name_leaves_it(self):
        # A weak symbol of a C++ runtime in the library, or of a template, would be bound to another copy of the process.
        own = re.compile(r"xpose_|_Z(T[IVS])?NK?5xpose")
        self.assertEqual({symbol for symbol in exported() if not own.match(symbol)}, set())

    def test_the_soname_is_that_of_the_major_version(self):
        dynamic = subprocess.run([READELF, "-dW", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"SONAME\).*\[(.*)\]", dynamic), ["libxpose.so.0"])


if __name__ == "__main__":
    unittest.main()
