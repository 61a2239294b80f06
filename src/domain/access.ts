/**
 * Permissions: what a caller has, what a route requires, and whether the one suffices for the other. There are two
 * roles (an account, a staff account); the scope of a token can only restrict them.
 */

/** What a token may be used for, from least to most. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * What a route requires:
 * - `open`: nothing;
 * - `read`: an account;
 * - `write`: a staff account, and a scope that may write;
 * - `own`: an account with a session, or with a token of scope `admin`;
 * - `admin`: a staff account with a session, or with a token of scope `admin`;
 * - `notify`: the token of notifications where one is set (the route checks it), otherwise as `write`;
 * - `scrape`: an account, or the token of metrics where one is set.
 */
const ACCESSES = ['open', 'read', 'write', 'own', 'admin', 'notify', 'scrape'] as const;
export type Access = (typeof ACCESSES)[number];

export interface Caller {
  /** How the caller was authenticated; `none` also where authentication is not required. */
  readonly by: 'none' | 'session' | 'token';
  /** Null: the caller has no account. */
  readonly accountId: number | null;
  readonly username: string;
  readonly isStaff: boolean;
  /** Sessions have the widest scope. */
  readonly scope: Scope;
  /** Id of the session or the token. */
  readonly credentialId: number | null;
}

/** The name of a caller without an account in events and in the audit. */
export const NOBODY_NAME = 'Anonymous';

/** A caller without credentials. */
export const NOBODY: Caller = {
  by: 'none',
  accountId: null,
  username: NOBODY_NAME,
  isStaff: false,
  scope: 'read',
  credentialId: null,
};

/** A caller without credentials where authentication is off. */
export const ANYBODY: Caller = { ...NOBODY, isStaff: true, scope: 'admin' };

/** Why a caller may not use a route; undefined if the caller may. */
export function refusalOf(caller: Caller, access: Access): 'UNAUTHENTICATED' | 'FORBIDDEN' | undefined {
  if (access === 'open') return undefined;
  // ANYBODY has no account either, but may use every route that needs none.
  if (caller.accountId === null && !caller.isStaff) return 'UNAUTHENTICATED';
  return isEnough(caller, access) ? undefined : 'FORBIDDEN';
}

function isEnough({ isStaff, scope }: Caller, access: Exclude<Access, 'open'>): boolean {
  switch (access) {
    case 'read':
    case 'scrape':
      return true;
    case 'write':
    case 'notify':
      return isStaff && scope !== 'read';
    case 'own':
      return scope === 'admin';
    case 'admin':
      return isStaff && scope === 'admin';
  }
}
