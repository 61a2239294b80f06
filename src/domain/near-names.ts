/**
 * Suggests the known name that is nearest to an unknown one. The cost for a name is limited, whatever was sent: long
 * names are not compared, and each comparison takes few steps.
 */

/** limit: characters of a name that is compared with others. */
const CHARS_MAX = 60;
/** limit: letters that may differ in long names. */
const DISTANCE_MAX = 3;
/** A name inside a longer one (`strike` in `strike_id`) must have at least this length to count. */
const WORD_CHARS_MIN = 4;
/** limit: characters of the list of known names that is shown if none is near. */
const LIST_CHARS_MAX = 400;

/**
 * The end of a sentence that refuses `name`: the nearest of the known names, or all of them if none is near. Empty if
 * none is known.
 */
export function nearestOf(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  if (near !== undefined) return `; did you mean '${near}'?`;
  const names = listOf(known);
  return names === '' ? '' : `; known are: ${names}`;
}

/** The end of a sentence that refuses the name of a record: a suggestion, or nothing. */
export type NearRecord = (kind: 'job_type' | 'recipe_type' | 'workspace', name: string) => string;

/** The end of a sentence that already lists the known names. */
export function didYouMean(name: unknown, known: Iterable<string>): string {
  const near = typeof name === 'string' ? nearest(name, known) : undefined;
  return near === undefined ? '' : `; did you mean '${near}'?`;
}

/** The known name that is most similar; undefined if none is similar. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name === '' || name.length > CHARS_MAX) return undefined;
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = likeness(wanted, plain(candidate), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    if (distance === 0) break;
  }
  return best;
}

/** Case and separators make no difference: `inputMap` is `input_map`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_\s.-]+/g, '');
}

/**
 * A distance: smaller is nearer, infinity means not near, or not nearer than `below`. Names that differ in letters come
 * before names that contain each other.
 */
function likeness(one: string, other: string, below: number): number {
  const longest = Math.max(one.length, other.length);
  const limit = Math.min(DISTANCE_MAX, Math.floor(longest / 3), below - 1);
  const distance = other.length > CHARS_MAX ? undefined : distanceOf(one, other, limit);
  if (distance !== undefined) return distance;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const isInside = short.length >= WORD_CHARS_MIN && (long.startsWith(short) || long.endsWith(short));
  return isInside ? DISTANCE_MAX + long.length - short.length : Number.POSITIVE_INFINITY;
}

/** Three lines of the table of distances, shared because the code is synchronous. */
const table = [0, 1, 2].map(() => new Uint8Array(CHARS_MAX + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * The number of letters that were left out, added, changed, or swapped with their neighbour; undefined if more than
 * `limit`. Only cells that may still be within the limit are computed: `length * (2 * limit + 1)` steps.
 */
function distanceOf(one: string, other: string, limit: number): number | undefined {
  if (Math.abs(one.length - other.length) > limit) return undefined;
  const beyond = limit + 1;
  let [before, above, line] = table;
  for (let at = 0; at <= other.length; at += 1) above[at] = Math.min(at, beyond);
  for (let row = 1; row <= one.length; row += 1) {
    const first = Math.max(1, row - limit);
    const last = Math.min(other.length, row + limit);
    let least = Math.min(row, beyond);
    line[first - 1] = first === 1 ? least : beyond;
    if (last < other.length) line[last + 1] = beyond;
    for (let at = first; at <= last; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      let value = Math.min(
        (above[at - 1] as number) + (isSame ? 0 : 1),
        Math.min(above[at] as number, line[at - 1] as number) + 1,
      );
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      if (isSwapped) value = Math.min(value, (before[at - 2] as number) + 1);
      line[at] = Math.min(value, beyond);
      if (value < least) least = value;
    }
    if (least > limit) return undefined;
    [before, above, line] = [above, line, before];
  }
  const distance = above[other.length] as number;
  return distance > limit ? undefined : distance;
}

function listOf(known: Iterable<string>): string {
  let list = '';
  for (const name of known) {
    if (list.length + name.length > LIST_CHARS_MAX) return `${list} …`;
    list += list === '' ? name : `, ${name}`;
  }
  return list;
}
