# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# One ctest test for each suite of a GoogleTest program. Thousands of processes, one for each case, take longer to start than most cases take to run.
#   add_suites(routing PROGRAM routing_tests LONG Small/Engines FILTER -Slow.Case PROPERTIES LABELS fast)
# adds routing.Abc for the suite Abc, and routing.Small/Engines.1 to routing.Small/Engines.16. LONG: suites that are divided into at most 16 tests, so that
# cases run at the same time and start first. FILTER: a filter of GoogleTest that excludes cases. PROPERTIES: of all these tests.
#
# A suite with a skipped case is reported as skipped only if no case fails. Only then the name of the skipped case is the last line of the output:
# GoogleTest lists failed cases after skipped ones.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(WEFT_SUITES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(add_suites NAME)
    cmake_parse_arguments(T "" "PROGRAM;FILTER" "LONG;PROPERTIES" ${ARGN})
    set(tests ${CMAKE_CURRENT_BINARY_DIR}/${T_PROGRAM}_suites.cmake)
    # Semicolons would end the arguments of the command.
    list(JOIN T_LONG "|" long)
    list(JOIN T_PROPERTIES "|" properties)
    set_property(TARGET ${T_PROGRAM} APPEND PROPERTY LINK_DEPENDS ${WEFT_SUITES_SCRIPT})
    add_custom_command(TARGET ${T_PROGRAM} POST_BUILD BYPRODUCTS ${tests} VERBATIM
      COMMAND ${CMAKE_COMMAND} -D PREFIX=${NAME} -D PROGRAM=$<TARGET_FILE:${T_PROGRAM}> -D FOLDER=${CMAKE_CURRENT_BINARY_DIR} -D TESTS=${tests}
        -D "FILTER=${T_FILTER}" -D "LONG=${long}" -D "PROPERTIES=${properties}" -P ${WEFT_SUITES_SCRIPT})
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${T_PROGRAM}_include.cmake)
    file(WRITE ${include} "if(EXISTS \"${tests}\")\n  include(\"${tests}\")\nelse()\n  add_test(${T_PROGRAM}_NOT_BUILT ${T_PROGRAM}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" LONG "${LONG}")
string(REPLACE "|" " " PROPERTIES "${PROPERTIES}")
set(filter "")
if(FILTER)
  set(filter --gtest_filter=${FILTER})
endif()
execute_process(COMMAND ${PROGRAM} --gtest_list_tests ${filter} WORKING_DIRECTORY ${FOLDER} TIMEOUT 60
  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)

set(script "")
function(add_suite NAME SELECTED MORE)
  set(script "${script}add_test([==[${PREFIX}.${NAME}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${SELECTED}${FILTER}]==])
set_tests_properties([==[${PREFIX}.${NAME}]==] PROPERTIES WORKING_DIRECTORY [==[${FOLDER}]==] SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\] [^\n]*\n$]==] ${PROPERTIES} ${MORE})
" PARENT_SCOPE)
endfunction()

# Values of parameters, which may contain any character, are comments.
string(REGEX REPLACE " +#[^\n]*" "" listed "${listed}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(suite "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
    if(suite IN_LIST LONG)
      list(APPEND long_suites ${suite})
    else()
      add_suite(${suite} "${suite}.*" "")
    endif()
  elseif(suite IN_LIST LONG AND line MATCHES "^  ([^ ]+)$")
    list(APPEND cases_of_${suite} ${suite}.${CMAKE_MATCH_1})
  endif()
endforeach()
foreach(suite IN LISTS long_suites)
  list(LENGTH cases_of_${suite} count)
  math(EXPR size "(${count} + 15) / 16")
  set(number 0)
  math(EXPR last "${count} - 1")
  foreach(first RANGE 0 ${last} ${size})
    list(SUBLIST cases_of_${suite} ${first} ${size} part)
    math(EXPR number "${number} + 1")
    list(JOIN part ":" selected)
    add_suite(${suite}.${number} "${selected}" "COST 10")
  endforeach()
endforeach()
list(REMOVE_ITEM LONG ${long_suites} "")
if(LONG)
  message(FATAL_ERROR "${PROGRAM}: found no suite ${LONG}, expected the suites of LONG in its CMakeLists.txt")
endif()
file(WRITE ${TESTS} "${script}")
