/**
 * Two workspaces to move files between, on one file system or two, with failures and crashes at every file
 * call.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { IngestPorts } from '../../../node-agent/ingest/ingest-file.ts';
import type { IngestItem, IngestResult } from '../../../node-agent/ingest/ingest-item.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { toFacts } from '../../../src/storage/file-facts.ts';
import { createHostBroker } from '../../../src/storage/host.ts';

/** Thrown by the simulated end of the process: nothing after it happens either. */
export class Crash extends Error {}

export type Fault = 'none' | 'crash' | 'fail';

export interface World {
  readonly roots: { readonly from: string; readonly to: string };
  readonly recorded: IngestResult[];
  readonly steps: string[];
  /** Ports of a process that has just started; its `faultStep`th step fails once or crashes it. */
  start(fault?: Fault, faultStep?: number): IngestPorts;
  /** Ports of a process that calls `gate` before each of its steps. */
  startWith(beforeStep: (step: string) => void): IngestPorts;
  put(root: 'from' | 'to', path: string, content: string): Promise<void>;
  item(path: string, target: string | null, more?: Partial<IngestItem>): Promise<IngestItem>;
  /** Every file below the root with its content, ours and hidden ones too. */
  files(root: 'from' | 'to'): Promise<Record<string, string>>;
}

/** A directory on another file system than the temporary directory, or undefined. */
export async function otherFileSystem(): Promise<string | undefined> {
  if (!existsSync('/dev/shm')) return undefined;
  const [one, other] = await Promise.all([stat('/dev/shm'), stat(tmpdir())]);
  return one.dev === other.dev ? undefined : '/dev/shm';
}

export async function makeWorld(t: Test, targetParent: string = tmpdir()): Promise<World> {
  const roots = {
    from: await mkdtemp(join(tmpdir(), 'millrace-from-')),
    to: await mkdtemp(join(targetParent, 'millrace-to-')),
  };
  t.teardown(() =>
    Promise.all(Object.values(roots).map((root) => rm(root, { recursive: true, force: true }))),
  );
  const recorded: IngestResult[] = [];
  const steps: string[] = [];
  let nextId = 100;
  return {
    roots,
    recorded,
    steps,
    start: (fault = 'none', faultStep = 0) => portsOf(roots, recorded, faultyGate(steps, fault, faultStep)),
    startWith: (beforeStep) => portsOf(roots, recorded, beforeStep),
    put: async (root, path, content) => {
      await mkdir(dirname(join(roots[root], path)), { recursive: true });
      await writeFile(join(roots[root], path), content);
    },
    item: async (path, target, more = {}) => {
      const facts = toFacts(await lstat(join(roots.from, path), { bigint: true }));
      nextId += 1;
      return {
        ingestId: nextId,
        executionId: nextId + 1_000,
        source: { workspace: 'from', path },
        expectedSize: facts.size,
        expectedMtimeMs: facts.mtimeMs,
        expectedIdentity: facts.identity,
        target: target === null ? null : { workspace: 'to', path: target },
        ...more,
      };
    },
    files: (root) => filesBelow(roots[root]),
  };
}

function faultyGate(steps: string[], fault: Fault, faultStep: number): (step: string) => void {
  let count = 0;
  return (step) => {
    count += 1;
    steps.push(step);
    if (fault === 'crash' && count >= faultStep) throw new Crash(step);
    if (fault === 'fail' && count === faultStep)
      throw new AppError('FILESYSTEM_IO', `simulated: ${step}`, {});
  };
}

function portsOf(
  roots: World['roots'],
  recorded: IngestResult[],
  beforeStep: (step: string) => void,
): IngestPorts {
  const brokers = new Map(
    Object.entries(roots).map(([uuid, root]) => [
      uuid,
      createHostBroker({ workspaceUuid: uuid, root, agentId: 'agent', beforeStep }),
    ]),
  );
  return {
    nowMs: () => Date.now(),
    reached: async (uuid) => brokers.get(uuid) as NonNullable<ReturnType<typeof brokers.get>>,
    recordResult: async (result) => {
      beforeStep('before the record');
      recorded.push(result);
      beforeStep('after the record');
    },
  };
}

async function filesBelow(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(root.length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

export function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
