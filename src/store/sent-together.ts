/** Statements of one transaction that need no answer of one another. */
import type { Group } from './group.ts';

type Ends<Writes extends readonly (() => Promise<unknown>)[]> = {
  -readonly [At in keyof Writes]: Awaited<ReturnType<Writes[At]>>;
};

/**
 * The first statement of each leaves in one piece, in their order, and is waited for once: waits, and calls that write
 * to the socket, were a third of a coordinator's time at 300 files a second. All have ended when this does: one that
 * went on would write behind the end of its transaction. Throws TurnRefused when a turn of the group is refused, else
 * what failed first.
 */
export async function sentTogether<const Writes extends readonly (() => Promise<unknown>)[]>(
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
  if (failures.length > 0) throw failures[0];
  return ends as Ends<Writes>;
}
