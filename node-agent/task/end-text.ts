/** An exit code as a sentence that also says what it means, where a signal has ended the task. */

/** Shells, containers and the supervisor report the end by a signal as this number plus that of the signal. */
const SIGNAL_BASE = 128;

/**
 * Signals that end programs, by their numbers on Linux. Others are left out, because programs use their codes for
 * something else: git ends with 129 after a wrong call.
 */
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [2, 'ended by SIGINT'],
  [3, 'ended by SIGQUIT'],
  [4, 'ended by SIGILL, an instruction that this processor does not have'],
  [6, 'ended by SIGABRT, which programs send themselves after an error'],
  [7, 'ended by SIGBUS, memory that could not be read or written'],
  [8, 'ended by SIGFPE, such as a division by zero'],
  [9, 'killed by SIGKILL'],
  [11, 'ended by SIGSEGV, a wrong access to memory'],
  [13, 'ended by SIGPIPE, its output was not read'],
  [15, 'ended by SIGTERM'],
  [24, 'ended by SIGXCPU, its limit of processor time'],
  [25, 'ended by SIGXFSZ, a file became larger than it may'],
  [31, 'ended by SIGSYS, a system call that it may not make'],
]);

export function endText(exitCode: number, isOutOfMemory: boolean): string {
  const meaning = isOutOfMemory ? 'more memory than it was given' : SIGNALS.get(exitCode - SIGNAL_BASE);
  return meaning === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}: ${meaning}`;
}
