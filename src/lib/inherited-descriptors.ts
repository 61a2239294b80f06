/**
 * File descriptors that the starting program left open in this one: a lock, a log, a secret. Node closes the first of
 * them for its child processes and passes on the others.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSED_BY_EXEC = 0o2000000;
const STANDARD = 2;

/** An argument that names a descriptor as a file: what a shell makes of `<(...)`, also behind `--file=` or `INPUT=`. */
const NAMED = /(?:^|=)\/(?:dev|proc\/self)\/fd\/(\d+)$/;

/**
 * Closes all descriptors above the standard three that a child process would inherit, but for those that an argument
 * names. None of them is ours, since exec closes everything that Node opens. Call it before anything else is opened.
 * Does nothing without /proc.
 */
export function closeInheritedDescriptors(args: readonly string[]): void {
  const named = new Set(args.map((argument) => Number(NAMED.exec(argument)?.[1])));
  for (const descriptor of openDescriptors()) {
    if (descriptor <= STANDARD || named.has(descriptor) || !isInherited(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // already closed
    }
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  } catch {
    return false; // the descriptor of the listing itself
  }
}
