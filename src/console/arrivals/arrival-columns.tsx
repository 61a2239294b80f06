/** The columns of the list of arrivals. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { FileName } from '../files/file-name.tsx';
import { bytes } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Ago } from '../parts/instants.tsx';
import type { Column } from '../parts/record-table.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Sort } from './arrival-search.ts';

export type Ingest = components['schemas']['Ingest'];

export const ARRIVAL_COLUMNS: readonly (Column<Ingest> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'status', title: 'Status', width: '110px', sort: 'status', narrow: 'start' },
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    ...{ name: 'name', title: 'File', width: 'minmax(180px, 2.2fr)', sort: 'file_name', narrow: 'main' },
    cell: ({ id, file_name }) => (
      <Link to="/console/arrivals/$id/" params={{ id: String(id) }}>
        <FileName name={file_name} />
      </Link>
    ),
    hint: ({ file_path }) => file_path,
  },
  {
    ...{ name: 'size', title: 'Size', width: '84px', sort: 'file_size', isNumber: true, narrow: 'end' },
    cell: ({ file_size }) => bytes(file_size),
  },
  {
    ...{ name: 'finder', title: 'Found by', width: 'minmax(110px, 1fr)' },
    cell: ({ strike, scan }) => <Finder strike={strike} scan={scan} />,
    hint: ({ strike, scan }) => strike?.name ?? scan?.name,
  },
  {
    ...{ name: 'place', title: 'Workspace', width: 'minmax(120px, 2.4fr)' },
    cell: ({ workspace, new_workspace }) => (
      <>
        {workspace.name}
        {new_workspace !== null && new_workspace.id !== workspace.id && (
          <span className="soft"> → {new_workspace.name}</span>
        )}
      </>
    ),
    hint: ({ workspace, new_workspace }) =>
      new_workspace === null ? workspace.name : `${workspace.name} → ${new_workspace.name}`,
  },
  {
    ...{ name: 'reason', title: 'Reason', width: 'minmax(100px, 1fr)', narrow: 'below' },
    cell: ({ reason }) => <span className="soft">{sentence(reason)}</span>,
    hint: ({ reason }) => sentence(reason),
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '90px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

export function Finder({ strike, scan }: Pick<Ingest, 'strike' | 'scan'>) {
  if (strike !== null) {
    return (
      <Link to="/console/strikes/$id/" params={{ id: String(strike.id) }}>
        {strike.title}
      </Link>
    );
  }
  return scan === null ? (
    <span className="soft">an upload</span>
  ) : (
    <Link to="/console/scans/$id/" params={{ id: String(scan.id) }}>
      scan {scan.title}
    </Link>
  );
}
