/** Disk space for tasks in MiB: the free space where they work, less a reserve for the host. */
import { statfs } from 'node:fs/promises';

const MIB = 1024 * 1024;
const RESERVE_PART = 0.02;

export interface DiskSpace {
  /** Free space less the reserve. */
  readonly offeredMib: number;
  readonly freeMib: number;
  readonly totalMib: number;
}

export async function measureDisk(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  const totalMib = Math.floor((blocks * bsize) / MIB);
  const reserveMib = Math.min(4_096, Math.ceil((blocks * bsize * RESERVE_PART) / MIB));
  return { freeMib, totalMib, offeredMib: Math.max(0, freeMib - reserveMib) };
}
