# Writes the man page trammel.1 from what `trammel --help` and the help of every command say, word for word:
#   cmake -DPROGRAM=trammel -DVERSION=0.1.0 -DOUTPUT=trammel.1 -P ManPage.cmake
function(help_of variable)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Text as troff prints it: backslashes and a point or quote that begins a line would be requests.
function(append_verbatim text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(page "${page}.nf\n${text}.fi\n" PARENT_SCOPE)
endfunction()

help_of(help)
set(page ".TH TRAMMEL 1 \"\" \"trammel ${VERSION}\"\n.SH NAME\n")
string(REGEX MATCH "^[^\n]*" summary "${help}")
string(APPEND page "trammel \\- ${summary}\n.SH SYNOPSIS\n.B trammel\nCOMMAND [OPTIONS]\n.SH DESCRIPTION\n")
append_verbatim("${help}")

string(REGEX MATCH "Subcommands:\n(  [^\n]*\n)+" list "${help}")
string(REGEX MATCHALL "\n  ([a-z][a-z0-9_-]*)" commands "${list}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  help_of(help ${command})
  string(TOUPPER "trammel ${command}" title)
  string(APPEND page ".SH ${title}\n")
  append_verbatim("${help}")
endforeach()
file(WRITE "${OUTPUT}" "${page}")
