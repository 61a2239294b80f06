/** Graphics processors of the NVIDIA driver. Others are unknown and have to be configured. */
import { readdir } from 'node:fs/promises';

export async function countGpus(): Promise<number> {
  const names = await readdir('/dev').catch(() => []);
  return names.filter((name) => /^nvidia\d+$/.test(name)).length;
}
