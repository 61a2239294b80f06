/** The columns of the list of files. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { bytes } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import type { Column } from '../parts/record-table.tsx';
import { FileName } from './file-name.tsx';
import type { Sort } from './file-search.ts';

export type StoredFile = components['schemas']['StoredFile'];

export const FILE_COLUMNS: readonly (Column<StoredFile> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'type', title: 'Type', width: '90px', sort: 'file_type', narrow: 'start' },
    // One word: beside the name, the state of a file would leave too little of it.
    cell: (file) => <span className={isPast(file) ? 'soft' : ''}>{stateOf(file)}</span>,
    hint: (file) =>
      isPast(file) ? `${stateOf(file)} ${fileTypeWord(file.file_type).toLowerCase()}` : undefined,
  },
  {
    ...{ name: 'name', title: 'Name', width: 'minmax(180px, 2fr)', sort: 'file_name', narrow: 'main' },
    cell: ({ id, file_name }) => (
      <Link to="/console/files/$id/" params={{ id: String(id) }}>
        <FileName name={file_name} />
      </Link>
    ),
    hint: ({ file_name }) => file_name,
  },
  {
    ...{ name: 'size', title: 'Size', width: '84px', sort: 'file_size', isNumber: true, narrow: 'end' },
    cell: ({ file_size }) => bytes(file_size),
    hint: ({ file_size }) => `${file_size} bytes`,
  },
  {
    ...{ name: 'media', title: 'Media type', width: 'minmax(134px, 0.9fr)', sort: 'media_type' },
    cell: ({ media_type }) => <span className="soft">{media_type}</span>,
    hint: ({ media_type }) => media_type,
  },
  {
    ...{ name: 'origin', title: 'Made by', width: 'minmax(120px, 1fr)' },
    cell: ({ job_type, job_output }) =>
      job_type === null ? (
        <span className="soft">–</span>
      ) : (
        <>
          {job_type.title ?? job_type.name} <span className="soft">{job_output}</span>
        </>
      ),
    hint: ({ job_type }) => (job_type === null ? undefined : `${job_type.name} ${job_type.version}`),
  },
  {
    ...{ name: 'place', title: 'Place', width: 'minmax(140px, 1.6fr)', narrow: 'below' },
    cell: ({ workspace, file_path }) => (
      <>
        {workspace.name} <span className="soft">{file_path}</span>
      </>
    ),
    hint: ({ workspace, file_path }) => `${workspace.name} ${file_path}`,
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '90px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

type State = Pick<StoredFile, 'file_type' | 'is_deleted' | 'is_superseded'>;

const isPast = ({ is_deleted, is_superseded }: State): boolean => is_deleted || is_superseded;

function stateOf({ file_type, is_deleted, is_superseded }: State): string {
  return is_deleted ? 'Deleted' : is_superseded ? 'Superseded' : fileTypeWord(file_type);
}

export function fileTypeWord(type: StoredFile['file_type']): string {
  return type === 'SOURCE' ? 'Source' : 'Product';
}
