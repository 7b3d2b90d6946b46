# Completion of trammel for fish. Commands and options are those that --help lists, models those of the catalogue.
function __trammel_commands
    trammel --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end
function __trammel_options
    trammel (commandline -opc)[2] --help 2>/dev/null | grep -oE '^ +-[^ ]*' | tr ', ' '\n\n'
end
function __trammel_after
    contains -- (commandline -opc)[-1] $argv
end
complete -c trammel -n __fish_use_subcommand -f -a '(__trammel_commands)'
complete -c trammel -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__trammel_options)'
complete -c trammel -n '__trammel_after --fmi' -f -a '2 3 both'
complete -c trammel -n '__trammel_after --platform' -f -a 'x86_64-linux x86_64-windows aarch64-linux'
complete -c trammel -n '__fish_seen_subcommand_from export simulate inspect; and not __trammel_after --fmi --platform' -a '(trammel models 2>/dev/null | sed "1d;s/ .*//")'
