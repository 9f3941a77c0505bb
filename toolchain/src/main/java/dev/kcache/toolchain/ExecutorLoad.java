// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

/**
 * Where the commands are that machines of an executor are to run, at one moment.
 *
 * @param queued those that wait until a machine takes them
 * @param running those that a machine runs
 * @param done those that have ended since the executor was opened, however they did
 */
public record ExecutorLoad(int queued, int running, long done) {}
