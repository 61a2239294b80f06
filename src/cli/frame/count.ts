/** `1 job`, `2 jobs`. The plural has an `s` unless it is given. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
