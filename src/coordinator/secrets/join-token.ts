/** The token with which agents join: from a setting, or generated at the first start and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { writeOnce } from '../../lib/write-once.ts';

const TOKEN_BYTES = 32;

export async function joinTokenOf(config: Pick<Config, 'joinToken' | 'dataDir'>): Promise<string> {
  if (config.joinToken !== undefined) return config.joinToken.reveal();
  const path = join(config.dataDir, 'join-token');
  await writeOnce(path, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
  return (await readFile(path, 'utf8')).trim();
}
