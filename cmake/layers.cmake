# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Functions that add a layer of src/ and its unit tests, and the compiler flags of code without time limits.
include(precompiled)
include(suites)
include(unity)
add_precompiled(weft_headers LIBRARY precompiled.h weft_flags fmt::fmt)
# Flags of layers without time-critical code: a higher optimization level costs compile time without a gain. At this
# level GCC 12 wrongly reports members of std::optional as uninitialized.
add_library(weft_cold_flags INTERFACE)
target_link_libraries(weft_cold_flags INTERFACE weft_flags)
target_compile_options(weft_cold_flags INTERFACE $<$<CONFIG:Release>:-Og>
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
# Flags of tests: compiled without optimization and without hardening, which costs the least compile time.
add_library(weft_test_flags INTERFACE)
target_link_libraries(weft_test_flags INTERFACE weft_base_flags)
target_compile_options(weft_test_flags INTERFACE $<$<CONFIG:Release>:-O0> -D_GLIBCXX_ASSERTIONS)
# For a test program, gold takes 40 % of the processor time of the default linker of binutils, and lld 20 %.
if(NOT WEFT_SANITIZE)
  foreach(linker lld gold)
    find_program(LINKER_${linker} ld.${linker})
    if(LINKER_${linker})
      target_link_options(weft_test_flags INTERFACE -fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()
add_precompiled(weft_cold_headers LIBRARY precompiled.h weft_cold_flags fmt::fmt)

# A folder under src/ is a layer: one static library, which declares the layers that it may include.
# tests/check_arrows.py compares these declarations with the #include lines, and reports dependencies on higher layers.
#   add_layer(routing SOURCES minhop.cpp updn.cpp DEPENDS routes LIBRARIES TBB::tbb)
# BATCH: number of sources that are compiled together (see unity.cmake); with a smaller number, less is compiled after
# an edit. COLD: no source of the layer needs optimization. COLD_SOURCES: the sources that need no optimization, if
# others do.
function(add_layer NAME)
  cmake_parse_arguments(LAYER "COLD" "BATCH" "SOURCES;COLD_SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  if(NOT LAYER_BATCH)
    set(LAYER_BATCH 40)
  endif()
  add_library(weft_${NAME} STATIC ${LAYER_SOURCES})
  list(TRANSFORM LAYER_DEPENDS PREPEND weft_ OUTPUT_VARIABLE depends)
  set(kind weft)
  if(LAYER_COLD)
    set(kind weft_cold)
  endif()
  target_link_libraries(weft_${NAME} PUBLIC ${depends} ${LAYER_LIBRARIES} PRIVATE ${kind}_flags)
  target_include_directories(weft_${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  use_precompiled(weft_${NAME} ${kind}_headers)
  use_unity(weft_${NAME} ${LAYER_BATCH})
  if(LAYER_COLD_SOURCES)
    add_library(weft_${NAME}_cold OBJECT ${LAYER_COLD_SOURCES})
    target_link_libraries(weft_${NAME}_cold PRIVATE ${depends} ${LAYER_LIBRARIES} weft_cold_flags)
    use_precompiled(weft_${NAME}_cold weft_cold_headers)
    use_unity(weft_${NAME}_cold ${LAYER_BATCH})
    target_sources(weft_${NAME} PRIVATE $<TARGET_OBJECTS:weft_${NAME}_cold>)
  endif()
endfunction()

# Appends to the list OUT of the calling scope the layers that TARGET links, directly or through other targets.
function(find_linked_layers TARGET PROPERTY OUT)
  set(found ${${OUT}})
  get_target_property(libraries ${TARGET} ${PROPERTY})
  foreach(library IN LISTS libraries)
    if(TARGET ${library} AND NOT library IN_LIST found)
      get_target_property(folder ${library} SOURCE_DIR)
      get_target_property(type ${library} TYPE)
      if(type STREQUAL STATIC_LIBRARY AND folder MATCHES "^${CMAKE_SOURCE_DIR}/src/")
        list(APPEND found ${library})
      endif()
      find_linked_layers(${library} INTERFACE_LINK_LIBRARIES found)
    endif()
  endforeach()
  set(${OUT} ${found} PARENT_SCOPE)
endfunction()

# Of an inline function that several objects contain, the linker takes the first one. So the layers come before the objects of a test
# program: otherwise the layers, too, would call the functions that were compiled for the tests without optimization. Call after target_link_libraries().
function(link_layers_first TARGET)
  set(layers "")
  find_linked_layers(${TARGET} LINK_LIBRARIES layers)
  list(TRANSFORM layers REPLACE ".+" "$<TARGET_FILE:\\0>")
  target_link_options(${TARGET} PRIVATE LINKER:--whole-archive ${layers} LINKER:--no-whole-archive)
endfunction()

# Unit tests of a layer: one GoogleTest program with the ctest label LABEL, by default "fast".
#   add_layer_tests(routing SOURCES minhop_test.cpp DEPENDS verify)
# COMPUTING: those of the sources that compute so much that optimization saves more time than it takes.
# LONG: suites that take more than 4 s of processor time. Each case of these suites is a separate ctest test (see suites.cmake).
function(add_layer_tests NAME)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT" "SOURCES;COMPUTING;DEPENDS;LIBRARIES;LONG" ${ARGN})
  if(NOT T_LABEL)
    set(T_LABEL fast)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  math(EXPR T_TIMEOUT "${WEFT_TIMEOUT_FACTOR} * ${T_TIMEOUT}")
  list(TRANSFORM T_DEPENDS PREPEND weft_ OUTPUT_VARIABLE depends)
  add_executable(${NAME}_tests ${T_SOURCES})
  target_link_libraries(${NAME}_tests PRIVATE weft_test_flags weft_testing ${depends} ${T_LIBRARIES}
    GTest::gmock GTest::gtest_main rapidcheck)
  link_layers_first(${NAME}_tests)
  use_precompiled(${NAME}_tests weft_test_headers)
  set_source_files_properties(${T_COMPUTING} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  use_unity(${NAME}_tests 40)
  add_suites(${NAME} PROGRAM ${NAME}_tests LONG ${T_LONG} PROPERTIES LABELS ${T_LABEL} TIMEOUT ${T_TIMEOUT})
endfunction()
