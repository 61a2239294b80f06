/**
 * The folder of one execution on the agent: the names of its files. It computes paths only, and does not access the
 * disk.
 */
import { processPaths } from '../../src/domain/task/task-paths.ts';

export interface TaskFolder {
  readonly root: string;
  /** Why the main task was ended; written before it is ended. */
  readonly stop: string;
  /**
   * `/proc/self/stat` of the supervisor, written by itself, and the task's note. It exists exactly if the main task may
   * have begun.
   */
  readonly supervisor: string;
  /** In a folder that another task has had: that task's `supervisor`, out of which the next one is made. */
  readonly spare: string;
  /** Exit code, written by the supervisor if the main task has ended without an agent. */
  readonly exit: string;
  /** Why the main task did not begin, written in the same way. */
  readonly fault: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly input: string;
  readonly inputMetadata: string;
  readonly output: string;
  /** Home, working directory and temporary files of a process task. */
  readonly work: string;
}

export function taskFolder(root: string): TaskFolder {
  return {
    root,
    stop: `${root}/stop`,
    supervisor: `${root}/supervisor`,
    spare: `${root}/spare`,
    exit: `${root}/exit`,
    fault: `${root}/fault`,
    stdout: `${root}/stdout`,
    stderr: `${root}/stderr`,
    ...processPaths(root),
    work: `${root}/work`,
  };
}
