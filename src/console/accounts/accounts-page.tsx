/** The accounts of the service: staff create, change and deactivate them here. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt } from '../parts/form.tsx';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { type AccountRecord, accountList } from './queries.ts';

export interface AccountSearch {
  readonly active?: 'true' | 'false';
  readonly staff?: 'true' | 'false';
  readonly order?: string;
}

const PASSWORD_CHARS_MIN = 8;
const CHANGES = ['accounts'];
const YES_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

const COLUMNS: readonly Column<AccountRecord>[] = [
  {
    ...{ name: 'name', title: 'Account', width: 'minmax(120px, 1fr)', sort: 'username', narrow: 'main' },
    cell: ({ username }) => username,
  },
  {
    ...{ name: 'person', title: 'Name', width: 'minmax(120px, 1fr)' },
    cell: ({ first_name, last_name }) => `${first_name} ${last_name}`,
  },
  {
    ...{ name: 'email', title: 'E-mail', width: 'minmax(140px, 1fr)', narrow: 'below' },
    cell: ({ email }) => email,
  },
  {
    ...{ name: 'staff', title: 'Access', width: '150px', sort: 'is_staff' },
    cell: ({ is_staff }) => (is_staff ? 'Read and write' : 'Read only'),
  },
  {
    ...{ name: 'active', title: 'State', width: '110px', sort: 'is_active', narrow: 'start' },
    cell: ({ is_active }) => (
      <StatusMark status={is_active ? 'READY' : 'CANCELED'} text={is_active ? 'Active' : 'Inactive'} />
    ),
  },
  {
    ...{ name: 'login', title: 'Last login', width: '110px', sort: 'last_login', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_login }) => <Ago at={last_login} />,
  },
  {
    ...{ name: 'actions', title: '', width: '190px', narrow: 'end' },
    cell: (account) => (
      <div className="row-actions">
        <EditAction account={account} />
        <PasswordAction account={account} />
      </div>
    ),
  },
];

export function AccountsPage({ search }: { readonly search: AccountSearch }) {
  const { mayWrite } = useAccount();
  if (!mayWrite) {
    return (
      <div className="page">
        <PageHead title="Accounts" />
        <Empty title="Only staff can see accounts">Your account may read everything else.</Empty>
      </div>
    );
  }
  return <AccountList search={search} />;
}

function AccountList({ search }: { readonly search: AccountSearch }) {
  const { active, staff, order = 'username' } = search;
  const navigate = useNavigate();
  const [view, setView] = useState({ first: 0, last: 0 });
  const query = {
    order: [order as 'username'],
    ...(active === undefined ? {} : { is_active: active === 'true' }),
    ...(staff === undefined ? {} : { is_staff: staff === 'true' }),
  };
  const rows = useRecordRows(accountList(query), view);
  const isFiltered = active !== undefined || staff !== undefined;
  const set = (name: keyof AccountSearch, value: string) =>
    void navigate({
      to: '/console/accounts/',
      search: { ...search, [name]: value === '' ? undefined : value } as AccountSearch,
    });
  return (
    <div className="page list-page">
      <PageHead
        title="Accounts"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'account')}
          </span>
        }
      >
        <CreateAction />
      </PageHead>
      {(rows.total !== 0 || isFiltered) && (
        <search className="filters">
          <Choice label="Active" value={active} choices={YES_NO} set={(value) => set('active', value)} />
          <Choice label="Staff" value={staff} choices={YES_NO} set={(value) => set('staff', value)} />
        </search>
      )}
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoAccounts isFiltered={isFiltered} />
      ) : (
        <RecordTable label="Accounts" rows={rows} columns={COLUMNS} order={order} onView={setView} />
      )}
    </div>
  );
}

function NoAccounts({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No account matches these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty title="There are no accounts yet">
      Nobody has to log in here. An account is needed once others reach the service.
    </Empty>
  );
}

function CreateAction() {
  return (
    <ActionDialog
      button="New account…"
      title="New account"
      confirm="Create the account"
      run={(fields) =>
        client.post('/v6/accounts/', {
          body: {
            username: String(fields.get('username') ?? ''),
            password: String(fields.get('password') ?? ''),
            email: String(fields.get('email') ?? ''),
            is_staff: fields.get('staff') === 'on',
            is_active: true,
          },
        })
      }
      changes={CHANGES}
    >
      {(error) => (
        <>
          <Field
            label="Name"
            hint="Letters, digits and _ . @ + -. It never changes."
            problem={problemAt(error, 'username')}
          >
            {(ids) => <input {...ids} name="username" required autoComplete="off" spellCheck={false} />}
          </Field>
          <Field
            label="Password"
            hint={`At least ${PASSWORD_CHARS_MIN} characters. The person may change it.`}
            problem={problemAt(error, 'password')}
          >
            {(ids) => <input {...ids} name="password" type="password" required autoComplete="new-password" />}
          </Field>
          <Field label="E-mail" hint="Optional." problem={problemAt(error, 'email')}>
            {(ids) => <input {...ids} name="email" autoComplete="off" />}
          </Field>
          <label className="check">
            <input type="checkbox" name="staff" />
            Staff: may change everything, including accounts
          </label>
        </>
      )}
    </ActionDialog>
  );
}

function EditAction({ account }: { readonly account: AccountRecord }) {
  const { id, username, email, is_staff, is_active } = account;
  return (
    <ActionDialog
      button="Edit…"
      title={`Account ${username}`}
      text="An inactive account cannot log in, and its tokens are refused."
      confirm="Save"
      run={(fields) =>
        client.patch('/v6/accounts/{id}/', {
          path: { id },
          body: {
            email: String(fields.get('email') ?? ''),
            is_staff: fields.get('staff') === 'on',
            is_active: fields.get('active') === 'on',
          },
        })
      }
      changes={CHANGES}
    >
      {(error) => (
        <>
          <Field label="E-mail" problem={problemAt(error, 'email')}>
            {(ids) => <input {...ids} name="email" defaultValue={email} autoComplete="off" />}
          </Field>
          <label className="check">
            <input type="checkbox" name="staff" defaultChecked={is_staff} />
            Staff: may change everything, including accounts
          </label>
          <label className="check">
            <input type="checkbox" name="active" defaultChecked={is_active} />
            Active
          </label>
        </>
      )}
    </ActionDialog>
  );
}

function PasswordAction({ account: { id, username } }: { readonly account: AccountRecord }) {
  const isOwn = useAccount().username === username;
  return (
    <ActionDialog
      button="Password…"
      title={`Password of ${username}`}
      text={
        isOwn
          ? 'Your other sessions end. Your tokens stay valid.'
          : 'All its sessions end. Its tokens stay valid.'
      }
      confirm="Set the password"
      run={(fields) =>
        client.post('/v6/accounts/{id}/password/', {
          path: { id },
          body: {
            password: String(fields.get('password') ?? ''),
            ...(isOwn ? { current_password: String(fields.get('current') ?? '') } : {}),
          },
        })
      }
      changes={CHANGES}
    >
      {(error) => (
        <>
          {isOwn && (
            <Field label="Current password" problem={problemAt(error, 'current_password')}>
              {(ids) => (
                <input {...ids} name="current" type="password" required autoComplete="current-password" />
              )}
            </Field>
          )}
          <Field
            label="New password"
            hint={`At least ${PASSWORD_CHARS_MIN} characters.`}
            problem={problemAt(error, 'password')}
          >
            {(ids) => <input {...ids} name="password" type="password" required autoComplete="new-password" />}
          </Field>
        </>
      )}
    </ActionDialog>
  );
}
