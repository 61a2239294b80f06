/** Read models of accounts and their tokens. Catalog tables: small. */
import type { Scope } from '../../domain/access.ts';
import { expression, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { AccountEntity } from './table.ts';

const a = row('account', 'a');
const TEXTS = ['username', 'first_name', 'last_name', 'email'] as const;
const INSTANTS = ['created', 'last_login', 'last_modified'] as const;

const ACCOUNT = {
  ...a.columns('id', ...TEXTS, 'is_staff', 'is_active'),
  has_password: expression<boolean>('(a.password_hash is not null)'),
  ...a.instants(...INSTANTS),
};
const accountOrder = { ...a.order('id', 'is_staff', 'is_active', ...INSTANTS), ...a.textOrder(...TEXTS) };

export interface AccountFilter {
  readonly username: readonly string[];
  readonly is_staff: boolean | undefined;
  readonly is_active: boolean | undefined;
}

export const listAccounts = listOf(
  { rows: a, fields: ACCOUNT, order: accountOrder },
  (where, filter: AccountFilter) => {
    const names = filter.username.map((name) => name.toLowerCase());
    where.anyOf('lower(a.username)', 'text', names);
    where.flag('a.is_staff', filter.is_staff);
    where.flag('a.is_active', filter.is_active);
  },
);

export function findAccount(sql: Sql, id: number) {
  return findRecord(sql, object(ACCOUNT), 'account a where a.id = $1', [id]);
}

const LOGIN = columnsOf(AccountEntity, 'a', ['id', 'username', 'isStaff', 'isActive', 'passwordHash']);

/** The data for a login. */
export type LoginAccount = RowOf<typeof LOGIN>;

/** Ignores the case of the name. */
export async function findLogin(sql: Sql, username: string): Promise<LoginAccount | undefined> {
  const [row] = await sql.execute<LoginAccount>(
    `select ${LOGIN.sql} from account a where lower(a.username) = lower($1)   -- = account_username_key`,
    [username],
  );
  return row;
}

export async function findLoginById(sql: Sql, id: number): Promise<LoginAccount | undefined> {
  const [row] = await sql.execute<LoginAccount>(`select ${LOGIN.sql} from account a where a.id = $1`, [id]);
  return row;
}

const k = row('access_token', 'k');
const TOKEN_INSTANTS = ['created', 'expires', 'revoked', 'last_used'] as const;
const TOKENS = {
  rows: k,
  joins: 'join account a on a.id = k.account_id',
  fields: {
    ...k.columns('id', 'name'),
    scope: k.oneOf<Scope>('scope'),
    account: object(a.columns('id', 'username')),
    is_active: expression<boolean>(
      '(k.revoked is null and coalesce(k.expires > now(), true) and a.is_active)',
    ),
    ...k.instants(...TOKEN_INSTANTS),
  },
  order: { ...k.order('id', 'scope', ...TOKEN_INSTANTS), ...k.textOrder('name') },
};

/** `accountIds`: empty = all accounts. */
export const listTokens = listOf(TOKENS, (where, accountIds: readonly number[]) => {
  where.anyOf('k.account_id', 'bigint', accountIds);
});

export function findTokenRecord(sql: Sql, id: number) {
  return findRecord(sql, object(TOKENS.fields), `access_token k ${TOKENS.joins} where k.id = $1`, [id]);
}
