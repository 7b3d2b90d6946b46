# The C headers of FMI 2.0 and 3.0, as the interface target trammel_fmi_headers.
#
# They come with the Python package FMPy, which packaging/setup.sh installs in the local .venv:
#   FMI_HEADERS_DIR  directory with fmi2Functions.h and fmi3Functions.h; set it to take them from elsewhere
#   FMI_SCHEMA_DIR   directory with fmi2/ and fmi3/ XSD files, for tests; may be NOTFOUND
file(GLOB fmpy_dirs "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/fmpy")

# What was found in a .venv that has since been rebuilt is looked for again; what the user set is kept.
foreach(variable IN ITEMS FMI_HEADERS_DIR FMI_SCHEMA_DIR)
  if("${${variable}}" MATCHES "^${PROJECT_SOURCE_DIR}/.venv/" AND NOT EXISTS "${${variable}}")
    unset(${variable} CACHE)
  endif()
endforeach()

find_path(FMI_HEADERS_DIR NAMES fmi3Functions.h PATHS ${fmpy_dirs} PATH_SUFFIXES c-code NO_DEFAULT_PATH
          DOC "Directory with fmi2Functions.h and fmi3Functions.h")
find_path(FMI_SCHEMA_DIR NAMES fmi3/fmi3ModelDescription.xsd PATHS ${fmpy_dirs} PATH_SUFFIXES schema NO_DEFAULT_PATH
          DOC "Directory with the XSD files of FMI in fmi2/ and fmi3/")

foreach(header IN ITEMS fmi2Functions.h fmi2FunctionTypes.h fmi2TypesPlatform.h
                        fmi3Functions.h fmi3FunctionTypes.h fmi3PlatformTypes.h)
  if(NOT EXISTS "${FMI_HEADERS_DIR}/${header}")
    message(FATAL_ERROR "FMI header ${header} not found in FMI_HEADERS_DIR=${FMI_HEADERS_DIR}: "
                        "run packaging/setup.sh test, or set FMI_HEADERS_DIR to a directory that has it")
  endif()
endforeach()

add_library(trammel_fmi_headers INTERFACE)
target_include_directories(trammel_fmi_headers SYSTEM INTERFACE "${FMI_HEADERS_DIR}")
