/** The service behind the routes of tokens. Only staff handle tokens of other accounts. */

import type { Credentials } from '../../auth/credentials.ts';
import { issueToken } from '../../auth/login.ts';
import { type Caller, refusalOf } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { parseInstant } from '../../domain/times.ts';
import type { Problem } from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import { revokeToken } from '../../store/account/access-tokens.ts';
import { findLoginById, findTokenRecord, listTokens } from '../../store/account/list.ts';
import { creating } from '../../store/catalog/creating.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { keyCipher, savesAnswer } from '../shared/idempotency.ts';
import { unknownReference } from '../shared/requests.ts';
import { type TokenCreateBody, type TokenRouteDeps, tokenPath } from './routes.ts';

export interface TokenParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly credentials: Credentials;
}

type IssuedToken = Awaited<ReturnType<typeof issueToken>>;

const DEFAULT_MS = 365 * 86_400_000;

export function tokensApp(parts: TokenParts): TokenRouteDeps['tokens'] {
  const { sql, credentials } = parts;
  return {
    list: (caller, accountIds, order, page) =>
      listTokens(sql, visibleAccounts(caller, accountIds), order, page),
    async find(caller, id) {
      const token = await findTokenRecord(sql, id);
      return token !== undefined && isTheirs(caller, token.account.id) ? token : undefined;
    },
    create: (asker, body) => create(parts, asker, body),
    async revoke(caller, id, nowMs) {
      await revokeToken(sql, id, isAdmin(caller) ? null : caller.accountId, nowMs);
      credentials.forget();
    },
    problems,
  };
}

function isAdmin(caller: Caller): boolean {
  return refusalOf(caller, 'admin') === undefined;
}

function isTheirs(caller: Caller, accountId: number): boolean {
  return isAdmin(caller) || caller.accountId === accountId;
}

/** An empty list means all. */
function visibleAccounts(caller: Caller, wanted: readonly number[]): readonly number[] {
  if (isAdmin(caller) || caller.accountId === null) return wanted;
  const { accountId } = caller;
  // No account has the id 0: tokens of others are not found.
  return wanted.length === 0 || wanted.includes(accountId) ? [accountId] : [0];
}

async function create(
  { sql, encryption }: TokenParts,
  asker: Asker,
  body: TokenCreateBody,
): Promise<IssuedToken> {
  const { caller, nowMs } = asker;
  const { name, scope = 'read', expires, account_id: accountId = caller.accountId } = body;
  const wrong = [...problems({ expires })];
  const expiresMs =
    expires === null ? null : expires === undefined ? nowMs + DEFAULT_MS : parseInstant(expires);
  if (typeof expiresMs === 'number' && expiresMs <= nowMs) {
    wrong.push({ name: 'IN_THE_PAST', description: 'must be in the future', path: 'expires' });
  }
  if (accountId === null) {
    const description = 'is required: nobody is logged in';
    wrong.push({ name: 'MISSING_FIELD', description, path: 'account_id' });
  }
  const [first] = wrong;
  if (first !== undefined || accountId === null || expiresMs === undefined) {
    throw new AppError('INVALID_REQUEST', `${first?.path}: ${first?.description}`, { errors: wrong });
  }
  if (!isTheirs(caller, accountId)) {
    throw new AppError('FORBIDDEN', 'only staff may create tokens of other accounts');
  }
  const account = await findLoginById(sql, accountId);
  if (account?.isActive !== true)
    throw unknownReference('account_id', 'there is no active account of this id');
  // The only answer that shows a secret: a repeat shows it again, so it is stored, encrypted.
  const also = savesAnswer(asker, async (tx, { id, token }: IssuedToken) => {
    const record = { ...(await findTokenRecord(tx, id)), token };
    return { status: 201, location: tokenPath(id), record, cipher: keyCipher(encryption) };
  });
  const request = { accountId, name, scope, expiresMs };
  return creating(sql, also, (tx) => issueToken(tx, request, nowMs));
}

function problems({ expires }: RawBody): readonly Problem[] {
  if (typeof expires !== 'string' || parseInstant(expires) !== undefined) return [];
  return [{ name: 'NOT_A_TIME', description: 'must be an ISO-8601 instant with a zone', path: 'expires' }];
}
