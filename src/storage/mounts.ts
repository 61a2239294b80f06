/** The file systems that this host has mounted, as Linux lists them. */
import { readFile } from 'node:fs/promises';

export interface Mount {
  readonly place: string;
  readonly source: string;
}

/** In the order in which they were mounted. Rejects without /proc. */
export async function listMounts(): Promise<readonly Mount[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    // id parent device root place options… - type source options
    const [before = '', after = ''] = line.split(' - ');
    return { place: unescaped(before.split(' ')[4] ?? ''), source: unescaped(after.split(' ')[1] ?? '') };
  });
}

/** Decodes the octal escapes that stand for blanks and the like. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
