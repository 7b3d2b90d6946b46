# Read by cpack before it makes a package: the packages that the program needs, by dpkg-shlibdeps. CPack's own search,
# CPACK_DEBIAN_PACKAGE_SHLIBDEPS, would ask for the libraries of all binaries, those for other machines too, and fail.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps REQUIRED)
set(folder "${CPACK_TRAMMEL_BUILD_DIR}/deb")
file(WRITE "${folder}/debian/control" "Source: trammel\n\nPackage: trammel\nArchitecture: any\n")  # it wants to see one
execute_process(COMMAND "${DPKG_SHLIBDEPS}" -O "${CPACK_TRAMMEL_BUILD_DIR}/trammel" WORKING_DIRECTORY "${folder}"
                OUTPUT_VARIABLE words ERROR_VARIABLE errors RESULT_VARIABLE code OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0 OR NOT words MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "dpkg-shlibdeps cannot tell what the program needs: ${words}${errors}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
