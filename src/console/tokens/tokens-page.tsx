/** Tokens of programs: those of the account; staff see all. A token is shown once, when it is created. */
import { useState } from 'react';
import type { components } from '../../client/operations.ts';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt } from '../parts/form.tsx';
import { Ago, Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PAGE, type RecordSource, useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';

type Token = components['schemas']['AccessToken'];
type NewToken = components['schemas']['NewAccessToken'];

export interface TokenSearch {
  readonly order?: string;
}

const CHANGES = ['tokens'];
const SCOPES = [
  ['read', 'read: read and validate'],
  ['write', 'write: also change things'],
  ['admin', 'admin: also tokens, accounts and the audit'],
] as const;
const DAYS = [
  ['30', '30 days'],
  ['365', 'a year'],
  ['', 'never'],
] as const;
const DAY_MS = 86_400_000;

const tokenList = (order: string): RecordSource<Token> => ({
  key: ['tokens', order],
  kinds: [],
  read: (page, signal) =>
    client.get('/v6/tokens/', { query: { order: [order as 'name'], page, page_size: PAGE }, signal }),
});

const COLUMNS: readonly Column<Token>[] = [
  {
    ...{ name: 'state', title: 'State', width: '110px', narrow: 'start' },
    cell: ({ is_active, revoked }) => (
      <StatusMark
        status={is_active ? 'READY' : 'CANCELED'}
        text={is_active ? 'Valid' : revoked === null ? 'Expired' : 'Revoked'}
      />
    ),
  },
  {
    ...{ name: 'name', title: 'For', width: 'minmax(140px, 1fr)', sort: 'name', narrow: 'main' },
    cell: ({ name }) => name,
  },
  {
    ...{ name: 'account', title: 'Account', width: 'minmax(100px, 0.7fr)', narrow: 'below' },
    cell: ({ account }) => account.username,
  },
  { ...{ name: 'scope', title: 'Scope', width: '80px', sort: 'scope' }, cell: ({ scope }) => scope },
  {
    ...{ name: 'expires', title: 'Expires', width: '150px', sort: 'expires', isNumber: true },
    cell: ({ expires }) => (expires === null ? 'never' : <Instant at={expires} />),
  },
  {
    ...{ name: 'used', title: 'Last used', width: '100px', sort: 'last_used', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_used }) => <Ago at={last_used} />,
  },
  {
    ...{ name: 'actions', title: '', width: '100px', narrow: 'end' },
    cell: ({ id, name, is_active }) =>
      is_active && (
        <div className="row-actions">
          <ActionDialog
            button="Revoke…"
            title={`Revoke ${name}`}
            text="Programs that send it are refused from now on. This cannot be undone."
            confirm="Revoke the token"
            isDanger
            run={() => client.delete('/v6/tokens/{id}/', { path: { id } })}
            changes={CHANGES}
          />
        </div>
      ),
  },
];

export function TokensPage({ order = '-created' }: TokenSearch) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(tokenList(order), view);
  const hasAccount = useAccount().username !== undefined;
  return (
    <div className="page list-page">
      <PageHead
        title="Tokens"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'token')}
          </span>
        }
      >
        {hasAccount && <CreateAction />}
      </PageHead>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <Empty title="There are no tokens yet">
          {hasAccount
            ? 'Programs send a token instead of a password. Make one for each program.'
            : 'Nobody has to log in here: programs need no token.'}
        </Empty>
      ) : (
        <RecordTable label="Tokens" rows={rows} columns={COLUMNS} order={order} onView={setView} />
      )}
    </div>
  );
}

function CreateAction() {
  return (
    <ActionDialog
      button="New token…"
      title="New token"
      text="A token never has more rights than its account."
      confirm="Create the token"
      run={(fields) => {
        const days = String(fields.get('days') ?? '');
        return client.post('/v6/tokens/', {
          body: {
            name: String(fields.get('name') ?? ''),
            scope: String(fields.get('scope')) as 'read',
            expires: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          },
        });
      }}
      done={(answer) => (
        <>
          <p>Copy it now: it is not shown again.</p>
          <code className="secret">{(answer as NewToken).token}</code>
        </>
      )}
      changes={CHANGES}
    >
      {(error) => (
        <>
          <Field label="For" hint="The program that uses it." problem={problemAt(error, 'name')}>
            {(ids) => <input {...ids} name="name" required maxLength={100} autoComplete="off" />}
          </Field>
          <Field label="Scope" problem={problemAt(error, 'scope')}>
            {(ids) => (
              <select {...ids} name="scope">
                {SCOPES.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Expires" problem={problemAt(error, 'expires')}>
            {(ids) => (
              <select {...ids} name="days" defaultValue="365">
                {DAYS.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </ActionDialog>
  );
}
