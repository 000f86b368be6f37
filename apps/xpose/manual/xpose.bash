# Completion of xpose for bash. The command itself knows the words: xpose complete WORD...
_xpose() {
  # bash has split the words at = and :, the command does not: pieces without a blank between are joined.
  local line=$COMP_LINE piece words=() i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if [[ $i -eq 0 || $line == [[:blank:]]* || -z $line ]]; then words+=(''); fi
    line=${line#"${line%%[![:blank:]]*}"}
    line=${line#"$piece"}
    # The last one counts up to the cursor.
    if [[ $i -eq COMP_CWORD && $piece != [=:] ]]; then piece=$2; fi
    words[-1]+=$piece
  done

  local found=() word current=${words[-1]}
  mapfile -t found < <("${1/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  case ${found[0]-} in
    :files) compopt -o default ;;
    :folders) compopt -o dirnames ;;
    *)
      # bash replaces only what stands behind the last = or : of the word.
      local before=''
      [[ $current != *[=:]* ]] || before=${current%"${current##*[=:]}"}
      for word in "${found[@]}"; do
        word=${word%%$'\t'*}
        COMPREPLY+=("${word#"$before"}")
      done
      ;;
  esac
}
complete -F _xpose xpose
