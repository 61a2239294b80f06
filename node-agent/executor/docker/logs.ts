/**
 * Copies the output of a container to the task's files, from where an earlier copy stopped. The engine keeps all of it,
 * so a restart of the agent loses nothing.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { TaskFolder } from '../../task/task-folder.ts';

// limit: bytes copied of each stream: one more than are kept, so that the cut is noticed.
const STREAM_BYTES_MAX = 16 * 1024 * 1024 + 1;
const HEADER_BYTES = 8;

interface Copy {
  readonly file: FileHandle;
  /** Bytes of the engine's stream that the file has already. */
  skip: number;
  size: number;
}

/** Reads the engine's multiplexed stream to its end. */
export async function copyLogs(stream: AsyncIterable<Buffer | string>, folder: TaskFolder): Promise<void> {
  const copies = { 1: await openCopy(folder.stdout), 2: await openCopy(folder.stderr) };
  try {
    let rest = Buffer.alloc(0);
    for await (const piece of stream) {
      rest = Buffer.concat([rest, Buffer.from(piece as Buffer)]);
      while (rest.length >= HEADER_BYTES) {
        const end = HEADER_BYTES + rest.readUInt32BE(4);
        if (rest.length < end) break;
        await append(copies[rest[0] === 2 ? 2 : 1], rest.subarray(HEADER_BYTES, end));
        rest = rest.subarray(end);
      }
    }
  } finally {
    await Promise.all([copies[1].file.close(), copies[2].file.close()]);
  }
}

async function openCopy(path: string): Promise<Copy> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  const { size } = await file.stat();
  return { file, skip: size, size };
}

async function append(copy: Copy, content: Buffer): Promise<void> {
  const fresh = content.subarray(Math.min(copy.skip, content.length));
  copy.skip -= content.length - fresh.length;
  const kept = fresh.subarray(0, Math.max(0, STREAM_BYTES_MAX - copy.size));
  if (kept.length === 0) return;
  // Each byte has its place: concurrent copies of an agent and its successor write the same.
  let written = 0;
  while (written < kept.length) {
    const left = kept.length - written;
    written += (await copy.file.write(kept, written, left, copy.size + written)).bytesWritten;
  }
  copy.size += kept.length;
}
