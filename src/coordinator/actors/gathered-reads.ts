/**
 * Reads rows for many actors at a time: reads that are requested in the same turn of the event loop share a statement.
 * Without this, one of the 2.4 statements for a file and its recipe was the read of the facts of its files (at 500
 * files/s), and a thousand nodes without work read their executions 67 times a second.
 */

type Read<Key, Answer> = (keys: readonly Key[]) => Promise<Answer>;

interface Question<Key, Answer> {
  readonly keys: readonly Key[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Results may contain more than was requested. A read fails only if reading its own keys fails. `keysMax`: keys of
 * several reads in one statement; a read with more keys has its own statement.
 */
export function gatheredReads<Key, Answer>(read: Read<Key, Answer>, keysMax: number): Read<Key, Answer> {
  let waiting: Question<Key, Answer>[] = [];
  const ask = (): void => {
    const questions = waiting;
    waiting = [];
    for (const group of groupsOf(questions, keysMax)) void answer(group, read);
  };
  return (keys) =>
    new Promise<Answer>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(ask);
      waiting.push({ keys, resolve, reject });
    });
}

function groupsOf<Key, Answer>(
  questions: readonly Question<Key, Answer>[],
  keysMax: number,
): readonly (readonly Question<Key, Answer>[])[] {
  const groups: Question<Key, Answer>[][] = [];
  let count = Number.POSITIVE_INFINITY;
  for (const question of questions) {
    count += question.keys.length;
    if (count > keysMax) {
      groups.push([]);
      count = question.keys.length;
    }
    groups.at(-1)?.push(question);
  }
  return groups;
}

/** Never rejects. */
async function answer<Key, Answer>(
  group: readonly Question<Key, Answer>[],
  read: Read<Key, Answer>,
): Promise<void> {
  try {
    const found = await read([...new Set(group.flatMap(({ keys }) => keys))]);
    for (const { resolve } of group) resolve(found);
  } catch (error) {
    const [first] = group;
    if (group.length === 1) first?.reject(error);
    else for (const question of group) void answer([question], read);
  }
}
