#!/bin/sh
# Compiles a CUDA source for the simulator: simulator_compile.sh PLUGIN READELF COMPILER ARGUMENT...
#
# A compiler that meets a word of CUDA outside the simulator complains for a page and names no remedy. Its complaints
# are read for their lines; where a line has such a word, that is said instead, as file:line: error: ...
plugin=$1 readelf=$2
shift 2

without="leave the simulator out: xpose_add_plugin($plugin NO_SIMULATOR)"
found=''

# Says what the simulator cannot run at the line, if its text has it.
judge() {  # FILE LINE TEXT
  case $3 in
    *'<<<'*)
      cannot='launches with <<<>>>' instead='Launch with launch_kernel() of xpose/cuda.hpp' ;;
    *extern*__shared__*)
      cannot='declares an extern __shared__ array' instead='Take the memory from shared_memory<T>() of xpose/cuda.hpp' ;;
    *cooperative_groups*)
      cannot='uses cooperative groups' instead='Use __syncthreads(), __syncwarp() or __shfl_sync()' ;;
    *'asm('* | *'asm ('* | *'asm volatile'* | *'__asm'*)
      cannot='has inline PTX' instead='Put it behind #ifndef XPOSE_SIMULATOR' ;;
    *) return ;;
  esac
  found=yes
  echo "$1:$2: error: $plugin $cannot: the simulator, which runs its kernels on the host (xpose explain), cannot do that." \
    "$instead, or $without. See \"The simulator\" in xpose's plugins/CUDA.md." >&2
}

# Judges every FILE:LINE of a list.
judge_lines() {
  while IFS= read -r place; do
    file=${place%:*} line=${place##*:}
    case $file in */include/xpose/*) continue ;; esac  # whose words the simulator has
    [ -r "$file" ] && judge "$file" "$line" "$(sed -n "${line}p" "$file")"
  done <<END
$1
END
}

# Arrays that no object defines: extern __shared__ compiles, and would fail when the plugin is linked.
undefined_arrays() {
  "$readelf" -sW "$1" | awk '$4 == "TLS" && $7 == "UND" {print $8}'
}

object='' dependencies='' before=''
for word in "$@"; do
  case $before in
    -o) object=$word ;;
    -MF) dependencies=$word ;;
  esac
  before=$word
done

said=$(LC_ALL=C "$@" 2>&1)
status=$?
if [ "$status" -ne 0 ]; then
  places=$(printf '%s\n' "$said" | sed 's/\x1b\[[0-9;]*[mK]//g' |
    sed -nE -e 's/^(In file included from | +from )([^:]+):([0-9]+)[:,].*/\2:\3/p' \
      -e 's/^([^:]+):([0-9]+)(:[0-9]+)?: ([a-z]+ )?[Ee]rror: .*/\1:\2/p' | awk '!seen[$0]++')
  judge_lines "$places"
  [ "$found" ] && exit "$status"
  printf '%s\n' "$said" >&2
  echo "xpose: this was the compilation of $plugin for the simulator, which runs its kernels on the host (xpose explain)." \
    "Put what only nvcc understands behind #ifndef XPOSE_SIMULATOR, or $without." >&2
  exit "$status"
fi
[ -z "$said" ] || printf '%s\n' "$said" >&2

arrays=$(undefined_arrays "$object")
[ -z "$arrays" ] && exit 0
sources=$(sed -e 's/ *\\$//' -e 's/\\ /\x01/g' "$dependencies" | tr ' \001' '\n ' |
  grep -v -e '^$' -e ':$' -e '^/usr/' -e '/include/xpose/')
judge_lines "$(printf '%s\n' "$sources" | xargs -d '\n' grep -nH 'extern.*__shared__' | cut -d: -f1,2)"
[ "$found" ] || judge "$object" 0 "extern __shared__ $arrays"
rm -f "$object"
exit 1
