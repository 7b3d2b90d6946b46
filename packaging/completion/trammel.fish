# Completion of trammel for fish. Commands and options are those that --help lists, models those of the catalogue.
function __trammel_commands
    trammel --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end
function __trammel_options
    trammel (commandline -opc)[2] --help 2>/dev/null | grep -oE '^ +-[^ ]*' | tr ', ' '\n\n'
end
complete -c trammel -n __fish_use_subcommand -f -a '(__trammel_commands)'
complete -c trammel -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__trammel_options)'
complete -c trammel -n '__fish_seen_subcommand_from export simulate inspect' -a '(trammel models 2>/dev/null | sed "1d;s/ .*//")'
