// SPDX-License-Identifier: Apache-2.0
// What the compiler that bin/hipcc plays reads of its own.
