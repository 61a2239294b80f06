/** The columns of the list of strikes. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { sentence } from '../format/sentence.ts';
import { Ago } from '../parts/instants.tsx';
import type { Column } from '../parts/record-table.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Sort } from './strike-search.ts';

export type Strike = components['schemas']['Strike'];

export const STRIKE_COLUMNS: readonly (Column<Strike> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'state', title: 'State', width: '120px', sort: 'job__status', narrow: 'start' },
    cell: ({ state }) => <StatusMark status={state} />,
  },
  {
    ...{ name: 'title', title: 'Strike', width: 'minmax(160px, 1fr)', sort: 'title', narrow: 'main' },
    cell: ({ id, title, name }) => (
      <>
        <Link to="/console/strikes/$id/" params={{ id: String(id) }}>
          {title}
        </Link>{' '}
        <span className="soft">{name}</span>
      </>
    ),
    hint: ({ title, name }) => `${title} (${name})`,
  },
  {
    ...{ name: 'reason', title: 'Reason', width: 'minmax(160px, 2fr)', narrow: 'below' },
    cell: ({ reason }) => <span className="soft">{sentence(reason)}</span>,
    hint: ({ reason }) => sentence(reason),
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];
