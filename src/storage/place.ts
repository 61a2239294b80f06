/**
 * Gives a finished file its final name without ever overwriting: a second name for the same inode, then the
 * directory synced. Removes nothing; whoever owns the first name removes it when all is recorded.
 */
import { AppError } from '../domain/errors.ts';
import { baseName, directoryOf } from '../domain/paths.ts';
import { type Digest, digest } from './digest.ts';
import type { FileFacts } from './file-facts.ts';
import type { Folder } from './folder.ts';
import { checkedPath, type LocalRoot } from './local-root.ts';
import { translating } from './storage-errors.ts';

// limit: how often a name may appear and vanish under us before we give up.
const RACES_MAX = 5;

export interface Placed {
  readonly path: string;
  /** `identical`: the wanted name already holds the same content, as another file; nothing was linked. */
  readonly how: 'placed' | 'identical' | 'impossible';
}

export interface PlaceRequest {
  readonly folder: Folder;
  readonly name: string;
  readonly facts: FileFacts;
  readonly content: Digest;
  readonly into: LocalRoot;
  readonly path: string;
  /** Names the extra directory when the wanted name is taken by other content. */
  readonly id: string | number;
}

/** The paths a file may end up at, in the order they are tried. */
export function placesOf(path: string, id: string | number): readonly [string, string] {
  const checked = checkedPath(path);
  const directory = directoryOf(checked);
  return [checked, `${directory === '' ? '' : `${directory}/`}${id}/${baseName(checked)}`];
}

/**
 * Links `folder/name` to the wanted path or, when other content holds that, below one more directory named by
 * the id. Finding itself there already (the same inode) counts as placed, so it may be repeated after a
 * crash. `impossible` says that the file system refuses the link: copy instead.
 */
export async function place(request: PlaceRequest): Promise<Placed> {
  const [wanted, apart] = placesOf(request.path, request.id);
  const first = await placeAt(request, wanted);
  if (first !== 'taken') return { path: wanted, how: first };
  const second = await placeAt(request, apart);
  // Nobody else names a directory by our id: the same content there is what an earlier run of ours left.
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
      // Linked, and yet another file: our first name was replaced under us, its new owner goes on with it.
      if (linked === 'linked')
        throw new AppError('STATE_CONFLICT', 'another run has taken this work over', { path });
      return (await isIdentical(into, name, there, request.content)) ? 'identical' : 'taken';
    }
    throw new AppError('FILESYSTEM_IO', `the name '${path}' does not stay still`, { path });
  };
  return request.into.beside(path, link, true);
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
