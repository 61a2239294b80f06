/** The HTTP client that all pages share. The session's cookies identify the account. */
import { createBrowserClient } from '../client/browser.ts';

/** Short: a page shows a failure soon and offers a retry, while a program would keep trying. */
const RETRY_FOR_MS = 3_000;
const CSRF_COOKIE = /(?:^|;\s*)csrftoken=([^;]*)/;

/** The CSRF token that calls of a session need when they change something; undefined without a session. */
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
