# Part of ./x: the packages that its commands need, and their installation.
# shellcheck shell=bash

# For what, the commands (any of them) or the file it is known by, its package. Files are asked for rather than the
# package manager, because packages unpacked from .debs/ are not registered with it.
needs='
build  g++                                         g++
build  cmake                                       cmake
build  ninja                                       ninja-build
build  /usr/include/boost/version.hpp              libboost-dev
build  /usr/lib/*/libboost_program_options.so      libboost-program-options-dev
build  /usr/share/eigen3/cmake/Eigen3Config.cmake  libeigen3-dev
build  /usr/include/nlohmann/json.hpp              nlohmann-json3-dev
build  /usr/include/sqlite3.h                      libsqlite3-dev
build  /usr/include/xxhash.h                       libxxhash-dev
build  /usr/include/elfutils/libdwfl.h             libdw-dev
build  /usr/lib/*/libopenblas.so                   libopenblas-dev
build  /usr/include/hwy/highway.h                  libhwy-dev
build  /usr/include/liburing.h                     liburing-dev
test   /usr/lib/*/cmake/GTest/GTestConfig.cmake    libgtest-dev
test   make                                        make
test   pkg-config|pkgconf                          pkg-config
test   man                                         man-db
test   ccache                                      ccache
test   ld.lld                                      lld
test   /usr/lib/python3/dist-packages/numpy        python3-numpy
test   /usr/include/python3*/Python.h              python3-dev
test   /usr/lib/python3.*/ensurepip/__init__.py    python3-venv
test   mpicc                                       libopenmpi-dev
test   mpirun|mpiexec                              openmpi-bin
test   /usr/lib/python3/dist-packages/mpi4py       python3-mpi4py
test   tc                                          iproute2
report chromium-headless-shell|chromium|google-chrome chromium-headless-shell
soak   debootstrap                                 debootstrap
format git                                         git
fuzz   clang++-14                                  clang-14
fuzz   /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a libclang-rt-14-dev
format clang-format-14                             clang-format-14
lint   clang-tidy-14                               clang-tidy-14
docs   doxygen                                     doxygen
'
# Without these the tests that need them are skipped, the peer is left out, `run` has no io_uring, or builds take longer.
optional=' libopenblas-dev liburing-dev pkg-config man-db debootstrap python3-numpy python3-dev python3-venv libopenmpi-dev openmpi-bin python3-mpi4py iproute2 chromium-headless-shell ccache lld '

is_present() {
  case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *'|'*) is_present "${1%%|*}" || is_present "${1#*|}" ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# Runs a command as root, and fails where that is impossible.
as_root() {
  if [[ $EUID -eq 0 ]]; then env "$@"; else command -v sudo >/dev/null && sudo env "$@"; fi
}

# install_for USE...: everything here goes to stderr, so that stdout stays the command's.
install_for() {
  local use known_by package missing=() required=()
  while read -r use known_by package; do
    if [[ -n $use && " $* " == *" $use "* ]] && ! is_present "$known_by"; then
      missing+=("$package")
      [[ $optional == *" $package "* ]] || required+=("$package")
    fi
  done <<<"$needs"
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if ! command -v apt-get >/dev/null; then
    say "this is neither Debian nor Ubuntu, so nothing is installed; looked for: ${missing[*]}"
    return 0
  fi

  say "installing ${missing[*]}"
  local apt=(DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  local install=(install -y --no-install-recommends)
  if as_root "${apt[@]}" update >&2 </dev/null &&
    as_root "${apt[@]}" "${install[@]}" "${missing[@]}" >&2 </dev/null; then
    return 0
  fi
  # One package that this system does not have stops all: first what must be, then each of the rest.
  if [[ ${#required[@]} -ne 0 ]] &&
    ! as_root "${apt[@]}" "${install[@]}" "${required[@]}" >&2 </dev/null; then
    die "cannot install packages here; as root, run: apt-get update && apt-get ${install[*]} ${required[*]}"
  fi
  for package in "${missing[@]}"; do
    [[ $optional == *" $package "* ]] || continue
    as_root "${apt[@]}" "${install[@]}" "$package" >&2 </dev/null ||
      say "going on without $package"
  done
}

# The Python package needs nanobind, which no distribution here has, and its tests pytest. Both come from the index of
# Python's packages into a virtual environment. Without them the package is left out of the dev preset.
python_tools() {
  local venv=$root/build/venv python=/usr/bin/python3
  [[ ! -x $venv/bin/mypy ]] || return 0
  [[ -x $python ]] || python=python3
  [[ -f $("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] &&
    "$python" -m venv --clear --system-site-packages "$venv" >&2 &&
    "$venv/bin/python" -m pip -q --disable-pip-version-check --retries 1 install nanobind numpy ml_dtypes mypy pytest >&2 ||
    { say "going on without the Python package: $python has no headers or no venv, or nanobind and pytest cannot be installed"; return 1; }
}
