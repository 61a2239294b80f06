/** The stream of changes, replayed from its first: folded up, it is the lists. */
import {
  type ChangesPage,
  changesAfter,
  differencesOf,
  FoldedChanges,
  listedStates,
} from '../../harness/folded-changes.ts';
import type { Caller } from '../caller.ts';

const LIMIT = 1_000;

export async function checkChanges(caller: Caller): Promise<readonly string[]> {
  const folded = new FoldedChanges();
  let page: ChangesPage | undefined;
  do {
    page = await caller.get<ChangesPage>(changesAfter(page?.cursor ?? '0', LIMIT));
    folded.add(page.changes);
  } while (!page.is_at_end);
  const listed = await listedStates((path) => caller.list(path));
  return [...folded.problems, ...differencesOf(folded.states, listed)];
}
