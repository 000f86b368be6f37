#compdef xpose
# Completion of xpose for zsh. The command itself knows the words: xpose complete WORD...
_xpose() {
  local -a found described
  local line
  found=("${(@f)$("${words[1]/#\~/$HOME}" complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  case ${found[1]-} in
    :files | :folders)
      compset -P '--*='
      if [[ $found[1] == :folders ]]; then _files -/; else _files; fi
      ;;
    '') return 1 ;;
    *)
      for line in $found; do
        described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      _describe xpose described
      ;;
  esac
}
_xpose "$@"
