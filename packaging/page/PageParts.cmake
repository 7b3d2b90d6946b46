# Writes page_parts.cpp: the sources of the page and Dygraphs (Debian's libjs-dygraphs, minified), which the program carries.
find_path(DYGRAPHS_DIR NAMES dygraph.min.js PATHS /usr/share/javascript/dygraphs /usr/share/nodejs/dygraphs/dist
          DOC "Folder of dygraph.min.js and dygraph.min.css")
if(NOT DYGRAPHS_DIR)
  message(FATAL_ERROR "dygraph.min.js is missing: install libjs-dygraphs, or set DYGRAPHS_DIR")
endif()

function(trammel_read_part variable file)
  file(READ "${file}" text)
  # Browsers would look for the map beside the page.
  string(REGEX REPLACE "\n*(//#|/\\*#) sourceMappingURL=[^\n]*" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
endfunction()

set(page_dir "${CMAKE_CURRENT_LIST_DIR}")
trammel_read_part(PAGE_FRAME "${page_dir}/page.html.in")
trammel_read_part(PAGE_MOTION "${page_dir}/motion.html.in")
trammel_read_part(PAGE_PLOTS "${page_dir}/plots.html.in")
trammel_read_part(PAGE_USE "${page_dir}/use.html.in")
trammel_read_part(PAGE_COUPLE "${page_dir}/couple.html.in")
trammel_read_part(PAGE_STYLE "${page_dir}/page.css")
trammel_read_part(PAGE_SCRIPT "${page_dir}/page.js")
trammel_read_part(PAGE_CAMERA "${page_dir}/camera.js")
trammel_read_part(PAGE_ANIMATION "${page_dir}/animation.js")
trammel_read_part(PAGE_CHART_STYLE "${DYGRAPHS_DIR}/dygraph.min.css")
trammel_read_part(PAGE_CHART_LIBRARY "${DYGRAPHS_DIR}/dygraph.min.js")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page_dir}/page_parts.cpp.in")
configure_file("${page_dir}/page_parts.cpp.in" page_parts.cpp @ONLY)
