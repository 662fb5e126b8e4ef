// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Headers of most tests, compiled once (see precompiled.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.h"
