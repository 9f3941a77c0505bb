// SPDX-License-Identifier: Apache-2.0
//
// hiprtc has the functions built in.
#pragma once
