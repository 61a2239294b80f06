/** Names of files that are still being transferred: they carry a suffix, which their sender removes at the end. */

/** `suffix`: '' when senders use none. */
export function isSuffixed(name: string, suffix: string): boolean {
  return suffix !== '' && name.length > suffix.length && name.endsWith(suffix);
}

/** The suffix is removed once, and as a whole. */
export function finalName(name: string, suffix: string): string {
  return isSuffixed(name, suffix) ? name.slice(0, -suffix.length) : name;
}
