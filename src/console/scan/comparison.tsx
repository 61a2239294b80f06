/** A scan beside the scans of the same workspace that were made before it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { count } from '../format/amounts.ts';
import { ComparedRow } from '../parts/compared-row.tsx';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { scanComparison } from '../scans/queries.ts';

type Compared = components['schemas']['ScanComparison']['scans'][number];

const FIGURES: readonly (readonly [title: string, figure: (scan: Compared) => number | null])[] = [
  ['Files matched', ({ matched }) => matched],
  ['No rule takes them', ({ unmatched }) => unmatched],
  ['Ingested', ({ ingests }) => ingests.ingested],
  ['Duplicates', ({ ingests }) => ingests.duplicate],
  ['Failed', ({ ingests }) => ingests.errored],
  ['Deferred', ({ ingests }) => ingests.deferred],
  ['Under way', ({ ingests }) => ingests.live],
];

export function Comparison({ id }: { readonly id: number }) {
  return (
    <section aria-label="Comparison">
      <h2>Compared with earlier scans of this workspace</h2>
      <Loaded query={useQuery(scanComparison(id))}>
        {({ scans }) =>
          scans.length < 2 ? (
            <Empty title="This is the first scan of its workspace">
              Later scans are compared with it: how many files they found, and what became of them.
            </Empty>
          ) : (
            <Rows label="Scans of the workspace" heads={['', ...scans.map(titleOf)]}>
              {FIGURES.map(([title, figure]) => (
                <ComparedRow
                  key={title}
                  title={title}
                  records={scans}
                  isNumber
                  cell={(scan) => amount(figure(scan))}
                />
              ))}
              <ComparedRow title="Last run" records={scans} cell={({ mode }) => runWord(mode)} />
              <ComparedRow
                title="Changed"
                records={scans}
                isNumber
                cell={({ last_modified }) => <Instant at={last_modified} />}
              />
              <ComparedRow
                title="Scan"
                records={scans}
                cell={({ id: one, name }) =>
                  one === id ? (
                    'This scan'
                  ) : (
                    <Link to="/console/scans/$id/" params={{ id: String(one) }}>
                      {name}
                    </Link>
                  )
                }
              />
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}

const titleOf = ({ title, name, id }: Compared): string => `${title === '' ? name : title} ${id}`;

export const runWord = (mode: Compared['mode']): string =>
  mode === null ? 'none' : mode === 'dry_run' ? 'dry run' : 'ingest';

const amount = (value: number | null) =>
  value === null ? <span className="soft">not counted</span> : count(value);
