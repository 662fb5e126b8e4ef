# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Precompiled headers: one set for optimized sources, one for sources with weft_cold_flags (see layers.cmake), and one for tests.
# A target reuses a set instead of compiling its own.
option(WEFT_PRECOMPILE "Precompile the headers of libraries" ON)

# Adds an empty target that compiles HEADER for other targets. KIND is LIBRARY or EXECUTABLE, and must be that of the
# other targets, because the flags for position-independent code differ.
function(add_precompiled NAME KIND HEADER)
  if(WEFT_PRECOMPILE)
    set(source ${CMAKE_BINARY_DIR}/precompiled/${NAME}.cpp)
    if(KIND STREQUAL EXECUTABLE)
      file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
      add_executable(${NAME} ${source})
      set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/precompiled)
    else()
      file(CONFIGURE OUTPUT ${source} CONTENT "\n")
      add_library(${NAME} STATIC ${source})
    endif()
    target_link_libraries(${NAME} PRIVATE ${ARGN})
    target_precompile_headers(${NAME} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${HEADER})
  endif()
endfunction()

function(use_precompiled TARGET NAME)
  if(WEFT_PRECOMPILE)
    target_precompile_headers(${TARGET} REUSE_FROM ${NAME})
  endif()
endfunction()
