# Completion of trammel for bash. Commands and options are those that --help lists, models those of the catalogue.
_trammel() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local command= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  COMPREPLY=()
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("$program" $command --help 2>/dev/null | grep -oE '^ +-[^ ]*' | tr ', ' '\n\n')" -- "$word"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word"))
  elif [[ $previous == --fmi ]]; then
    COMPREPLY=($(compgen -W "2 3 both" -- "$word"))
  elif [[ $previous == --platform ]]; then
    COMPREPLY=($(compgen -W "x86_64-linux x86_64-windows aarch64-linux" -- "$word"))
  else
    compopt -o default -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
    case $command in
      export | simulate | inspect)
        COMPREPLY+=($(compgen -W "$("$program" models 2>/dev/null | sed '1d;s/ .*//')" -- "$word")) ;;
    esac
  fi
}
complete -F _trammel trammel
