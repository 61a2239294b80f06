/**
 * The folder of one execution on the agent: which file in it is what. Texts only; nothing here touches the
 * disk.
 */
import { processPaths } from '../../src/domain/task/task-paths.ts';

export interface TaskFolder {
  readonly root: string;
  /** Why the main task was told to end; written before it is told. */
  readonly stop: string;
  /**
   * `/proc/self/stat` of the supervisor, written by itself, and a line that it was given to keep: exists exactly when
   * the main task may have begun.
   */
  readonly supervisor: string;
  /** Exit code, written by the supervisor when the main task has ended and nobody was there to be told. */
  readonly exit: string;
  /** Why the main task did not begin, written in the same way. */
  readonly fault: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly input: string;
  readonly inputMetadata: string;
  readonly output: string;
  /** Home, working directory and place for temporary files of a process task. */
  readonly work: string;
}

export function taskFolder(root: string): TaskFolder {
  return {
    root,
    stop: `${root}/stop`,
    supervisor: `${root}/supervisor`,
    exit: `${root}/exit`,
    fault: `${root}/fault`,
    stdout: `${root}/stdout`,
    stderr: `${root}/stderr`,
    ...processPaths(root),
    work: `${root}/work`,
  };
}
