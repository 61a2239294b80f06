/** The names of one input's files in the task's input directory. */
import { needsBytes } from '../paths.ts';

/** A local name for each file, in order: its own, prefixed by its id if that name is taken or cannot be passed on. */
export function localNames(
  files: readonly { readonly fileId: number; readonly fileName: string }[],
): string[] {
  const taken = new Set<string>();
  return files.map(({ fileId, fileName }) => {
    const name = isPlain(fileName) && !taken.has(fileName) ? fileName : `${fileId}.${plain(fileName)}`;
    taken.add(name);
    return name;
  });
}

/** An environment variable holds text: a name that is not UTF-8 could not be passed to the task. */
function isPlain(name: string): boolean {
  return plain(name) === name && name !== '' && name !== '.' && name !== '..';
}

function plain(name: string): string {
  const text = needsBytes(name) ? name.replace(/[\uf780-\uf7ff]/g, '_') : name;
  return text.replace(/[/\0]/g, '_');
}
