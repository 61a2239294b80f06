/** The columns of the list of jobs. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { sentence, shortReason } from '../format/sentence.ts';
import { Ago, Elapsed } from '../parts/instants.tsx';
import type { Column } from '../parts/record-table.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Sort } from './job-search.ts';

export type Job = components['schemas']['Job'];

export const JOB_COLUMNS: readonly (Column<Job> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'status', title: 'Status', width: '110px', sort: 'status', narrow: 'start' },
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    ...{ name: 'id', title: 'Job', width: '80px', sort: 'id', narrow: 'end', isNumber: true },
    cell: ({ id }) => (
      <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    ...{ name: 'type', title: 'Type', width: 'minmax(140px, 1.2fr)', sort: 'job_type__name', narrow: 'main' },
    isTitle: true,
    cell: ({ job_type: { title, version } }) => (
      <>
        {title} <span className="soft">{version}</span>
      </>
    ),
    hint: ({ job_type: { name, version } }) => `${name} ${version}`,
  },
  {
    ...{ name: 'node', title: 'Node', width: 'minmax(90px, 0.7fr)', sort: 'node__hostname' },
    cell: ({ node }) => node?.hostname ?? <span className="soft">–</span>,
  },
  {
    ...{ name: 'duration', title: 'Duration', width: '100px', sort: 'duration', isNumber: true },
    cell: ({ started, ended }) => <Elapsed from={started} to={ended} />,
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
  {
    ...{ name: 'reason', title: 'Reason', width: 'minmax(120px, 2fr)', narrow: 'below' },
    cell: ({ reason, error }) => <span className="soft">{shortReason(reason) ?? error?.title}</span>,
    hint: ({ reason }) => sentence(reason),
  },
];
