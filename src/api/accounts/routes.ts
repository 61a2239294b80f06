/** `/v6/accounts/`: the accounts of the service. */
import { type Static, Type } from '@sinclair/typebox';
import type { Caller } from '../../domain/access.ts';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../domain/password.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type Asker, defineRoute, type RawBody, type RouteRequest, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { nullableInstant } from '../shared/records.ts';

const Account = named(
  'Account',
  Type.Object({
    id: id(),
    username: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    is_staff: Type.Boolean({ description: 'May change things; others may read and validate.' }),
    is_active: Type.Boolean({ description: 'An inactive account is not let in, nor are its tokens.' }),
    has_password: Type.Boolean({ description: 'Without one it can only use tokens.' }),
    created: instant(),
    last_login: nullableInstant,
    last_modified: instant(),
  }),
);

const Profile = named(
  'Profile',
  Type.Object({
    id: id(),
    username: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    is_staff: Type.Boolean(),
    scope: oneOf(['read', 'write', 'admin'], 'What the token is for; sessions have the widest.'),
  }),
);

const NAME = Type.String({ maxLength: 150 });
const EMAIL = Type.String({ maxLength: 254, pattern: '^$|^[^\\s@]+@[^\\s@]+$' });
const PASSWORD = Type.String({ minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX });

const AccountCreate = named(
  'AccountCreate',
  Type.Object({
    username: Type.String({
      minLength: 1,
      maxLength: 150,
      pattern: '^[A-Za-z0-9_.@+-]*$',
      description:
        'Letters, digits and _ . @ + -; names that differ in case only are the same. Never changed.',
    }),
    password: Type.Optional(PASSWORD),
    first_name: Type.Optional(NAME),
    last_name: Type.Optional(NAME),
    email: Type.Optional(EMAIL),
    is_staff: Type.Optional(Type.Boolean({ default: false })),
    is_active: Type.Optional(Type.Boolean({ default: true })),
  }),
);
const AccountEdit = named(
  'AccountEdit',
  Type.Object({
    first_name: Type.Optional(NAME),
    last_name: Type.Optional(NAME),
    email: Type.Optional(EMAIL),
    is_staff: Type.Optional(Type.Boolean()),
    is_active: Type.Optional(Type.Boolean()),
  }),
);
const PasswordChange = named(
  'PasswordChange',
  Type.Object({
    password: PASSWORD,
    current_password: Type.Optional(
      Type.String({ maxLength: PASSWORD_CHARS_MAX, description: 'Required for the own account.' }),
    ),
  }),
);

export type AccountRecord = Static<typeof Account>;
export type ProfileRecord = Static<typeof Profile>;
export type AccountCreateBody = Static<typeof AccountCreate>;
export type AccountEditBody = Static<typeof AccountEdit>;
export type PasswordChangeBody = Static<typeof PasswordChange>;

export interface AccountRouteDeps {
  readonly accounts: {
    list: List<typeof filters, typeof order, AccountRecord>;
    find(id: number): Promise<AccountRecord | undefined>;
    /** Throws UNAUTHENTICATED if the caller has no account. */
    profile(caller: Caller): Promise<ProfileRecord>;
    /** Resolves with the new id. Throws INVALID_REQUEST or NAME_TAKEN. */
    create(body: AccountCreateBody, asker: Asker): Promise<number>;
    /** Throws NOT_FOUND or CONFLICT. */
    edit(id: number, body: AccountEditBody, nowMs: number): Promise<void>;
    /** Throws NOT_FOUND, FORBIDDEN, INVALID_REQUEST or TOO_MANY_REQUESTS. */
    setPassword(
      id: number,
      body: PasswordChangeBody,
      request: Pick<RouteRequest, 'caller' | 'address' | 'nowMs'>,
    ): Promise<void>;
    /** The problems of the password in a body, which may have any form. */
    passwordProblems(raw: RawBody): readonly Problem[];
  };
}

const ORDER = [
  'username',
  'first_name',
  'last_name',
  'email',
  'is_staff',
  'is_active',
  'created',
  'last_login',
  'last_modified',
] as const;

const filters = {
  username: texts('Names, whatever their case.'),
  is_staff: flag('Staff only, or others only.'),
  is_active: flag('Active only, or inactive only.'),
};
const order = orderBy(ORDER, ['username']);

const list = defineList({
  path: '/v6/accounts/',
  summary: 'List accounts',
  access: 'admin',
  query: { ...filters, order },
  record: Account,
  records: ({ query }, { accounts }: AccountRouteDeps) => accounts.list(query, query.order, query.paging),
});

/** The path of one account. */
export const accountPath = (id: number): string => `/v6/accounts/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/accounts/',
  summary: 'Create an account',
  repeats: 'keyed',
  access: 'admin',
  body: AccountCreate,
  documentProblems: async (raw, { accounts }: AccountRouteDeps) => accounts.passwordProblems(raw),
  replies: { 201: Account },
  async handle({ body, request }, { accounts }: AccountRouteDeps) {
    const newId = await accounts.create(body, request);
    const details = existing(await accounts.find(newId), 'account');
    return reply(201, details, { location: accountPath(newId) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/accounts/{id}/',
  summary: 'Details of an account',
  access: 'admin',
  params: { id: pathId },
  replies: { 200: Account },
  async handle({ params }, { accounts }: AccountRouteDeps) {
    return reply(200, existing(await accounts.find(params.id), 'account'));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/accounts/{id}/',
  summary: 'Edit, activate or deactivate an account',
  description:
    'Fields that are not given stay. Accounts are never removed: deactivate one, and neither it nor its tokens are ' +
    'let in any more. The last active staff account stays one (409).',
  access: 'admin',
  params: { id: pathId },
  body: AccountEdit,
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { accounts }: AccountRouteDeps) {
    await accounts.edit(params.id, body, request.nowMs);
    return reply(204);
  },
});

const password = defineRoute({
  method: 'POST',
  path: '/v6/accounts/{id}/password/',
  summary: 'Change a password',
  repeats: {
    reason: 'sets the password: once more changes nothing',
  },
  description:
    'Everybody may set their own with the current one, staff that of any account. All sessions of the account end ' +
    'but the one that asks. Tokens stay: revoke those that may be known to others.',
  access: 'own',
  params: { id: pathId },
  body: PasswordChange,
  documentProblems: async (raw, { accounts }: AccountRouteDeps) => accounts.passwordProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { accounts }: AccountRouteDeps) {
    await accounts.setPassword(params.id, body, request);
    return reply(204);
  },
});

const profile = defineRoute({
  method: 'GET',
  path: '/v6/accounts/profile/',
  summary: 'The account that asks',
  replies: { 200: Profile },
  async handle({ request }, { accounts }: AccountRouteDeps) {
    return reply(200, await accounts.profile(request.caller));
  },
});

export const accountRoutes = [list, create, profile, details, edit, password];
