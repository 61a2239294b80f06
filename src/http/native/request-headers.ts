/** The headers of a request of the library, which hands them out one by one while the request lasts. */

/** Headers that are being read: the library calls back within its call, so that one place does for all. */
let reading = new Map<string, string>();

function readHeader(name: string, value: string): void {
  const known = reading.get(name);
  reading.set(name, known === undefined ? value : `${known}, ${value}`);
}

/** By lower-case names; several of one name are one list. */
export function headersOf(request: { forEach(take: typeof readHeader): void }): Map<string, string> {
  const headers = new Map<string, string>();
  reading = headers;
  request.forEach(readHeader);
  return headers;
}
