/**
 * The folder of one execution on the agent: which file in it is what. Texts only; nothing here touches the
 * disk.
 */
import { join } from 'node:path';

export interface TaskFolder {
  readonly root: string;
  /** Written by the agent before the main task may begin: what a restart must know. */
  readonly state: string;
  /** Why the main task was told to end; written before it is told. */
  readonly stop: string;
  /**
   * `/proc/self/stat` of the supervisor, written by itself: exists exactly when the main task may have begun.
   */
  readonly supervisor: string;
  /** Exit code, written by the supervisor when the main task has ended. */
  readonly exit: string;
  /** Why the main task did not begin, written by the supervisor. */
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
    state: join(root, 'state.json'),
    stop: join(root, 'stop'),
    supervisor: join(root, 'supervisor'),
    exit: join(root, 'exit'),
    fault: join(root, 'fault'),
    stdout: join(root, 'stdout'),
    stderr: join(root, 'stderr'),
    input: join(root, 'input'),
    inputMetadata: join(root, 'input-metadata.json'),
    output: join(root, 'output'),
    work: join(root, 'work'),
  };
}
