/** Messages with one large part. */

export interface Grown<Message> {
  /** The path of the large part. */
  readonly path: string;
  readonly value: Message;
}

/**
 * Copies of the message, one for each text, list and map except its type. In each copy, one text or name in a map has
 * about `chars` characters, or one list has items of that many characters as JSON.
 */
export function* grown<Message extends object>(
  message: Message,
  chars: number,
  char = 'x',
): Iterable<Grown<Message>> {
  for (const [path, value] of grownParts(message, chars, char)) {
    if (path !== '.type') yield { path, value: value as Message };
  }
}

function* grownParts(part: unknown, chars: number, char: string): Iterable<[string, unknown]> {
  if (typeof part === 'string') yield ['', char.repeat(chars)];
  if (typeof part !== 'object' || part === null) return;
  const [first] = Object.values(part);
  if (Array.isArray(part) && first !== undefined) {
    yield ['[]', Array.from({ length: Math.ceil(chars / JSON.stringify(first).length) }, () => first)];
  }
  if (!Array.isArray(part)) yield ['{}', { ...part, [char.repeat(chars)]: first }];
  for (const [name, inner] of Object.entries(part)) {
    for (const [path, value] of grownParts(inner, chars, char)) {
      const outer = Array.isArray(part) ? part.with(Number(name), value) : { ...part, [name]: value };
      yield [`.${name}${path}`, outer];
    }
  }
}
