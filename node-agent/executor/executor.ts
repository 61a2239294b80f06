/**
 * The port for running the main task of an execution. A started task can always be found again, because the agent may
 * be killed at any moment. An executor neither stages files nor interprets results.
 */

import type { TaskPaths } from '../../src/domain/task/task-paths.ts';
import type { LogCut, Used } from '../../src/domain/task/task-result.ts';
import type { TaskFolder } from '../task/task-folder.ts';

export interface TaskMount {
  readonly name: string;
  /** Absolute, as the task sees it. */
  readonly containerPath: string;
  readonly isReadOnly: boolean;
  readonly source:
    | { readonly type: 'host'; readonly hostPath: string }
    | {
        readonly type: 'volume';
        readonly driver: string;
        readonly driverOptions: Readonly<Record<string, string>>;
      };
}

/** The data of a task that every start of the agent has; nothing secret. */
export interface TaskIdentity {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly jobTypeName: string;
  readonly jobTypeVersion: string;
  readonly image: string;
  readonly folder: TaskFolder;
  /** Bytes of each output stream that are kept. */
  readonly logBytesMax: number;
}

export interface MainTask extends TaskIdentity {
  readonly argv: readonly string[];
  /** May hold secrets: never written, never logged. */
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly TaskMount[];
  /** The manifest declares that the task writes only to its output, `/tmp` and its mounts. */
  readonly isRootReadOnly: boolean;
  /** Held by the execution: cpus in cores; mem, disk, sharedmem in MiB; gpus in units. */
  readonly resources: Readonly<Record<string, number>>;
  /** A line that is stored with the started task, for a restart that finds it; nothing secret. */
  readonly note: string;
}

/** 128 + SIGKILL. */
export const KILLED_CODE = 137;

export type MainEnd = (
  | {
      readonly how: 'exited';
      /** As in a shell: 128 + signal if a signal ended it. */
      readonly exitCode: number;
      readonly endedMs: number;
      readonly isOutOfMemory: boolean;
      /**
       * SIGKILL ended its first process. In a container, nothing inside can send it that signal. The process may have
       * sent it to itself, but more often the host was short of memory, or a person killed it.
       */
      readonly isKilled?: boolean;
    }
  /** It ended in an unknown way: its supervisor was killed, or the host restarted. */
  | { readonly how: 'lost'; readonly endedMs: number; readonly detail: string }
) & {
  /** What it used, as far as it was measured; without its disk. */
  readonly used?: Used | undefined;
  /** Bytes of each stream that it wrote and that are not in its folder. */
  readonly logCut?: LogCut | undefined;
  /** No process has the files of its streams any more, and none of its own ever had them. */
  readonly areLogsClosed?: boolean;
};

export interface MainRun {
  readonly startedMs: number;
  /** The note from the start. */
  readonly note: string;
  /** `sha256:<hex>` of its image, if that is known. */
  readonly imageDigest?: string | undefined;
  /** Resolves when no process of the task runs any more. */
  readonly ended: Promise<MainEnd>;
  /** Sends the signal to all processes of the task. Repeats are harmless. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/**
 * Tasks whose folders are alike when they begin, so that one that its task left untouched can be given to another of
 * them.
 */
export interface FolderKind {
  /** Equal only for the same kind. */
  readonly name: string;
  /** Creates the directories in an empty folder, with their owners. */
  make(folder: TaskFolder): Promise<void>;
  /** All directories directly in the folder. */
  directories(folder: TaskFolder): readonly string[];
  /** Directories below it, or among those, whose content or attributes a task can change. */
  changeable(folder: TaskFolder): readonly string[];
  /** Directories that a task cannot change, but the kernel for it; they have to be empty, or not there. */
  emptied(folder: TaskFolder): readonly string[];
}

export interface Executor {
  /** As offered: `docker`, `process:default`. */
  readonly name: string;
  /** Why it cannot be offered at present, or undefined. */
  unavailable(): Promise<string | undefined>;
  /** How it runs tasks, for people; undefined if there is nothing to say. */
  remark?(): Promise<string | undefined>;
  paths(folder: TaskFolder): TaskPaths;
  /** Pulls the image. Throws TaskFailure `pull`. */
  pull(image: string, signal: AbortSignal): Promise<void>;
  /**
   * After a restart of the agent, before anything is started: reserves again the resources that the task holds (a user
   * id).
   */
  reclaim(task: TaskIdentity): Promise<void>;
  /**
   * After `reclaim`, before anything is started: ends and removes leftovers of earlier runs of the agent whose
   * executions are no longer held. Never rejects.
   */
  removeLeftovers(held: ReadonlySet<number>): Promise<void>;
  /** What `prepare` creates; undefined if that is for this task alone. */
  folderKind?(task: TaskIdentity): Promise<FolderKind | undefined>;
  /** Creates the directories in an empty folder, owned so that the task can read its input and write its output. */
  prepare(task: TaskIdentity): Promise<void>;
  /** Makes a staged file readable by this task and writable by nobody. */
  makeReadOnly(task: TaskIdentity, path: string): Promise<void>;
  /** The same for a directory, once it is complete. */
  makeFolderReadOnly(task: TaskIdentity, path: string): Promise<void>;
  /** Starts the task unless it was started before; then as `find`. Throws TaskFailure if it cannot begin. */
  start(task: MainTask): Promise<MainRun>;
  /** The task that was started for this execution before, running or ended; undefined if none was. */
  find(task: TaskIdentity): Promise<MainRun | undefined>;
  /** Whether a file below the output directory is the task's own, rather than a link to another file. */
  owns(task: TaskIdentity, file: { readonly uid: number }): boolean;
  /** Whether its tasks read or write their folder. */
  readonly usesFolder: boolean;
  /** Whether a single file of the host can be mounted into a task. */
  readonly mountsFiles: boolean;
  /** Releases what the executor holds for the task (container, user id). Repeatable; the folder stays. */
  release(task: TaskIdentity): Promise<void>;
  /** When the agent stops: removes what is kept for later tasks. */
  close?(): Promise<void>;
}
