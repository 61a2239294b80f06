/** The headers of a request of the library, which hands them out one by one during its callback. */

/** The headers being read. The library calls back synchronously, so one variable is enough. */
let reading = new Map<string, string>();

function readHeader(name: string, value: string): void {
  const known = reading.get(name);
  reading.set(name, known === undefined ? value : `${known}, ${value}`);
}

/** Headers by lower-case name. Repeated headers are joined into one list. */
export function headersOf(request: { forEach(take: typeof readHeader): void }): Map<string, string> {
  const headers = new Map<string, string>();
  reading = headers;
  request.forEach(readHeader);
  return headers;
}
