#compdef trammel
# Completion of trammel for zsh. Commands and options are those that --help lists, models those of the catalogue.
_trammel() {
  local command=${words[2]}
  if (( CURRENT == 2 )); then
    compadd -- $(trammel --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- $(trammel $command --help 2>/dev/null | grep -oE '^ +-[^ ]*' | tr ', ' '\n\n')
  elif [[ ${words[CURRENT - 1]} == --fmi ]]; then
    compadd -- 2 3 both
  elif [[ ${words[CURRENT - 1]} == --platform ]]; then
    compadd -- x86_64-linux x86_64-windows aarch64-linux
  else
    _files
    case $command in
      export|simulate|inspect) compadd -- $(trammel models 2>/dev/null | sed '1d;s/ .*//') ;;
    esac
  fi
}
_trammel "$@"
