/**
 * Pages of a listing that wait to be committed, one after another. A page counts only after all pages before it, so
 * that the position of a listing never passes files that are not recorded.
 */
import type { ListingPage } from '../node/agent-messages.ts';

export interface PageQueue {
  readonly pages: ListingPage[];
  /** The end of the last accepted page. */
  through: string;
  /** The number of the last accepted page. */
  sequence: number;
  /** The files of the first page are being matched against the rules. */
  isMatching: boolean;
}

/** limit: pages that wait to be committed. An agent has fewer in flight. */
const PAGES_MAX = 8;

export function newQueue(cursor: string): PageQueue {
  return { pages: [], through: cursor, sequence: 0, isMatching: false };
}

/**
 * The place of a page in a listing that is committed through `cursor`: `next`: it follows the last accepted page;
 * `taken`: accepted, but not committed; `done`: committed; `astray`: none of these.
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

/** Accepts a page that is `next`; false if the queue is full and the agent has to send the page again. */
export function takePage(queue: PageQueue, page: ListingPage): boolean {
  if (queue.pages.length >= PAGES_MAX) return false;
  queue.pages.push(page);
  queue.through = page.through;
  queue.sequence = page.sequence;
  return true;
}

/** Removes a page that is committed, alone or with the first one that waits. */
export function dropPage(queue: PageQueue, page: ListingPage): void {
  if (queue.pages[0]?.sequence === page.sequence) queue.pages.shift();
  queue.sequence = Math.max(queue.sequence, page.sequence);
  if (queue.pages.length === 0) queue.through = page.through;
}
