// SPDX-License-Identifier: Apache-2.0
//
// hiprtc has the language built in.
#pragma once
