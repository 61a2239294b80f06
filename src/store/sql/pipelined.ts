/** Statements of one transaction that need no answer of one another. */
import type { Group } from './group.ts';
import { sqlStateOf } from './store-errors.ts';

/** What the server says to every statement after the one that failed. It may be heard first. */
const TRANSACTION_HAS_FAILED = '25P02';

type Ends<Writes extends readonly (() => Promise<unknown>)[]> = {
  -readonly [At in keyof Writes]: Awaited<ReturnType<Writes[At]>>;
};

/**
 * The first statement of each leaves in one piece, in their order, and is waited for once: waits, and calls that write
 * to the socket, were a third of a coordinator's time at 300 files a second. All have ended when this does: one that
 * went on would write behind the end of its transaction. Throws TurnRefused when a turn of the group is refused, else
 * the failure that the others come from.
 */
export async function pipelined<const Writes extends readonly (() => Promise<unknown>)[]>(
  group: Group,
  writes: Writes,
): Promise<Ends<Writes>> {
  const failures: unknown[] = [];
  const ends = await Promise.all(
    writes.map((write) =>
      write().catch((error: unknown) => {
        failures.push(error);
      }),
    ),
  );
  group.throwIfRefused();
  if (failures.length > 0) {
    throw failures.find((failure) => sqlStateOf(failure) !== TRANSACTION_HAS_FAILED) ?? failures[0];
  }
  return ends as Ends<Writes>;
}
