# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Embeds text files in a program. embed_files(TARGET HEADER NAMESPACE FILES...) adds a command to TARGET that writes
# HEADER when a file has changed. HEADER has one std::string_view constant for each file, such as kOpenapi_json for
# openapi.json. This file run as a script (-P) writes HEADER.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made by cmake/EmbedFile.cmake.\n#pragma once\n\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" name ${name})
    string(SUBSTRING ${name} 0 1 first)
    string(TOUPPER ${first} first)
    string(SUBSTRING ${name} 1 -1 rest)
    file(READ ${file} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND text "inline constexpr char k${first}${rest}_bytes[] = {${bytes}};\n"
      "inline constexpr std::string_view k${first}${rest}(k${first}${rest}_bytes, ${size});\n")
  endforeach()
  string(APPEND text "}  // namespace ${NAMESPACE}\n")
  file(WRITE ${HEADER} "${text}")
  return()
endif()

set(EMBED_FILE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(embed_files TARGET HEADER NAMESPACE)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  set(header ${CMAKE_BINARY_DIR}/generated/${HEADER})
  add_custom_command(OUTPUT ${header} DEPENDS ${files} ${EMBED_FILE_SCRIPT} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DHEADER=${header} -DNAMESPACE=${NAMESPACE} -P ${EMBED_FILE_SCRIPT})
  target_sources(${TARGET} PRIVATE ${header})
  target_include_directories(${TARGET} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
