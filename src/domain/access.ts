/**
 * Who may do what: a caller, what a route asks for, and whether the one suffices for the other. Two roles (an account,
 * a staff account), and the scope of the token that was shown, which only ever takes away.
 */

/** What a token may be used for, from the least to the most. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * What a route asks for:
 * - `open`: nothing;
 * - `read`: an account;
 * - `write`: a staff account, and a scope that writes;
 * - `own`: an account that speaks for itself: by a session, or by a token of scope `admin`;
 * - `admin`: a staff account that speaks for itself;
 * - `notify`: the token of notifications where there is one (the route looks at it), otherwise as `write`;
 * - `scrape`: the token of metrics where there is one (the route looks at it), otherwise as `read`.
 */
export const ACCESSES = ['open', 'read', 'write', 'own', 'admin', 'notify', 'scrape'] as const;
export type Access = (typeof ACCESSES)[number];

export interface Caller {
  /** How the caller is known; `none` also where nobody needs to be. */
  readonly by: 'none' | 'session' | 'token';
  /** Null: no account. */
  readonly accountId: number | null;
  readonly username: string;
  readonly isStaff: boolean;
  /** Sessions have the widest. */
  readonly scope: Scope;
  /** Id of the session or the token. */
  readonly credentialId: number | null;
}

/** What events and the audit call a caller without an account. */
export const NOBODY_NAME = 'Anonymous';

/** Who shows nothing. */
export const NOBODY: Caller = {
  by: 'none',
  accountId: null,
  username: NOBODY_NAME,
  isStaff: false,
  scope: 'read',
  credentialId: null,
};

/** Who shows nothing where authentication is off. */
export const ANYBODY: Caller = { ...NOBODY, isStaff: true, scope: 'admin' };

/** Why a caller may not use a route; undefined: they may. */
export function refusalOf(caller: Caller, access: Access): 'UNAUTHENTICATED' | 'FORBIDDEN' | undefined {
  if (access === 'open') return undefined;
  // ANYBODY has no account either, and may do all that needs none.
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
