/** How much stands in one place: files of a folder, lines of a room. */
import { posix } from 'node:path';
import { HOUSE_LIMITS, MODEL_NOUN, ROOMS_BY_NOUN, UNMEASURED } from './law.ts';
import type { Source } from './source.ts';

interface Crowded {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const { folderFiles, roomLines } = HOUSE_LIMITS;

/** Folders with too many files directly in them, rooms of the program with too many lines, a noun in too many files. */
export function checkHouse(sources: readonly Source[]): Crowded[] {
  const files = new Map<string, number>();
  const lines = new Map<string, number>();
  const measured = sources.filter(({ path }) => !UNMEASURED.some((prefix) => path.startsWith(prefix)));
  for (const source of measured) {
    add(files, posix.dirname(source.path), 1);
    const room = placeOf(source.path);
    if (room !== undefined) add(lines, room, source.text.split('\n').length - 1);
  }
  const folders = [...files].filter(([, count]) => count > folderFiles);
  const rooms = [...lines].filter(([, count]) => count > roomLines);
  const { name, folders: nounFolders, filesMax } = MODEL_NOUN;
  const ofNoun = measured.filter(({ path }) => nounFolders.test(path)).map(({ path }) => path);
  return [
    ...(ofNoun.length > filesMax
      ? [crowded(ofNoun[0] ?? '', `a ${name} is read in ${ofNoun.length} files: ${filesMax} at most`)]
      : []),
    ...folders.map(([path, count]) =>
      crowded(path, `${count} files: make folders of ${folderFiles} at most`),
    ),
    ...rooms.map(([path, count]) => crowded(path, `${count} lines: make rooms of ${roomLines} at most`)),
  ];
}

/** The room whose lines a file counts to. Undefined outside the program. */
function placeOf(path: string): string | undefined {
  const [tree = '', room = '', noun = ''] = path.split('/');
  if (tree === 'node-agent') return room.endsWith('.ts') ? tree : `${tree}/${room}`;
  if (tree !== 'src') return undefined;
  const whole = `${tree}/${room}`;
  return ROOMS_BY_NOUN.includes(whole) && !noun.endsWith('.ts') ? `${whole}/${noun}` : whole;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function crowded(path: string, message: string): Crowded {
  return { path, line: 1, message };
}
