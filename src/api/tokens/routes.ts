/** `/v6/tokens/`: credentials of programs. */
import { type Static, Type } from '@sinclair/typebox';
import { type Caller, SCOPES } from '../../domain/access.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type Listed, type Terms } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import type { Paging } from '../../http/request/paging.ts';
import { integers } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type Asker, defineRoute, type RawBody, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { nullableInstant } from '../shared/records.ts';

const SCOPE = oneOf(
  SCOPES,
  '`read`: read and validate; `write`: also change things, where the account may; `admin`: also tokens, accounts and ' +
    'the audit.',
);

const FIELDS = {
  id: id(),
  name: Type.String(),
  scope: SCOPE,
  account: Type.Object({ id: id(), username: Type.String() }),
  is_active: Type.Boolean({ description: 'Neither expired nor revoked, and of an active account.' }),
  created: instant(),
  expires: nullableInstant,
  revoked: nullableInstant,
  last_used: nullableInstant,
};

const Token = named('AccessToken', Type.Object(FIELDS));
const NewToken = named(
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
    account_id: Type.Optional(id('The account; the own one when absent. Others: staff only.')),
  }),
);

export type TokenRecord = Static<typeof Token>;
export type TokenCreateBody = Static<typeof TokenCreate>;

export interface TokenRouteDeps {
  readonly tokens: {
    /** Lists the caller's own tokens, or for staff those of any account. */
    list(
      caller: Caller,
      accountIds: readonly number[],
      terms: Terms<typeof order>,
      page: Paging,
    ): Promise<Listed<TokenRecord>>;
    /** Also undefined if the caller may not see it. */
    find(caller: Caller, id: number): Promise<TokenRecord | undefined>;
    /** Throws INVALID_REQUEST, UNKNOWN_REFERENCE, FORBIDDEN or CONFLICT. */
    create(asker: Asker, body: TokenCreateBody): Promise<{ readonly id: number; readonly token: string }>;
    /** Throws NOT_FOUND. */
    revoke(caller: Caller, id: number, nowMs: number): Promise<void>;
    /** The problems of a body, which may have any form. */
    problems(raw: RawBody): readonly Problem[];
  };
}

const order = orderBy(['name', 'scope', 'created', 'expires', 'revoked', 'last_used'], ['id']);

const list = defineList({
  path: '/v6/tokens/',
  summary: 'List tokens',
  description: 'The own ones; staff see all.',
  access: 'own',
  query: { account_id: integers('Ids of accounts.'), order },
  record: Token,
  records: ({ query, request }, { tokens }: TokenRouteDeps) =>
    tokens.list(request.caller, query.account_id, query.order, query.paging),
});

/** The path of one token. */
export const tokenPath = (id: number): string => `/v6/tokens/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/tokens/',
  summary: 'Create a token',
  repeats: 'keyed',
  description:
    'Programs send it as `Authorization: Bearer <token>` (or `Token <token>`). A token never may more than its ' +
    'account.',
  access: 'own',
  body: TokenCreate,
  documentProblems: async (raw, { tokens }: TokenRouteDeps) => tokens.problems(raw),
  replies: { 201: NewToken },
  async handle({ body, request }, { tokens }: TokenRouteDeps) {
    const { id: newId, token } = await tokens.create(request, body);
    const record = existing(await tokens.find(request.caller, newId), 'token');
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
  async handle({ params, request }, { tokens }: TokenRouteDeps) {
    return reply(200, existing(await tokens.find(request.caller, params.id), 'token'));
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
  async handle({ params, request }, { tokens }: TokenRouteDeps) {
    await tokens.revoke(request.caller, params.id, request.nowMs);
    return reply(204);
  },
});

export const tokenRoutes = [list, create, details, revoke];
