/**
 * Logins by an OpenID provider. The state that is needed when a browser returns is in its cookie, encrypted and valid
 * for ten minutes, so that any coordinator can finish a login that another began.
 */
import { AppError } from '../domain/errors.ts';
import { type IdentityRules, readIdentity } from '../domain/identity.ts';
import { accountOfIdentity } from '../store/account/identities.ts';
import type { Encryption } from '../store/secret-key/encryption.ts';
import { beginSession, type LoginParts, recordLogin } from './login.ts';
import type { LoginAttempt, OpenIdProvider, ProviderOptions } from './openid/provider.ts';
import type { LoginFrom, Session } from './session.ts';

export interface OpenIdParts {
  readonly logins: LoginParts;
  readonly encryption: Encryption;
  /** Absent: no provider is configured. */
  readonly openId?: (ProviderOptions & IdentityRules) | undefined;
}

interface Attempt extends LoginAttempt {
  readonly next: string;
  readonly redirectUri: string;
  readonly untilMs: number;
}

const PURPOSE = 'openid login';
const ATTEMPT_MS = 600_000;
const COOKIE_CHARS_MAX = 4_000;

export interface OpenIdLogin {
  /** Whether a provider is configured. */
  readonly isSetUp: boolean;
  /** The address for the browser, and the state that it brings back. Throws NOT_FOUND if no provider is configured. */
  begin(request: {
    readonly redirectUri: string;
    readonly next: string;
    readonly nowMs: number;
  }): Promise<{ readonly location: string; readonly attempt: string; readonly maxAgeS: number }>;
  /** `returned` has the query. Throws UNAUTHENTICATED, FORBIDDEN or NOT_FOUND. */
  finish(
    returned: { readonly url: string; readonly attempt: string | undefined },
    from: LoginFrom,
  ): Promise<{ readonly session: Session; readonly next: string }>;
}

export function openIdApp(parts: OpenIdParts): OpenIdLogin {
  const { openId: rules, encryption, logins } = parts;
  let provider: Promise<OpenIdProvider> | undefined;
  const existing = async (): Promise<OpenIdProvider> => {
    if (rules === undefined) throw new AppError('NOT_FOUND', 'no OpenID provider is set up');
    provider ??= providerOf(rules);
    return provider;
  };
  return {
    isSetUp: rules !== undefined,
    async begin({ redirectUri, next, nowMs }) {
      const { url, attempt } = await (await existing()).begin(redirectUri, nowMs);
      const kept: Attempt = { ...attempt, next, redirectUri, untilMs: nowMs + ATTEMPT_MS };
      const encrypted = encryption.encrypt(JSON.stringify(kept), PURPOSE).toString('base64url');
      return { location: url, attempt: encrypted, maxAgeS: ATTEMPT_MS / 1_000 };
    },
    async finish(returned, from) {
      const here = await existing();
      const attempt = openedAttempt(encryption, returned.attempt, from.nowMs);
      const url = new URL(new URL(returned.url).search, attempt.redirectUri);
      const claims = await here.finish(url, attempt, from.nowMs);
      const session = await enter(logins, claims, rules ?? {}, from);
      return { session, next: attempt.next };
    },
  };
}

/** The client library is loaded by the first login. */
async function providerOf(options: ProviderOptions): Promise<OpenIdProvider> {
  const { OpenIdProvider } = await import('./openid/provider.ts');
  return new OpenIdProvider(options);
}

/** Throws UNAUTHENTICATED for a cookie that is missing, not ours, or too old. */
function openedAttempt(encryption: Encryption, cookie: string | undefined, nowMs: number): Attempt {
  const refusal = new AppError(
    'UNAUTHENTICATED',
    'this login was not begun here, or too long ago: begin again',
  );
  if (cookie === undefined || cookie === '' || cookie.length > COOKIE_CHARS_MAX) throw refusal;
  let attempt: Attempt;
  try {
    attempt = JSON.parse(encryption.decrypt(Buffer.from(cookie, 'base64url'), PURPOSE)) as Attempt;
  } catch {
    throw refusal; // it was not encrypted here, so it is refused below
  }
  if (attempt.untilMs < nowMs) throw refusal;
  return attempt;
}

async function enter(
  logins: LoginParts,
  claims: Readonly<Record<string, unknown>>,
  rules: IdentityRules,
  from: LoginFrom,
): Promise<Session> {
  const identity = readIdentity(claims, rules);
  const account = await accountOfIdentity(logins.sql, identity, from.nowMs);
  logins.credentials.forget();
  const session = account.isActive ? await beginSession(logins, account, from) : undefined;
  await recordLogin(logins.trail, account, from, session === undefined ? 401 : 302);
  if (session === undefined) throw new AppError('UNAUTHENTICATED', 'this account is not active');
  return session;
}
