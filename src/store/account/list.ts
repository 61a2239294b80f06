/** Read models of accounts and their tokens. Catalog tables: small. */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { columns, instants, iso, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { AccountEntity } from './table.ts';

const TEXTS = ['username', 'first_name', 'last_name', 'email'];
const INSTANTS = ['created', 'last_login', 'last_modified'];

const ACCOUNT = object({
  ...columns('a', ['id', ...TEXTS, 'is_staff', 'is_active']),
  has_password: '(a.password_hash is not null)',
  ...instants('a', INSTANTS),
});

const ACCOUNTS: ListShape = {
  from: 'account a',
  id: 'a.id',
  joins: '',
  record: ACCOUNT,
  order: {
    ...plainOrder('a', ['id', 'is_staff', 'is_active', ...INSTANTS]),
    ...textOrder('a', TEXTS),
  },
};

export interface AccountFilter {
  readonly username: readonly string[];
  readonly isStaff: boolean | undefined;
  readonly isActive: boolean | undefined;
}

export function listAccounts<R extends object>(
  sql: Sql,
  filter: AccountFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  const names = filter.username.map((name) => name.toLowerCase());
  conditions.anyOf('lower(a.username)', 'text', names);
  conditions.flag('a.is_staff', filter.isStaff);
  conditions.flag('a.is_active', filter.isActive);
  return listRecords(sql, ACCOUNTS, conditions, order, page);
}

export async function findAccount<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const rows = await sql.execute<{ record: R }>(
    `select ${ACCOUNT} as record from account a where a.id = $1`,
    [id],
  );
  return rows[0]?.record;
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

const TOKEN_INSTANTS = ['created', 'expires', 'revoked', 'last_used'];

const TOKENS: ListShape = {
  from: 'access_token k',
  id: 'k.id',
  joins: 'join account a on a.id = k.account_id',
  record: object({
    ...columns('k', ['id', 'name', 'scope']),
    account: object(columns('a', ['id', 'username'])),
    is_active: `(k.revoked is null and coalesce(k.expires > now(), true) and a.is_active)`,
    ...Object.fromEntries(TOKEN_INSTANTS.map((name) => [name, iso(`k.${name}`)])),
  }),
  order: { ...plainOrder('k', ['id', 'scope', ...TOKEN_INSTANTS]), ...textOrder('k', ['name']) },
};

/** `accountIds`: empty = all accounts. */
export function listTokens<R extends object>(
  sql: Sql,
  accountIds: readonly number[],
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.anyOf('k.account_id', 'bigint', accountIds);
  return listRecords(sql, TOKENS, conditions, order, page);
}

export async function findTokenRecord<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const rows = await sql.execute<{ record: R }>(
    `select ${TOKENS.record} as record from access_token k ${TOKENS.joins} where k.id = $1`,
    [id],
  );
  return rows[0]?.record;
}
