/** Accounts, tokens and sessions on a real database, behind the real auth filter, called without a socket. */

import { accountRoutes } from '../../../src/api/accounts/routes.ts';
import { auditRoutes } from '../../../src/api/audit/routes.ts';
import { loginCodeRoutes } from '../../../src/api/login/code-routes.ts';
import { loginRoutes } from '../../../src/api/login/routes.ts';
import type { Parts } from '../../../src/api/parts.ts';
import { tokenRoutes } from '../../../src/api/tokens/routes.ts';
import { type AccessControl, openAccess } from '../../../src/auth/access.ts';
import { issueToken, logIn } from '../../../src/auth/login.ts';
import { createPasswords } from '../../../src/auth/passwords.ts';
import type { Scope } from '../../../src/domain/access.ts';
import type { Route } from '../../../src/http/route.ts';
import { createAccount } from '../../../src/store/account/save.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Answer, type Caller, makeCaller } from '../http.ts';
import { silentLog } from '../silent-log.ts';
import { encryptionOf } from './encryption.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

type AccessSettings = Parameters<typeof openAccess>[0]['config'];
export interface WorldSettings extends Partial<AccessSettings> {
  /** Concurrent requests. */
  readonly requestsMax?: number;
}
type Headers = Record<string, string>;

type AccessDeps = Parts<'logins' | 'encryption'>;

export const SEAL = encryptionOf(Buffer.alloc(32, 1));
export const DAY_MS = 86_400_000;
export const PASSWORD = 'correct horse';

export const SETTINGS: AccessSettings = {
  http: { host: '0.0.0.0', port: 80 },
  isAuthOn: true,
  trustedProxies: [],
  requestsPerSecond: 0,
  streams: { perCaller: 100, all: 1_000 },
};

export interface AccessWorld extends Caller {
  readonly store: StoreWorld;
  readonly access: AccessControl;
  nowMs: number;
  /** The client's address. */
  address: string;
  account(username: string, over?: { isStaff?: boolean; isActive?: boolean }): Promise<number>;
  /** Headers with a new token. */
  token(accountId: number, scope: Scope, expiresMs?: number | null): Promise<Headers>;
  /** Headers of a browser that has logged in. */
  session(username: string): Promise<Headers>;
  post(target: string, body: unknown, headers?: Headers): Promise<Answer>;
  entries(): Promise<Record<string, unknown>[]>;
}

export async function accessWorld(t: Teardown, settings: Partial<AccessSettings> = {}): Promise<AccessWorld> {
  const routes: readonly Route<AccessDeps>[] = [
    ...accountRoutes,
    ...tokenRoutes,
    ...loginRoutes,
    ...loginCodeRoutes,
    ...auditRoutes,
  ];
  return accessWorldOf(t, settings, routes, (access) => ({
    encryption: SEAL,
    logins: access.logins,
  }));
}

export async function accessWorldOf<Deps>(
  t: Teardown,
  { requestsMax = 100, ...settings }: WorldSettings,
  routes: readonly Route<Deps>[],
  depsOf: (access: AccessControl) => Deps,
): Promise<AccessWorld> {
  const store = await storeWorld(t);
  const { sql } = store.db;
  const passwords = createPasswords(4);
  const config = { ...SETTINGS, ...settings };
  const nowMs = () => world.nowMs;
  const access = openAccess({ config, sql, nowMs, log: silentLog, passwords });
  const caller = makeCaller<Deps>(routes, depsOf(access), {
    ...{ authFilter: access.authFilter, requestsMax },
    nowMs: () => world.nowMs,
    address: () => world.address,
  });
  const hash = await passwords.hash(PASSWORD);
  const world: AccessWorld = {
    ...caller,
    ...{ store, access, nowMs: NOW, address: '10.0.0.9' },
    account: (username, { isStaff = false, isActive = true } = {}) =>
      createAccount(sql, {
        ...{ username, firstName: 'First', lastName: 'Last', email: '', isStaff, isActive },
        ...{ passwordHash: hash, nowMs: NOW },
      }),
    async token(accountId, scope, expiresMs = null) {
      const { token } = await issueToken(sql, { accountId, name: 'test', scope, expiresMs }, NOW);
      return { authorization: `Bearer ${token}` };
    },
    async session(username) {
      const from = { address: world.address, requestId: 'r', method: 'POST', route: '/', nowMs: world.nowMs };
      const { session, csrf } = await logIn(access.logins, { username, password: PASSWORD }, from);
      return { cookie: `csrftoken=${csrf}; millrace_session=${session}`, 'x-csrftoken': csrf };
    },
    post: (target, body, headers) => caller.call('POST', target, body, headers),
    async entries() {
      await access.logins.trail.settle();
      return store.rows('select * from audit order by id');
    },
  };
  return world;
}
