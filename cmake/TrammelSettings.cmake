# Settings that every target shares: link the interface target trammel_settings PRIVATE or PUBLIC.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)

add_library(trammel_settings INTERFACE)
target_include_directories(trammel_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(trammel_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                                  -Wnon-virtual-dtor -Wold-style-cast -Werror)
# Equal results on every machine and at every level of optimisation: no contraction, no value-changing shortcuts.
target_compile_options(trammel_settings INTERFACE -ffp-contract=off)

# One Catch2 program from the sources in the calling directory, registered with CTest.
function(trammel_add_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE trammel_settings trammel_catch_main ${ARG_LIBRARIES})
  target_compile_definitions(${name} PRIVATE TRAMMEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TRAMMEL_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
