/** The token that agents greet with: given by a setting, or made at the first start and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';

const TOKEN_BYTES = 32;

export async function joinTokenOf(config: Pick<Config, 'joinToken' | 'dataDir'>): Promise<string> {
  if (config.joinToken !== undefined) return config.joinToken.reveal();
  await mkdir(config.dataDir, { recursive: true });
  const path = join(config.dataDir, 'join-token');
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
