# Settings that every target shares, as the interface target trammel_settings: link it PRIVATE or PUBLIC.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# A launcher given by the user, the environment or a preset wins; otherwise ccache is used where it is installed.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

set(TRAMMEL_SANITIZE "" CACHE STRING
    "Sanitizers of every target, as for -fsanitize: empty, 'address,undefined' or 'thread'. If set, the FMU binary \
is linked with the shared libstdc++ and without an export map, because the sanitizer runtimes need their symbols")
option(TRAMMEL_NAN_INITIALIZE "Fill every new Eigen matrix with NaN, so that reading unset entries shows" OFF)

find_package(Eigen3 3.4 REQUIRED NO_MODULE)

add_library(trammel_settings INTERFACE)
target_compile_features(trammel_settings INTERFACE cxx_std_20)
target_include_directories(trammel_settings INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                      "$<INSTALL_INTERFACE:include/trammel>")
# The warnings are ours; those who use the installed libraries choose their own.
set(trammel_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                     -Wold-style-cast -Werror)
target_compile_options(trammel_settings INTERFACE "$<BUILD_INTERFACE:${trammel_warnings}>")
# g++ 12 reports overlapping copies inside std::string where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(trammel_settings INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>>")
endif()
# Equal results on every machine and at every level of optimisation: no contraction, no value-changing shortcuts.
target_compile_options(trammel_settings INTERFACE -ffp-contract=off -fno-math-errno)
# Equal speed in every binary: how fast short loops run, above all the one that evaluates the expressions of a model, depends
# on where their jumps lie in the lines of the cache.
target_compile_options(trammel_settings INTERFACE -falign-functions=64)

if(TRAMMEL_NAN_INITIALIZE)
  target_compile_definitions(trammel_settings INTERFACE EIGEN_INITIALIZE_MATRICES_BY_NAN)
endif()

if(TRAMMEL_SANITIZE)
  # For all targets alike, also those that do not link trammel_settings: half a sanitized program reports nonsense.
  add_compile_options(-fsanitize=${TRAMMEL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # The code that the sanitizers insert makes g++ warn where nothing is wrong; the other builds hold the line.
  target_compile_options(trammel_settings INTERFACE -Wno-error)
  add_link_options(-fsanitize=${TRAMMEL_SANITIZE})
endif()

# One Catch2 program from the sources in the calling directory, registered with CTest.
function(trammel_add_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE trammel_settings trammel_catch_main ${ARG_LIBRARIES})
  target_compile_definitions(${name} PRIVATE TRAMMEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TRAMMEL_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # g++ 12 takes constants in Eigen's braces for uninitialised memory once it inlines deeply enough.
  target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
