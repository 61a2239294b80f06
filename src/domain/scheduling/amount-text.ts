/** Amounts of resources as people read them: memory and disk in powers of two, everything else as a number. */

const SIZES: ReadonlyMap<string, string> = new Map([
  ['mem', 'memory'],
  ['disk', 'disk'],
  ['sharedmem', 'shared memory'],
]);
/** Units of resources that are counted: one, and many. */
const COUNTED: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['cpus', ['processor', 'processors']],
  ['gpus', ['GPU', 'GPUs']],
]);
const UNITS = ['MiB', 'GiB', 'TiB', 'PiB'] as const;
const STEP = 1_024;

/** The word for a resource: `memory` for `mem`. */
export function resourceWord(name: string): string {
  return SIZES.get(name) ?? COUNTED.get(name)?.[1] ?? name;
}

/** `4 GiB of memory`, `2 processors`, `1 GPU`. Amounts of memory and disk are in MiB. */
export function amountText(name: string, amount: number): string {
  if (SIZES.has(name)) return `${sizeText(amount)} of ${resourceWord(name)}`;
  const number = rounded(amount);
  const [one, many] = COUNTED.get(name) ?? [name, name];
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * The needed and the available amount, the second without the name: `4 GiB of memory` and `512 MiB`. Sizes that differ
 * but would be rounded to the same text are given exactly.
 */
export function comparedAmounts(
  name: string,
  wanted: number,
  there: number,
): { readonly wanted: string; readonly there: string } {
  if (!SIZES.has(name)) return { wanted: amountText(name, wanted), there: `${rounded(there)}` };
  const isAlike = sizeText(wanted) === sizeText(there) && wanted !== there;
  const size = isAlike ? (mib: number) => `${rounded(mib)} MiB` : sizeText;
  return { wanted: `${size(wanted)} of ${resourceWord(name)}`, there: size(there) };
}

/** Three significant digits at most. */
function sizeText(mib: number): string {
  let [rest, unit] = [mib, 0];
  while (rest >= STEP && unit < UNITS.length - 1) [rest, unit] = [rest / STEP, unit + 1];
  const digits = rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return `${Number(rest.toFixed(digits))} ${UNITS[unit]}`;
}

/** Fractional cpus drift; hundredths are enough for people. */
export function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
