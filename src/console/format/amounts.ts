/** Numbers as people read them, each with its unit. */

const COUNTS = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const STEP = 1_024;

export function count(value: number): string {
  return COUNTS.format(value);
}

/** `1 job`, `2 jobs`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${noun(value, one, many)}`;
}

/** Without the number: `job`, `jobs`. */
export function noun(value: number, one: string, many = `${one}s`): string {
  return value === 1 ? one : many;
}

/** Bytes with three significant digits at most. */
export function bytes(value: number): string {
  let [rest, unit] = [value, 0];
  while (rest >= STEP && unit < BINARY.length - 1) [rest, unit] = [rest / STEP, unit + 1];
  return `${decimal(rest)} ${BINARY[unit]}`;
}

/** A resource in the unit that the interface counts it in: memory and disk in MiB. */
export function resource(name: string, value: number): string {
  if (name === 'mem' || name === 'disk' || name === 'sharedmem') return bytes(value * STEP * STEP);
  return decimal(value);
}

const WORDS: Readonly<Record<string, string>> = {
  ...{ cpus: 'processors', mem: 'memory', sharedmem: 'shared memory', gpus: 'GPUs' },
};

/** The word for a resource that the interface shortens. */
export function resourceWord(name: string): string {
  return WORDS[name] ?? name;
}

export function decimal(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
