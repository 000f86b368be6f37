# Part of ./x: what a machine with a GPU needs and runs.
# shellcheck shell=bash

# The named packages with the libraries of ours that they depend on, whatever version this system
# puts into the names; compilers and the like are on a machine that has nvcc. Not zlib, bzip2 and
# lzma, which every machine has: they would be unpacked into /lib, over the link that it is.
bundle_packages() {
  apt-cache depends --recurse --important libboost-dev libboost-program-options-dev libdw-dev \
    libeigen3-dev libgtest-dev libhwy-dev libsqlite3-dev libxxhash-dev nlohmann-json3-dev |
    grep -E '^(lib(boost|dw|eigen3|elf|gtest|hwy|sqlite3|xxhash)|nlohmann-json3)' | sort -u
}

gpu_bundle() {
  command -v apt-get >/dev/null || die "gpu-bundle needs apt-get: run it on Debian or Ubuntu"
  if ! apt-cache show nlohmann-json3-dev >/dev/null 2>&1; then
    say "fetching the package lists"
    as_root apt-get -q update >&2 || die "cannot fetch the package lists; as root, run: apt-get update"
  fi
  local packages package
  packages=$(bundle_packages)
  mkdir -p "$root/.debs"
  for package in $packages; do
    if ! is_present "$root/.debs/${package}_*.deb"; then
      (cd "$root/.debs" && apt-get -q -o APT::Sandbox::User="$(id -un)" download "$package")
    fi
  done
  du -sh "$root/.debs" >&2
  echo "Copy this folder to the GPU machine and run there, as root:"
  echo '  for f in .debs/*.deb; do dpkg -x "$f" /; done; ldconfig; ./x test -L gpu'
}

# The seconds are those of the sanitizer: building takes minutes more, the tests one.
gpu_check() {
  local seconds=${1:-600} failed=0
  install_for build test
  build dev
  say "the tests that need a GPU"
  (cd "$root" && ctest --preset dev -L gpu -j 4) || failed=1
  PATH=$PATH:/usr/local/cuda/bin python3 "$root/tests/gpu_check/sanitize.py" "$root/build/dev/bin/xpose" --seconds "$seconds" \
    --control "$root/build/dev/tests/strategies/planted/planted_faults.so" "${@:2}" || failed=$?
  return "$failed"
}
