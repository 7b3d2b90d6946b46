# What `cmake --install` lays down and CPack packs:
#   bin/trammel                       the program; it finds the rest from its own place, so the tree can be moved
#   lib/trammel/platforms/<tuple>/    runtime binaries, as they are and deflated
#   share/trammel/catalogue/          models
#   share/man, bash-completion, zsh, fish
#   include/trammel, lib/*.a, lib/cmake/Trammel    for find_package(Trammel)
include(CMakePackageConfigHelpers)

install(TARGETS trammel EXPORT TrammelTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${TRAMMEL_PLATFORMS_DIR}/" DESTINATION lib/trammel/platforms USE_SOURCE_PERMISSIONS)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/catalogue/" DESTINATION "${CMAKE_INSTALL_DATADIR}/trammel/catalogue"
        FILES_MATCHING PATTERN "*.toml" PATTERN pictures EXCLUDE PATTERN reference EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/packaging/licenses_of_parts.txt"
              "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/trammel")

# The man page is made of the texts that --help shows.
set(man_page "${PROJECT_BINARY_DIR}/trammel.1")
add_custom_command(OUTPUT "${man_page}"
  COMMAND "${CMAKE_COMMAND}" -DPROGRAM=$<TARGET_FILE:trammel> -DVERSION=${PROJECT_VERSION} -DOUTPUT=${man_page}
          -P "${PROJECT_SOURCE_DIR}/cmake/ManPage.cmake"
  DEPENDS trammel "${PROJECT_SOURCE_DIR}/cmake/ManPage.cmake"
  COMMENT "Writing the man page" VERBATIM)
add_custom_target(trammel_man_page ALL DEPENDS "${man_page}")
install(FILES "${man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${PROJECT_SOURCE_DIR}/packaging/completion/trammel.bash" RENAME trammel
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${PROJECT_SOURCE_DIR}/packaging/completion/trammel.zsh" RENAME _trammel
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${PROJECT_SOURCE_DIR}/packaging/completion/trammel.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

# Libraries for C++ programs that build models or run the solver themselves.
set_target_properties(trammel_settings PROPERTIES EXPORT_NAME settings)
set_target_properties(trammel_solver PROPERTIES EXPORT_NAME solver)
set_target_properties(trammel_models PROPERTIES EXPORT_NAME models)
set_target_properties(trammel_interface PROPERTIES EXPORT_NAME interface)
set_target_properties(trammel_instance PROPERTIES EXPORT_NAME instance)
install(TARGETS trammel_settings trammel_solver trammel_models trammel_interface trammel_instance
        EXPORT TrammelTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# The functions of FMI for models coded in C++ are linked whole, which a library would not be.
install(FILES $<TARGET_OBJECTS:trammel_coded_runtime> DESTINATION lib/trammel/coded)
install(FILES "${PROJECT_SOURCE_DIR}/fmu_src/exports.map" DESTINATION lib/trammel/coded)
foreach(library IN ITEMS solver models)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${library}/" DESTINATION "include/trammel/${library}"
          FILES_MATCHING PATTERN "*.hpp")
endforeach()
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Trammel")
install(EXPORT TrammelTargets NAMESPACE Trammel:: DESTINATION "${package_folder}")
set(TRAMMEL_CODED_DIR lib/trammel/coded)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TrammelConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/TrammelConfig.cmake" INSTALL_DESTINATION "${package_folder}"
                              PATH_VARS TRAMMEL_CODED_DIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TrammelConfig.cmake" "${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TrammelAddFmu.cmake" DESTINATION "${package_folder}")

# cpack: trammel_<version>_<architecture>.deb and trammel-<version>-<platform>.tar.gz
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME trammel)
set(CPACK_PACKAGE_VENDOR "Trammel")
set(CPACK_PACKAGE_CONTACT "The Trammel maintainers <maintainers@trammel.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME "trammel-${PROJECT_VERSION}-${TRAMMEL_PLATFORM}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_TRAMMEL_BUILD_DIR "${PROJECT_BINARY_DIR}")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/DebDependencies.cmake")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libeigen3-dev, cmake")
include(CPack)
