/**
 * Descriptors that whoever started this program left open for it: a lock, a log, a secret. Node closes the first of
 * them for the programs that it starts, and hands on the others.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSED_BY_EXEC = 0o2000000;
const STANDARD = 2;

/**
 * Closes them: those above the standard three that the next program would inherit. Nothing of ours is among them, for
 * all that Node opens is closed by exec. Call it before anything else is opened. Does nothing without /proc.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor <= STANDARD || !isInherited(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // closed meanwhile
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
    return false; // the one that listed them
  }
}
