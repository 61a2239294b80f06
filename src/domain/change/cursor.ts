/** Cursors of the stream of changes: texts that clients keep and send back as they are. */

/** Where a reader continues: the first row that it has not read, and the first object of that row. */
export interface ChangePlace {
  readonly tick: number;
  /** 0: from the beginning of the tick. */
  readonly row: number;
  readonly item: number;
}

export interface ChangeCursor extends ChangePlace {
  readonly epoch: string;
}

/** A cursor of a new database, before its first tick, has an empty epoch. */
const FORM = /^([0-9a-f]{12}|)-([0-9a-z]{1,10})-([0-9a-z]{1,10})-([0-9a-z]{1,5})$/;
const RADIX = 36;

export function cursorText({ epoch, tick, row, item }: ChangeCursor): string {
  return [epoch, ...[tick, row, item].map((number) => number.toString(RADIX))].join('-');
}

/** Undefined if the text does not have the form of a cursor. */
export function readCursor(text: string): ChangeCursor | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [, epoch = '', ...numbers] = found;
  const [tick = 0, row = 0, item = 0] = numbers.map((number) => Number.parseInt(number, RADIX));
  return { epoch, tick, row, item };
}
