/** A dataset beside the one before it with the same parameters: its size, and the files that only one of both has. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { datasetComparison } from '../datasets/queries.ts';
import { count, counted } from '../format/amounts.ts';
import { ComparedRow } from '../parts/compared-row.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';

type Answer = components['schemas']['DatasetComparison'];
type Compared = Answer['dataset'];
type Differing = NonNullable<Answer['files']>;

export function Comparison({ id }: { readonly id: number }) {
  return (
    <section aria-label="Comparison">
      <h2>Compared with the previous dataset</h2>
      <Loaded query={useQuery(datasetComparison(id))}>
        {({ dataset, before, files }) =>
          before === null ? (
            <Empty title="No earlier dataset has the same parameters">
              Later datasets are compared with it: members, and files added or removed.
            </Empty>
          ) : (
            <>
              <Both before={before} dataset={dataset} />
              {files === null ? (
                <p className="soft">There are too many files to compare one by one.</p>
              ) : (
                <Files files={files} />
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

interface BothProps {
  readonly before: Compared;
  readonly dataset: Compared;
}

function Both({ before, dataset }: BothProps) {
  const both = [before, dataset];
  return (
    <Rows label="Both datasets" heads={['', ...both.map(titleOf)]}>
      <ComparedRow title="Members" records={both} isNumber cell={({ members }) => count(members)} />
      <ComparedRow title="Files" records={both} isNumber cell={({ files }) => count(files)} />
      <ComparedRow title="Created" records={both} isNumber cell={({ created }) => <Instant at={created} />} />
      <ComparedRow
        title="Dataset"
        records={both}
        cell={({ id }) =>
          id === dataset.id ? (
            'This dataset'
          ) : (
            <Link to="/console/datasets/$id/" params={{ id: String(id) }}>
              {id}
            </Link>
          )
        }
      />
    </Rows>
  );
}

const titleOf = ({ title, id }: Compared): string => `${title === '' ? 'Dataset' : title} ${id}`;

function Files({ files }: { readonly files: Differing }) {
  const { common_count, added, added_count, removed, removed_count } = files;
  return (
    <dl className="facts">
      <Fact name="In both">{counted(common_count, 'file')}</Fact>
      <Fact name="Only in this one">
        <Named files={added} total={added_count} />
      </Fact>
      <Fact name="Only in the previous one">
        <Named files={removed} total={removed_count} />
      </Fact>
    </dl>
  );
}

interface NamedProps {
  readonly files: Differing['added'];
  readonly total: number;
}

function Named({ files, total }: NamedProps) {
  return (
    <>
      <span className="number">{counted(total, 'file')}</span>
      {files.map(({ id, file_name }, index) => (
        <span key={id}>
          {index === 0 ? ': ' : ', '}
          <Link to="/console/files/$id/" params={{ id: String(id) }}>
            {file_name}
          </Link>
        </span>
      ))}
      {total > files.length && ' …'}
    </>
  );
}
