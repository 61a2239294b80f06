/** Access control of one coordinator's interface: builds the auth filter and its parts. */
import type { Config } from '../config/config.ts';
import type { Access } from '../domain/access.ts';
import type { AuthFilter } from '../http/auth-filter.ts';
import { isLoopback } from '../lib/listen-address.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secret } from '../lib/secret.ts';
import type { Sql } from '../store/sql/sql.ts';
import { createAuditTrail } from './audit-trail.ts';
import { createAuthFilter } from './auth-filter.ts';
import { createCredentials } from './credentials.ts';
import { ensureFirstAccount, type LoginParts, madePassword } from './login.ts';
import { OpenStreams } from './open-streams.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createProxies } from './proxies.ts';
import { createLoginLimit, createRequestLimit } from './rate-limits.ts';

type AccessConfig = Pick<
  Config,
  | 'http'
  | 'httpTls'
  | 'isAuthOn'
  | 'trustedProxies'
  | 'requestsPerSecond'
  | 'streams'
  | 'adminPassword'
  | 'notificationToken'
  | 'metricsToken'
>;

export interface AccessOptions {
  readonly config: AccessConfig;
  readonly sql: Sql;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Default: `createPasswords()`. */
  readonly passwords?: Passwords;
}

export interface AccessControl {
  readonly authFilter: AuthFilter;
  readonly logins: LoginParts;
  readonly streams: OpenStreams;
  /** Whether authentication is off although other machines can reach the interface. */
  readonly isOpenToAll: boolean;
  /**
   * Makes the first account if there is none yet. Resolves with its password if the password was generated here, rather
   * than configured. May be called again after a failure.
   */
  begin(nowMs: number): Promise<Secret | undefined>;
  close(): Promise<void>;
}

/** The accesses for which a token is configured: routes that require them check that token themselves. */
function ownTokensOf({ notificationToken, metricsToken }: AccessConfig): ReadonlySet<Access> {
  const accesses = new Set<Access>();
  if (notificationToken !== undefined) accesses.add('notify');
  if (metricsToken !== undefined) accesses.add('scrape');
  return accesses;
}

export function openAccess(options: AccessOptions): AccessControl {
  const { config, sql, nowMs, log, passwords = createPasswords() } = options;
  const credentials = createCredentials(sql);
  const trail = createAuditTrail(sql, log);
  const codes = createLoginLimit((accountId) => `account ${accountId}`);
  const logins: LoginParts = { sql, passwords, credentials, logins: createLoginLimit(), codes, trail, log };
  const authFilter = createAuthFilter({
    isAuthOn: config.isAuthOn,
    ownTokens: ownTokensOf(config),
    credentials,
    trail,
    requests: createRequestLimit(config.requestsPerSecond),
    proxies: createProxies(config.trustedProxies, config.httpTls === undefined ? 'http' : 'https'),
  });
  const made = madePassword();
  let isTried = false;
  const isOpenToAll = !config.isAuthOn && !isLoopback(config.http.host);
  if (isOpenToAll)
    log.warn('authentication_off', { note: 'everybody who reaches this service may run commands with it' });
  return {
    authFilter,
    isOpenToAll,
    logins,
    streams: new OpenStreams({ sql, limits: config.streams, nowMs, log }),
    async begin(nowMs) {
      if (!config.isAuthOn && config.adminPassword === undefined) return undefined;
      const first = { given: config.adminPassword, made, isAgain: isTried };
      isTried = true;
      return ensureFirstAccount(logins, first, nowMs);
    },
    close: () => trail.settle(),
  };
}
