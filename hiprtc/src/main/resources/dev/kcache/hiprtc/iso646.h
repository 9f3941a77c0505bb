// SPDX-License-Identifier: Apache-2.0
//
// The language has its names.
#pragma once
