/**
 * Ends every task successfully at once without running anything, to measure the cost of the rest of the system. Offered
 * only if the agent's configuration names it; not for real work.
 */
import { mkdir } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Executor, MainRun, MainTask } from './executor.ts';

export const NOOP_EXECUTOR = 'process:noop';

export function createNoopExecutor(clock: Clock): Executor {
  const done = async (): Promise<void> => undefined;
  const ended = async ({ note }: MainTask): Promise<MainRun> => {
    const nowMs = clock.nowMs();
    const end = { how: 'exited', exitCode: 0, endedMs: nowMs, isOutOfMemory: false } as const;
    return { startedMs: nowMs, note, ended: Promise.resolve(end), signal: done };
  };
  return {
    name: NOOP_EXECUTOR,
    unavailable: async () => undefined,
    paths: ({ input, output, inputMetadata }) => ({ input, output, inputMetadata }),
    pull: done,
    reclaim: done,
    removeLeftovers: done,
    prepare: async ({ folder }) => {
      await mkdir(folder.output);
    },
    makeReadOnly: done,
    makeFolderReadOnly: done,
    usesFolder: false,
    mountsFiles: false,
    start: ended,
    find: async () => undefined,
    owns: () => true,
    release: done,
  };
}
