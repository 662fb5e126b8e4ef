# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# CPack runs this on each package's tree: adds the files that Debian's policy requires.
file(GLOB trees ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(tree ${trees})
  get_filename_component(name ${tree} NAME)
  if(NOT name STREQUAL weft)
    set(name weft-${name})
  endif()
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${tree}/usr/share/doc/${name})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/changelog DESTINATION ${tree}/usr/share/doc/${name})
  file(GLOB_RECURSE pages ${tree}/usr/share/man/*.[1-8])
  execute_process(COMMAND gzip -9nf ${pages} ${tree}/usr/share/doc/${name}/changelog COMMAND_ERROR_IS_FATAL ANY)
endforeach()
