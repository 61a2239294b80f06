/**
 * Unsaved texts of editors that the tab keeps: they outlive a session that lapses, a reload, and a visit to another
 * page. A draft belongs to the account that typed it; it is gone when it is saved, and when the account logs out.
 */

const PREFIX = 'millrace-draft ';

export interface KeptDraft {
  readonly text: string;
  /** The revision that the text began as; undefined for a new type. */
  readonly revision: number | undefined;
  readonly keptAt: string;
}

interface Stored extends KeptDraft {
  readonly account: string;
}

function storedAt(key: string): Stored | undefined {
  const stored = sessionStorage.getItem(key);
  return stored === null ? undefined : (JSON.parse(stored) as Stored);
}

/** `place`: which editor it is, such as that of one type. */
export function keptDraft(account: string, place: string): KeptDraft | undefined {
  const stored = storedAt(PREFIX + place);
  return stored?.account === account ? stored : undefined;
}

export function keepDraft(account: string, place: string, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(PREFIX + place, JSON.stringify({ ...draft, account } satisfies Stored));
  } catch {
    // The storage is full. The text of before says nothing about this one.
    forgetDraft(place);
  }
}

export function forgetDraft(place: string): void {
  sessionStorage.removeItem(PREFIX + place);
}

/** Those of other accounts than this one; without one, all. */
export function forgetDraftsExceptOf(account: string | undefined): void {
  const keys = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  for (const key of keys.filter((key) => key.startsWith(PREFIX))) {
    if (account === undefined || storedAt(key)?.account !== account) sessionStorage.removeItem(key);
  }
}
