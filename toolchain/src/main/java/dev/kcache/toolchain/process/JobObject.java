// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * A job object of Windows, which ends all processes in it together: when it is told so, when it is
 * closed, and when this JVM dies, since no other process has it open. Children are in the job of
 * their parent.
 */
final class JobObject implements AutoCloseable {
  /** {@code JobObjectExtendedLimitInformation} of winnt.h, and the size of its structure. */
  private static final int EXTENDED_LIMITS = 9;

  private static final int SIZE = 144;

  /** The offset of {@code BasicLimitInformation.LimitFlags}, and the flag in it. */
  private static final int FLAGS = 16;

  private static final int KILL_ON_JOB_CLOSE = 0x2000;

  /**
   * {@code PROCESS_TERMINATE | PROCESS_SET_QUOTA}, which are needed to put a process into a job.
   */
  private static final int ACCESS = 0x0101;

  /** No pointer, which has the size of a long. */
  private static final long NULL = 0;

  private final long handle;
  private final Kernel kernel;
  private boolean closed;

  private JobObject(long handle, Kernel kernel) {
    this.handle = handle;
    this.kernel = kernel;
  }

  /** The functions of kernel32. */
  interface Kernel {
    /** Returns the handle that a function returns, 0 if it fails. */
    long handle(String function, Object... arguments);

    /** Returns whether a function succeeds. */
    boolean succeeds(String function, Object... arguments);
  }

  /** Returns a job with a process in it; empty where there is none, or no JNA. */
  static Optional<JobObject> around(long pid) {
    try {
      return around(pid, new Kernel32());
    } catch (LinkageError e) {
      return Optional.empty();
    }
  }

  static Optional<JobObject> around(long pid, Kernel kernel) {
    long job = kernel.handle("CreateJobObjectW", NULL, NULL);
    if (job == NULL) {
      return Optional.empty();
    }
    JobObject made = new JobObject(job, kernel);
    if (kernel.succeeds("SetInformationJobObject", job, EXTENDED_LIMITS, limits(), SIZE)
        && made.add((int) pid)) {
      return Optional.of(made);
    }
    made.close();
    return Optional.empty();
  }

  private static byte[] limits() {
    byte[] limits = new byte[SIZE];
    ByteBuffer.wrap(limits).order(ByteOrder.LITTLE_ENDIAN).putInt(FLAGS, KILL_ON_JOB_CLOSE);
    return limits;
  }

  private boolean add(int pid) {
    long process = kernel.handle("OpenProcess", ACCESS, 0, pid);
    if (process == NULL) {
      return false;
    }
    boolean added = kernel.succeeds("AssignProcessToJobObject", handle, process);
    return kernel.succeeds("CloseHandle", process) && added;
  }

  /** Ends the processes in it. Does nothing once it is closed. */
  synchronized void end() {
    if (!closed) {
      kernel.succeeds("TerminateJobObject", handle, 1);
    }
  }

  /** Ends the processes in it. Closing twice has no effect: the handle may be another's then. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      kernel.succeeds("CloseHandle", handle);
    }
  }

  /** Handles have the size of a pointer, and {@code BOOL} that of an int. */
  private static final class Kernel32 implements Kernel {
    private final NativeLibrary library = NativeLibrary.getInstance("kernel32");

    @Override
    public long handle(String function, Object... arguments) {
      return function(function).invokeLong(arguments);
    }

    @Override
    public boolean succeeds(String function, Object... arguments) {
      return function(function).invokeInt(arguments) != 0;
    }

    private Function function(String name) {
      return library.getFunction(name);
    }
  }
}
