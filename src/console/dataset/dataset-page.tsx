/** One dataset: its parameters and members. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { type DatasetMember, datasetDetails, memberList } from '../datasets/queries.ts';
import { counted } from '../format/amounts.ts';
import { DeleteAction } from '../parts/delete-action.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Comparison } from './comparison.tsx';

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
    cell: ({ data }) => <MemberFiles files={data.files ?? {}} />,
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

/** Each file by the parameter that it is for, as a link. */
function MemberFiles({ files }: { readonly files: Readonly<Record<string, unknown>> }) {
  return (
    <ul className="member-files">
      {Object.entries(files).flatMap(([name, ids]) =>
        [ids].flat().map((id) => (
          <li key={`${name} ${id}`}>
            <Link to="/console/files/$id/" params={{ id: String(id) }}>
              {name} {String(id)}
            </Link>
          </li>
        )),
      )}
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
