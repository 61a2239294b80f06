/**
 * Pages of a listing that wait to be settled, one after another: a page counts only after all before it, so that the
 * place up to which a listing has come never passes files that nobody has recorded.
 */
import type { ListingPage } from '../node/agent-messages.ts';

export interface PageQueue {
  readonly pages: ListingPage[];
  /** Where the last page that was taken ends. */
  through: string;
  /** The number of the last page that was taken. */
  sequence: number;
  isMatching: boolean;
}

/** limit: pages that wait to be settled. An agent has fewer under way. */
const PAGES_MAX = 8;

export function newQueue(cursor: string): PageQueue {
  return { pages: [], through: cursor, sequence: 0, isMatching: false };
}

/**
 * Where a page stands in a listing that is committed through `cursor`: `next` to be taken, `done` before, `taken` and
 * not settled yet, or `astray`.
 */
export function placeOfPage(
  queue: PageQueue,
  cursor: string | undefined,
  page: ListingPage,
): 'next' | 'done' | 'taken' | 'astray' {
  if (queue.pages.some((one) => one.sequence === page.sequence)) return 'taken';
  const isNew = page.sequence > queue.sequence;
  if (isNew && page.after === queue.through) return 'next';
  return !isNew || page.through === cursor ? 'done' : 'astray';
}

/** Takes a page that is `next`; false when it has to be told again for want of room. */
export function takePage(queue: PageQueue, page: ListingPage): boolean {
  if (queue.pages.length >= PAGES_MAX) return false;
  queue.pages.push(page);
  queue.through = page.through;
  queue.sequence = page.sequence;
  return true;
}

/** The page is settled, by itself or with the first that waits. */
export function dropPage(queue: PageQueue, page: ListingPage): void {
  if (queue.pages[0]?.sequence === page.sequence) queue.pages.shift();
  queue.sequence = Math.max(queue.sequence, page.sequence);
  if (queue.pages.length === 0) queue.through = page.through;
}
