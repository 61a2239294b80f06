/** Who uses the console, and what that account may do. */
import { createContext, useContext } from 'react';
import { RefusedError } from '../client/errors.ts';
import { client, csrfToken } from './client.ts';

export interface Account {
  /** Undefined: the service needs no login. */
  readonly username: string | undefined;
  readonly mayWrite: boolean;
}

const EVERYBODY: Account = { username: undefined, mayWrite: true };
export const AccountContext = createContext<Account>({ username: undefined, mayWrite: false });

export function useAccount(): Account {
  return useContext(AccountContext);
}

/** Undefined: a login is needed. The profile is read only with a session, so that no call is refused. */
export async function findAccount(): Promise<Account | undefined> {
  if (csrfToken() !== undefined) {
    const profile = await unlessRefused(client.get('/v6/accounts/profile/'));
    if (profile !== undefined) return { username: profile.username, mayWrite: profile.is_staff };
  }
  const scheduler = await unlessRefused(client.get('/v6/scheduler/'));
  return scheduler === undefined ? undefined : EVERYBODY;
}

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) return undefined;
    throw error;
  }
}

/**
 * Loads the page again if the browser has another session by now. Nobody tells that to a hidden tab without a shared
 * worker, nor to a page that the browser has kept for going back.
 */
export function followSession(): void {
  const begun = csrfToken();
  const compare = (): void => {
    if (!document.hidden && csrfToken() !== begun) location.reload();
  };
  document.addEventListener('visibilitychange', compare);
  addEventListener('pageshow', compare);
}

/** How long a navigation to the login is waited for, in milliseconds. A request refused later begins another. */
const LOGIN_LOADS_MS = 5_000;
let isGoingToLogin = false;

/** Goes there once: several requests of a page are refused together, and a second navigation would abort the first. */
export function goToLogin(): void {
  if (isGoingToLogin) return;
  isGoingToLogin = true;
  setTimeout(() => {
    isGoingToLogin = false;
  }, LOGIN_LOADS_MS);
  const here = `${location.pathname}${location.search}`;
  location.assign(`/login/?next=${encodeURIComponent(here)}`);
}
