/** One dataset: its parameters and members. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { type DatasetMember, datasetDetails, memberList } from '../datasets/queries.ts';
import { FileName } from '../files/file-name.tsx';
import { count, counted } from '../format/amounts.ts';
import { DeleteAction } from '../parts/delete-action.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Comparison } from './comparison.tsx';

const FILES_SHOWN = 20;

const COLUMNS: readonly Column<DatasetMember>[] = [
  {
    ...{ name: 'id', title: 'Member', width: '100px', narrow: 'start', isNumber: true },
    cell: ({ id }) => (
      <>
        <span className="narrow-word">Member </span>
        {id}
      </>
    ),
  },
  {
    ...{ name: 'files', title: 'Files', width: 'minmax(160px, 1fr)', narrow: 'main' },
    cell: (member) => <MemberFiles member={member} />,
  },
  {
    ...{ name: 'values', title: 'Values', width: 'minmax(160px, 1fr)', narrow: 'below' },
    cell: ({ data }) =>
      Object.entries(data.json ?? {})
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
        .join('; '),
  },
  {
    ...{ name: 'created', title: 'Added', width: '130px', narrow: 'end' },
    cell: ({ created }) => <Instant at={created} />,
  },
];

/** Its files by the parameter that they are for, as links. */
function MemberFiles({ member: { data, first_files } }: { readonly member: DatasetMember }) {
  const names = new Map(first_files.map(({ id, file_name }) => [id, file_name]));
  const given = Object.entries(data.files ?? {}).flatMap(([parameter, ids]) =>
    [ids].flat().map((id) => ({ parameter, id: Number(id) })),
  );
  return (
    <ul className="member-files">
      {given.slice(0, FILES_SHOWN).map(({ parameter, id }) => (
        <li key={`${parameter} ${id}`}>
          <span className="soft">{parameter}</span>{' '}
          <Link to="/console/files/$id/" params={{ id: String(id) }}>
            <FileName name={names.get(id) ?? `file ${id}`} />
          </Link>
        </li>
      ))}
      {given.length > FILES_SHOWN && <li className="soft">{count(given.length - FILES_SHOWN)} more</li>}
    </ul>
  );
}

export function DatasetPage({ id }: { readonly id: number }) {
  const { mayWrite } = useAccount();
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(memberList(id), view);
  return (
    <div className="page">
      <Loaded query={useQuery(datasetDetails(id))}>
        {({ title, description, definition, created }) => (
          <>
            <PageHead
              above={{ title: 'Datasets', href: '/console/datasets/' }}
              title={
                <>
                  <bdi>{title === '' ? 'Dataset' : title}</bdi> <span className="head-id">{id}</span>
                </>
              }
            >
              {mayWrite && (
                <DeleteAction
                  path={`/v6/datasets/${id}/`}
                  what={`dataset ${id}`}
                  changes={['datasets']}
                  then="/console/datasets/"
                />
              )}
            </PageHead>
            <section aria-label="Facts">
              <h2>Dataset</h2>
              <dl className="facts">
                <Fact name="Description">{description === '' ? '–' : description}</Fact>
                <Fact name="Created">
                  <Instant at={created} />
                </Fact>
              </dl>
              <details>
                <summary>Definition</summary>
                <pre className="command" tabIndex={0}>
                  {JSON.stringify(definition, null, 2)}
                </pre>
              </details>
            </section>
          </>
        )}
      </Loaded>
      <Comparison id={id} />
      <section aria-label="Members" className="list-section">
        <div className="section-head">
          <h2>Members</h2>
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'member')}
          </span>
        </div>
        {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
        {rows.total === 0 ? (
          <Empty title="It has no members" />
        ) : (
          <RecordTable label="Members" rows={rows} columns={COLUMNS} order="id" onView={setView} />
        )}
      </section>
    </div>
  );
}
