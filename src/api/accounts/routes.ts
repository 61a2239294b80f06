/** `/v6/accounts/`: the accounts of the service. */
import { type Static, Type } from '@sinclair/typebox';
import { type LoginParts, requireLoginTry } from '../../auth/login.ts';
import { NOBODY_NAME, refusalOf } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN, passwordProblems } from '../../domain/password.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type Asker, defineRoute, type RawBody, type RouteRequest, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf } from '../../http/schema.ts';
import { findAccount, findLoginById, type LoginAccount, listAccounts } from '../../store/account/list.ts';
import { createAccount, editAccount, setPassword } from '../../store/account/save.ts';
import { creating } from '../../store/catalog/creating.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { nullableInstant } from '../shared/records.ts';
import { refuseProblems } from '../shared/requests.ts';

const Account = named(
  'Account',
  Type.Object({
    id: id(),
    username: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    is_staff: Type.Boolean({ description: 'May change things; others may read and validate.' }),
    is_active: Type.Boolean({ description: 'An inactive account is refused, and so are its tokens.' }),
    has_password: Type.Boolean({ description: 'An account without a password can only use tokens.' }),
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
    scope: oneOf(
      ['read', 'write', 'admin'],
      'What the token may be used for; a session has the widest scope.',
    ),
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
      Type.String({ maxLength: PASSWORD_CHARS_MAX, description: "Required to change one's own password." }),
    ),
  }),
);

type AccountCreateBody = Static<typeof AccountCreate>;
type PasswordChangeBody = Static<typeof PasswordChange>;

async function createFor(
  { sql, passwords }: LoginParts,
  body: AccountCreateBody,
  asker: Asker,
): Promise<number> {
  const { username, password } = body;
  const errors: Problem[] = [];
  if (username.toLowerCase() === NOBODY_NAME.toLowerCase()) {
    const description = 'is reserved for callers without an account';
    errors.push({ name: 'NAME_TAKEN', description, path: 'username' });
  }
  if (password !== undefined) errors.push(...passwordProblems(password, username, 'password'));
  refuse(errors);
  const also = savesAnswer(asker, async (tx, id: number) => {
    return { status: 201, location: accountPath(id), record: await findAccount(tx, id) };
  });
  const row = {
    ...{ username, nowMs: asker.nowMs, firstName: body.first_name ?? '', lastName: body.last_name ?? '' },
    ...{ email: body.email ?? '', isStaff: body.is_staff ?? false, isActive: body.is_active ?? true },
    passwordHash: password === undefined ? null : await passwords.hash(password),
  };
  return creating(sql, also, (tx) => createAccount(tx, row));
}

/** A caller who is logged in as the account must also know its password, because a session may have been left open. */
async function changePassword(
  parts: LoginParts,
  id: number,
  body: PasswordChangeBody,
  { caller, address, nowMs }: Pick<RouteRequest, 'caller' | 'address' | 'nowMs'>,
): Promise<void> {
  const isOwn = caller.accountId === id;
  if (!isOwn && refusalOf(caller, 'admin') !== undefined) {
    throw new AppError('FORBIDDEN', 'only staff may set the password of another account');
  }
  const account = existing(await findLoginById(parts.sql, id), 'account', id);
  refuse(passwordProblems(body.password, account.username, 'password'));
  if (isOwn) await requireCurrent(parts, account, body.current_password, address, nowMs);
  const keptId = isOwn && caller.by === 'session' ? caller.credentialId : null;
  await setPassword(parts.sql, id, await parts.passwords.hash(body.password), keptId, nowMs);
  parts.credentials.forget();
}

async function requireCurrent(
  parts: LoginParts,
  { username, passwordHash }: LoginAccount,
  shown: string | undefined,
  address: string,
  nowMs: number,
): Promise<void> {
  const path = 'current_password';
  if (shown === undefined) {
    refuse([{ name: 'MISSING_FIELD', description: 'is required to change your own password', path }]);
    return;
  }
  requireLoginTry(parts.logins, username, address, nowMs);
  if (!(await parts.passwords.matches(shown, passwordHash))) {
    refuse([{ name: 'WRONG_PASSWORD', description: 'is not the password of the account', path }]);
  }
  parts.logins.succeeded(username, address);
}

function refuse(errors: readonly Problem[]): void {
  const issues = new IssueList();
  issues.include('', { errors });
  refuseProblems(issues);
}

/** The problems of the password in a body, which may have any form. */
function problemsOfPassword({ password, username }: RawBody): readonly Problem[] {
  if (typeof password !== 'string' || password === '') return [];
  return passwordProblems(password, typeof username === 'string' ? username : '', 'password');
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
  records: ({ query, shown }, { logins }: Parts<'logins'>) =>
    listAccounts(logins.sql, query, query.order, query.paging, shown),
});

/** The path of one account. */
const accountPath = (id: number): string => `/v6/accounts/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/accounts/',
  summary: 'Create an account',
  repeats: 'keyed',
  access: 'admin',
  body: AccountCreate,
  documentProblems: async (raw) => problemsOfPassword(raw),
  replies: { 201: Account },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const newId = await createFor(logins, body, request);
    const details = existing(await findAccount(logins.sql, newId), 'account', newId);
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
  async handle({ params }, { logins }: Parts<'logins'>) {
    return reply(200, existing(await findAccount(logins.sql, params.id), 'account', params.id));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/accounts/{id}/',
  summary: 'Edit, activate or deactivate an account',
  description:
    'Fields that are not given stay as they are. Accounts are never removed: a deactivated account and its tokens ' +
    'are refused. The last active staff account cannot be deactivated or lose its staff role (409).',
  access: 'admin',
  params: { id: pathId },
  body: AccountEdit,
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { logins }: Parts<'logins'>) {
    const {
      first_name: firstName,
      last_name: lastName,
      email,
      is_staff: isStaff,
      is_active: isActive,
    } = body;
    const changed = { firstName, lastName, email, isStaff, isActive };
    await editAccount(logins.sql, params.id, changed, request.nowMs);
    logins.credentials.forget();
    return reply(204);
  },
});

const password = defineRoute({
  method: 'POST',
  path: '/v6/accounts/{id}/password/',
  summary: 'Change a password',
  repeats: {
    reason: 'a repeat sets the same password again',
  },
  description:
    'Everybody may set their own password with the current one; staff may set that of any account. All sessions of ' +
    'the account end except the one that asks. Tokens stay valid: revoke those that others may know.',
  access: 'own',
  params: { id: pathId },
  body: PasswordChange,
  documentProblems: async (raw) => problemsOfPassword(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { logins }: Parts<'logins'>) {
    await changePassword(logins, params.id, body, request);
    return reply(204);
  },
});

const profile = defineRoute({
  method: 'GET',
  path: '/v6/accounts/profile/',
  summary: 'The account that asks',
  replies: { 200: Profile },
  async handle({ request }, { logins }: Parts<'logins'>) {
    const { accountId, scope } = request.caller;
    const account = accountId === null ? undefined : await findAccount(logins.sql, accountId);
    if (account === undefined)
      throw new AppError(
        'UNAUTHENTICATED',
        'nobody is logged in: log in at /login/ or with POST /v6/login/, or send a token. Where authentication ' +
          'is off, other calls need none of this',
      );
    const { id, username, first_name, last_name, email, is_staff } = account;
    return reply(200, { id, username, first_name, last_name, email, is_staff, scope });
  },
});

export const accountRoutes = [list, create, profile, details, edit, password];
