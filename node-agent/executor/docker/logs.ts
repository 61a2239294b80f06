/**
 * Copies the output of a container to the task's files, from where an earlier copy stopped. The engine keeps all of it,
 * so a restart of the agent loses nothing.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { LogCut } from '../../../src/domain/task/task-result.ts';
import type { TaskFolder } from '../../task/task-folder.ts';

const HEADER_BYTES = 8;

interface Copy {
  readonly file: FileHandle;
  /** Bytes of the engine's stream that the file has already. */
  skip: number;
  size: number;
  /** Bytes of the engine's stream. */
  total: number;
}

/** Reads the engine's multiplexed stream to its end. Resolves with how many bytes did not fit, if any. */
export async function copyLogs(
  stream: AsyncIterable<Buffer | string>,
  folder: TaskFolder,
  bytesMax: number,
): Promise<LogCut | undefined> {
  const copies = { 1: await openCopy(folder.stdout), 2: await openCopy(folder.stderr) };
  try {
    let rest = Buffer.alloc(0);
    for await (const piece of stream) {
      rest = Buffer.concat([rest, Buffer.from(piece as Buffer)]);
      while (rest.length >= HEADER_BYTES) {
        const end = HEADER_BYTES + rest.readUInt32BE(4);
        if (rest.length < end) break;
        await append(copies[rest[0] === 2 ? 2 : 1], rest.subarray(HEADER_BYTES, end), bytesMax);
        rest = rest.subarray(end);
      }
    }
  } finally {
    await Promise.all([copies[1].file.close(), copies[2].file.close()]);
  }
  const cut = ({ total }: Copy): number => Math.max(0, total - bytesMax);
  const [stdout, stderr] = [cut(copies[1]), cut(copies[2])];
  return stdout + stderr === 0 ? undefined : { stdout, stderr };
}

async function openCopy(path: string): Promise<Copy> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  const { size } = await file.stat();
  return { file, skip: size, size, total: 0 };
}

async function append(copy: Copy, content: Buffer, bytesMax: number): Promise<void> {
  copy.total += content.length;
  const fresh = content.subarray(Math.min(copy.skip, content.length));
  copy.skip -= content.length - fresh.length;
  const kept = fresh.subarray(0, Math.max(0, bytesMax - copy.size));
  if (kept.length === 0) return;
  // Bytes are written at their offsets, so that concurrent copies of an agent and its successor write the same.
  let written = 0;
  while (written < kept.length) {
    const left = kept.length - written;
    written += (await copy.file.write(kept, written, left, copy.size + written)).bytesWritten;
  }
  copy.size += kept.length;
}
