/** The client of the interface that all pages share: the session's cookies say who calls. */
import { createBrowserClient } from '../client/browser.ts';

/** A page shows a failure soon and offers another try, where a program would keep trying. */
const RETRY_FOR_MS = 3_000;
const CSRF_COOKIE = /(?:^|;\s*)csrftoken=([^;]*)/;

/** The token that writes of a session must have; undefined without a session. */
export function csrfToken(): string | undefined {
  return CSRF_COOKIE.exec(document.cookie)?.[1];
}

export const client = createBrowserClient({
  server: location.origin,
  retryForMs: RETRY_FOR_MS,
  headers: () => {
    const token = csrfToken();
    return token === undefined ? {} : { 'x-csrftoken': token };
  },
});
