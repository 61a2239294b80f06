/** `/v6/tokens/`: credentials of programs. */
import { type Static, Type } from '@sinclair/typebox';
import { issueToken } from '../../auth/login.ts';
import { type Caller, refusalOf, SCOPES } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { parseInstant } from '../../domain/times.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { integers } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type Asker, defineRoute, type RawBody, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import { revokeToken } from '../../store/account/access-tokens.ts';
import { findLoginById, findTokenRecord, listTokens } from '../../store/account/list.ts';
import { creating } from '../../store/catalog/creating.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { keyCipher, savesAnswer } from '../shared/idempotency.ts';
import { nullableInstant } from '../shared/records.ts';
import { unknownReference } from '../shared/requests.ts';

const SCOPE = oneOf(
  SCOPES,
  '`read`: read and validate; `write`: also change things, if the account may; `admin`: also tokens, accounts and ' +
    'the audit.',
);

const FIELDS = {
  id: id(),
  name: Type.String(),
  scope: SCOPE,
  account: Type.Object({ id: id(), username: Type.String() }),
  is_active: Type.Boolean({ description: 'True: neither expired nor revoked, and its account is active.' }),
  created: instant(),
  expires: nullableInstant,
  revoked: nullableInstant,
  last_used: nullableInstant,
};

const Token = named('AccessToken', Type.Object(FIELDS));
/** A new token's record, with the token itself. */
export const NewToken = named(
  'NewAccessToken',
  Type.Object({ ...FIELDS, token: Type.String({ description: 'Shown in this answer only.' }) }),
);

const TokenCreate = named(
  'AccessTokenCreate',
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What it is for.' }),
    scope: Type.Optional({ ...SCOPE, default: 'read' }),
    expires: Type.Optional(
      orNull(Type.String({ description: 'An instant; null: never. Default: in a year.', maxLength: 100 })),
    ),
    account_id: Type.Optional(
      id("The account; the caller's own when absent. Only staff may name another account."),
    ),
  }),
);

type TokenCreateBody = Static<typeof TokenCreate>;

type IssuedToken = Awaited<ReturnType<typeof issueToken>>;

const DEFAULT_MS = 365 * 86_400_000;

type TokenParts = Parts<'logins' | 'encryption'>;

/** The token; undefined if there is none, or the caller may not see it. */
async function visibleToken(sql: Sql, caller: Caller, id: number) {
  const token = await findTokenRecord(sql, id);
  return token !== undefined && isTheirs(caller, token.account.id) ? token : undefined;
}

function isAdmin(caller: Caller): boolean {
  return refusalOf(caller, 'admin') === undefined;
}

function isTheirs(caller: Caller, accountId: number): boolean {
  return isAdmin(caller) || caller.accountId === accountId;
}

/** The accounts whose tokens are listed: those of `wanted` that the caller may see. An empty list stands for all. */
function visibleAccounts(caller: Caller, wanted: readonly number[]): readonly number[] {
  if (isAdmin(caller) || caller.accountId === null) return wanted;
  const { accountId } = caller;
  // No account has the id 0, so that tokens of others are not found.
  return wanted.length === 0 || wanted.includes(accountId) ? [accountId] : [0];
}

/** Throws INVALID_REQUEST, UNKNOWN_REFERENCE, FORBIDDEN or CONFLICT. */
async function createFor(
  { logins: { sql }, encryption }: TokenParts,
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
    const description = 'is required, because nobody is logged in';
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
  // Only this answer contains the secret. A repeat returns it again, so it is stored, encrypted.
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

const order = orderBy(['name', 'scope', 'created', 'expires', 'revoked', 'last_used'], ['id']);

const list = defineList({
  path: '/v6/tokens/',
  summary: 'List tokens',
  description: "The caller's own tokens; staff see all.",
  access: 'own',
  query: { account_id: integers('Ids of accounts.'), order },
  record: Token,
  records: ({ query, shown, request }, { logins }: Parts<'logins'>) =>
    listTokens(
      logins.sql,
      visibleAccounts(request.caller, query.account_id),
      query.order,
      query.paging,
      shown,
    ),
});

/** The path of one token. */
const tokenPath = (id: number): string => `/v6/tokens/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/tokens/',
  summary: 'Create a token',
  repeats: 'keyed',
  description:
    'Programs send it as `Authorization: Bearer <token>` (or `Token <token>`). A token never permits more than its ' +
    'account may do.',
  access: 'own',
  body: TokenCreate,
  documentProblems: async (raw) => problems(raw),
  replies: { 201: NewToken },
  async handle({ body, request }, parts: TokenParts) {
    const { id: newId, token } = await createFor(parts, request, body);
    const record = existing(await findTokenRecord(parts.logins.sql, newId), 'token', newId);
    return reply(201, { ...record, token }, { location: tokenPath(newId) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/tokens/{id}/',
  summary: 'Details of a token',
  access: 'own',
  params: { id: pathId },
  replies: { 200: Token },
  async handle({ params, request }, { logins }: Parts<'logins'>) {
    return reply(
      200,
      existing(await visibleToken(logins.sql, request.caller, params.id), 'token', params.id),
    );
  },
});

const revoke = defineRoute({
  method: 'DELETE',
  path: '/v6/tokens/{id}/',
  summary: 'Revoke a token',
  description: 'It is refused from now on; its record stays. Staff may revoke any.',
  access: 'own',
  params: { id: pathId },
  replies: { 204: NO_BODY },
  async handle({ params, request }, { logins }: Parts<'logins'>) {
    const { caller, nowMs } = request;
    await revokeToken(logins.sql, params.id, isAdmin(caller) ? null : caller.accountId, nowMs);
    logins.credentials.forget();
    return reply(204);
  },
});

export const tokenRoutes = [list, create, details, revoke];
