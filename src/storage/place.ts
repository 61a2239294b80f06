/**
 * Gives a finished file its final name without ever overwriting: adds a second name for the inode, then syncs the
 * directory. Removes nothing; the owner of the first name removes it when everything is recorded.
 */
import { AppError } from '../domain/errors.ts';
import { baseName, directoryOf } from '../domain/paths.ts';
import { type Digest, digest } from './digest.ts';
import type { FileFacts } from './file-facts.ts';
import type { Folder } from './folder.ts';
import { checkedPath, type LocalRoot } from './local-root.ts';
import { translating } from './storage-errors.ts';

// limit: how often a name may appear and vanish before we give up.
const RACES_MAX = 5;

export interface Placed {
  readonly path: string;
  /** `identical`: another file with the same content has the wanted name; nothing was linked. */
  readonly how: 'placed' | 'identical' | 'impossible';
}

export interface PlaceRequest {
  readonly folder: Folder;
  readonly name: string;
  readonly facts: FileFacts;
  readonly content: Digest;
  readonly into: LocalRoot;
  readonly path: string;
  /** Names the extra directory when other content has the wanted name. */
  readonly id: string | number;
  /** There is no extra directory: CONFLICT if another file has the wanted name, whatever its content. */
  readonly isExact?: boolean | undefined;
}

/** The error for a file that could not be placed because a link was `impossible`. */
export function notLinkable(path: string): AppError {
  const text = `'${path}' cannot be stored: its file system has no hard links, or its directory is on another one`;
  return new AppError('FILESYSTEM_IO', text, { path });
}

/** The paths at which a file may be placed, in the order they are tried. */
export function placesOf(path: string, id: string | number): readonly [string, string] {
  const checked = checkedPath(path);
  const directory = directoryOf(checked);
  return [checked, `${directory === '' ? '' : `${directory}/`}${id}/${baseName(checked)}`];
}

/**
 * Links `folder/name` to the wanted path or, when other content has that, into one more directory named by the id. A
 * link that already exists (the same inode) counts as placed, so the call may be repeated after a crash. `impossible`:
 * the file system refuses the link, so the file must be copied.
 */
export async function place(request: PlaceRequest): Promise<Placed> {
  const [wanted, apart] = placesOf(request.path, request.id);
  const first = await placeAt(request, wanted);
  if (request.isExact === true && (first === 'taken' || first === 'identical')) throw pathTaken(wanted);
  if (first !== 'taken') return { path: wanted, how: first };
  const second = await placeAt(request, apart);
  // Only this work uses a directory named by its id, so equal content there is from an earlier run.
  if (second !== 'taken') return { path: apart, how: second === 'identical' ? 'placed' : second };
  throw new AppError('CONFLICT', `both '${wanted}' and '${apart}' are taken by other content`, {
    wanted,
    apart,
  });
}

function placeAt(request: PlaceRequest, path: string): Promise<Placed['how'] | 'taken'> {
  const link = async (into: Folder, name: string): Promise<Placed['how'] | 'taken'> => {
    for (let race = 0; race < RACES_MAX; race += 1) {
      const linked = await request.folder.link(request.name, into, name);
      if (linked === 'impossible') return 'impossible';
      const there = await into.facts(name);
      if (there === undefined) continue;
      if (there.inode === request.facts.inode) {
        await into.sync();
        return 'placed';
      }
      // The link is to another file: our first name was replaced, and its new owner continues with it.
      if (linked === 'linked')
        throw new AppError('STATE_CONFLICT', 'another execution writes this file now', { path });
      if (request.isExact === true) return 'taken';
      return (await isIdentical(into, name, there, request.content)) ? 'identical' : 'taken';
    }
    throw new AppError('FILESYSTEM_IO', `other programs create and remove '${path}' again and again`, {
      path,
    });
  };
  return request.into.beside(path, link, true);
}

/** The error for a name that another file has. */
export function pathTaken(path: string): AppError {
  return new AppError('CONFLICT', `there is something at '${path}' already`, { path });
}

async function isIdentical(
  folder: Folder,
  name: string,
  facts: FileFacts,
  content: Digest,
): Promise<boolean> {
  if (facts.kind !== 'file' || facts.size !== content.size) return false;
  const handle = await folder.openRead(name);
  try {
    const found = await translating('read', folder.pathOf(name), () => digest(handle));
    return found.sha256 === content.sha256;
  } finally {
    await handle.close();
  }
}
