/** Graphics processors that the NVIDIA driver shows. Others are not known and have to be configured. */
import { readdir } from 'node:fs/promises';

export async function countGpus(): Promise<number> {
  const names = await readdir('/dev').catch(() => []);
  return names.filter((name) => /^nvidia\d+$/.test(name)).length;
}
