/**
 * One word of a POSIX shell's command line, whatever the text holds: for commands of manifests, and for those that are
 * shown to be copied.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
