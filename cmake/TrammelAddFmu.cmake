# trammel_add_fmu(target MODEL file.toml [SOURCES file.cpp ...] [FMI 2|3|both] [SET name=value ...] [OUTPUT name.fmu])
#
# Exports a model file or a model of the catalogue as an FMU when `target`, a part of `all`, is built. The FMU is
# `target`.fmu in the current binary folder unless OUTPUT names another; of both versions <name>_fmi2.fmu and
# <name>_fmi3.fmu. The property TRAMMEL_FMUS of the target lists the files.
#
# With SOURCES the model is of kind "coded": these hold its equations and define trammel::codedSystem(), see
# models/coded_system.hpp. They become the binary of the FMU, the target <target>_binary, for this machine only.
function(trammel_add_fmu target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;FMI;OUTPUT" "SET;SOURCES")
  if(NOT ARG_MODEL OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "trammel_add_fmu(${target}): expected MODEL file.toml [SOURCES file.cpp ...] [FMI 2|3|both] "
                        "[SET name=value ...] [OUTPUT name.fmu], got ${ARGN}")
  endif()
  if(NOT ARG_FMI)
    set(ARG_FMI 3)
  endif()
  if(NOT ARG_FMI MATCHES "^(2|3|both)$")
    message(FATAL_ERROR "trammel_add_fmu(${target}): FMI must be 2, 3 or both, is ${ARG_FMI}")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT "${target}.fmu")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  set(fmus "${ARG_OUTPUT}")
  if(ARG_FMI STREQUAL "both")
    cmake_path(REMOVE_EXTENSION ARG_OUTPUT LAST_ONLY OUTPUT_VARIABLE stem)
    set(fmus "${stem}_fmi2.fmu" "${stem}_fmi3.fmu")
  endif()
  set(model "${ARG_MODEL}")
  set(dependencies Trammel::trammel)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_MODEL}" OR IS_ABSOLUTE "${ARG_MODEL}")
    cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND dependencies "${model}")
  endif()
  set(values "${ARG_SET}")
  list(TRANSFORM values PREPEND "--set=")
  if(ARG_SOURCES)
    trammel_add_coded_binary(${target}_binary ${ARG_SOURCES})
    list(APPEND values "--binary=$<TARGET_FILE:${target}_binary>")
    list(APPEND dependencies ${target}_binary)
  endif()
  add_custom_command(OUTPUT ${fmus}
    COMMAND Trammel::trammel export "${model}" --fmi ${ARG_FMI} -o "${ARG_OUTPUT}" --force ${values}
    DEPENDS ${dependencies}
    COMMENT "Exporting ${target}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${fmus})
  set_target_properties(${target} PROPERTIES TRAMMEL_FMUS "${fmus}")
endfunction()

# The binary of a coded model: self-contained as the runtime of Trammel is, nothing visible but the functions of FMI.
function(trammel_add_coded_binary target)
  file(GLOB objects "${Trammel_CODED_DIR}/*.o")
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON)
  add_library(${target} MODULE ${ARGN} ${objects})
  target_link_libraries(${target} PRIVATE Trammel::instance)
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs -Wl,--gc-sections
                      "-Wl,--version-script=${Trammel_CODED_DIR}/exports.map" $<$<CONFIG:Release>:-s>)
endfunction()
