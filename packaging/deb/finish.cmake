# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# CPack runs this on the folder of each package. It adds the files that Debian's policy requires and the bill of materials. It sets
# the time of all files to SOURCE_DATE_EPOCH, by default the date of the changelog, and their modes independently of the builder, so that the
# same sources give the same package.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND sed -n "/^ -- /{s/.*  //p;q}" ${CMAKE_CURRENT_LIST_DIR}/changelog
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND date -d ${date} +%s OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()
file(GLOB trees ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(tree ${trees})
  get_filename_component(name ${tree} NAME)
  if(name STREQUAL python)
    set(name python3-weft)
  elseif(NOT name STREQUAL weft)
    set(name weft-${name})
  endif()
  set(documents ${tree}/usr/share/doc/${name})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${documents})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/changelog DESTINATION ${documents})
  file(GLOB_RECURSE pages ${tree}/usr/share/man/*.[1-8])
  execute_process(COMMAND gzip -9nf ${pages} ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
  set(bill ${name}_${CPACK_PACKAGE_VERSION}.spdx.json)
  execute_process(COMMAND python3 ${CPACK_WEFT_SOURCE}/packaging/sbom.py --name ${name} --version ${CPACK_PACKAGE_VERSION} --tree ${tree}
    --source ${CPACK_WEFT_SOURCE} --build ${CPACK_WEFT_BUILD} --ninja ${CPACK_WEFT_NINJA} --compiler ${CPACK_WEFT_COMPILER}
    --output ${CPACK_PACKAGE_DIRECTORY}/${bill} COMMAND_ERROR_IS_FATAL ANY)
  file(COPY ${CPACK_PACKAGE_DIRECTORY}/${bill} DESTINATION ${documents})
  execute_process(COMMAND gzip -9nf ${documents}/${bill} COMMAND_ERROR_IS_FATAL ANY)
  # Modes must not depend on the umask of the builder.
  execute_process(COMMAND chmod -R u+rwX,go+rX,go-w ${tree} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${tree} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
