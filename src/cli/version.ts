/** The version of this program, from the package.json it was shipped with: above `src` and `dist`. */
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  for (const path of ['../../package.json', '../package.json']) {
    try {
      const manifest = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
        string,
        unknown
      >;
      if (manifest.name === 'millrace') return String(manifest.version);
    } catch {
      // Not here: try the other folder.
    }
  }
  return 'unknown';
}
