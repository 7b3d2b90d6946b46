# For cross builds: header-only libraries of the build machine, away from /usr/include, whose other headers describe
# the C library of the wrong machine.
find_path(TRAMMEL_HOST_INCLUDE_DIR toml++/toml.h PATHS /usr/local/include /usr/include REQUIRED
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH DOC "Directory of the build machine with toml++/toml.h")
set(TOMLPLUSPLUS_INCLUDE_DIR "${PROJECT_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${TOMLPLUSPLUS_INCLUDE_DIR}")
file(CREATE_LINK "${TRAMMEL_HOST_INCLUDE_DIR}/toml++" "${TOMLPLUSPLUS_INCLUDE_DIR}/toml++" SYMBOLIC)
