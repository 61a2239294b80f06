/** One scan: the counts of its last run by rule, its dry run and ingest, and what happened to its files. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { count, counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';
import { ComparedRow } from '../parts/compared-row.tsx';
import { DeleteAction } from '../parts/delete-action.tsx';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { type ScanDetails, scanDetails } from '../scans/queries.ts';
import { RunMark } from '../scans/scans-page.tsx';
import { Comparison, runWord } from './comparison.tsx';

const FAILED = ['ERRORED', 'DEFERRED', 'DUPLICATE'] as const;
const TROUBLED_MAX = 20;
const CHANGES = ['scans'];

/** Ingests of the scan that made no new source, each with its reason. */
const troubledIngests = (id: number) =>
  queryOptions({
    queryKey: ['ingests', 'scan', id],
    queryFn: ({ signal }) =>
      client.get('/v6/ingests/', {
        query: { scan_id: [id], status: [...FAILED], page_size: TROUBLED_MAX, order: ['-last_modified'] },
        signal,
      }),
    refetchInterval: FIGURES_MS,
    ...shows(['ingest']),
  });

/** How many ingests a cancel would end now. */
const liveIngests = (id: number) =>
  queryOptions({
    queryKey: ['ingests', 'scan', id, 'live'],
    queryFn: ({ signal }) =>
      client
        .get('/v6/ingests/', {
          query: { scan_id: [id], status: ['TRANSFERRED', 'INGESTING'], page_size: 1, fields: 'id' },
          signal,
        })
        .then((found) => found.count),
    gcTime: 0,
    ...shows(['ingest']),
  });

export function ScanPage({ id }: { readonly id: number }) {
  return (
    <div className="page">
      <Loaded query={useQuery(scanDetails(id))}>{(scan) => <ScanView scan={scan} />}</Loaded>
    </div>
  );
}

function ScanView({ scan }: { readonly scan: ScanDetails }) {
  const { id, title, name, reason, waiting } = scan;
  const { mayWrite } = useAccount();
  return (
    <>
      <PageHead above={{ title: 'Scans', href: '/console/scans/' }} title={title === '' ? name : title}>
        {mayWrite && <Actions scan={scan} />}
      </PageHead>
      {reason !== null && <p className="note">{sentence(reason)}</p>}
      {waiting.length > 0 && (
        <p className="note">
          Waits for the run before it:{' '}
          {waiting.map((one) => (one === 'dry_run' ? 'a dry run' : 'an ingest')).join(', ')}.
        </p>
      )}
      <Runs scan={scan} />
      <Counts scan={scan} />
      {scan.counts !== null && scan.previous_counts !== null && (
        <RunBefore now={scan.counts} before={scan.previous_counts} />
      )}
      <Troubled id={id} />
      <Comparison id={id} />
      <Facts scan={scan} />
    </>
  );
}

const RUNS = [
  ['Dry run', 'dry_run_job', 'dry_run'],
  ['Ingest', 'job', 'ingest'],
] as const;

/** The jobs of both runs, with what each counted last and when that was complete. */
function Runs({ scan }: { readonly scan: ScanDetails }) {
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      <Rows label="List of runs" isStacked heads={['Run', 'State', 'Files matched', 'Completed', 'Job']}>
        {RUNS.map(([run, field, mode]) => {
          const { id, status } = scan[field];
          const counts = [scan.counts, scan.previous_counts].find((one) => one?.mode === mode);
          return (
            <tr key={run}>
              <th scope="row">{run}</th>
              <td>
                <RunMark status={status} />
              </td>
              <td className="number">
                {counts === undefined || counts === null ? (
                  <span className="soft">–</span>
                ) : (
                  counted(counts.matched, 'file')
                )}
              </td>
              <td className="number">
                <Instant at={counts?.ended} />
              </td>
              <td className="number">
                <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
                  {id}
                </Link>
              </td>
            </tr>
          );
        })}
      </Rows>
    </section>
  );
}

function Facts({ scan }: { readonly scan: ScanDetails }) {
  const recipe = scan.configuration.recipe?.name;
  return (
    <section aria-label="Facts">
      <h2>Scan</h2>
      <dl className="facts">
        <Fact name="Name">{scan.name}</Fact>
        <Fact name="Workspace">{scan.configuration.workspace}</Fact>
        <Fact name="Recipe">
          {recipe === undefined ? (
            'none'
          ) : (
            <Link to="/console/recipe-types/$name/" params={{ name: recipe }}>
              {recipe}
            </Link>
          )}
        </Fact>
        <Fact name="Description">{scan.description === '' ? '–' : scan.description}</Fact>
        <Fact name="Created">
          <Instant at={scan.created} />
        </Fact>
        <Fact name="Changed">
          <Instant at={scan.last_modified} />
        </Fact>
      </dl>
      <details>
        <summary>Configuration</summary>
        <pre className="command" tabIndex={0}>
          {JSON.stringify(scan.configuration, null, 2)}
        </pre>
      </details>
    </section>
  );
}

function Actions({ scan }: { readonly scan: ScanDetails }) {
  const { id, name, file_count } = scan;
  const path = { id };
  const process = (ingest: boolean) => client.post('/v6/scans/{id}/process/', { path, body: { ingest } });
  return (
    <>
      <ActionDialog
        button="Dry run…"
        title="Count what it would ingest"
        text="Lists the workspace and counts the files of each rule. Nothing is ingested."
        confirm="Start the dry run"
        run={() => process(false)}
        changes={CHANGES}
      />
      <ActionDialog
        button="Ingest…"
        title="Ingest what it finds"
        text={
          file_count === null
            ? 'Nothing was counted yet: a dry run says first how many files there are.'
            : `The last run matched ${counted(file_count, 'file')}. Files that are known are not ingested again.`
        }
        confirm="Start the ingest"
        isPrimary
        run={() => process(true)}
        changes={CHANGES}
      />
      <ActionDialog
        button="Cancel…"
        title="Cancel the scan"
        text={<CancelText scan={scan} />}
        confirm="Cancel the scan"
        isDanger
        run={() => client.post('/v6/scans/cancel/{id}/', { path })}
        changes={CHANGES}
      />
      <DeleteAction
        path={`/v6/scans/${id}/`}
        what={`scan ${name}`}
        isNamed
        changes={CHANGES}
        then="/console/scans/"
      />
    </>
  );
}

/** What a cancel would end: the run, those that wait for it, and ingests. */
function CancelText({ scan: { id, job, dry_run_job, waiting } }: { readonly scan: ScanDetails }) {
  const live = useQuery(liveIngests(id));
  const isUnderWay = ({ status }: typeof job): boolean => status === 'QUEUED' || status === 'RUNNING';
  const runs = [
    ...(isUnderWay(dry_run_job) ? ['The dry run'] : []),
    ...(isUnderWay(job) ? ['The ingest'] : []),
  ];
  return (
    <>
      {runs.length === 0 ? 'No run of it is under way. ' : `${runs.join(' and ')} stops at once. `}
      {waiting.length > 0 &&
        `${counted(waiting.length, 'run')} that ${waiting.length === 1 ? 'waits' : 'wait'} will not begin. `}
      {live.data === undefined
        ? 'Counting the ingests that are queued or running… '
        : `${counted(live.data, 'ingest')} that ${live.data === 1 ? 'is' : 'are'} queued or running will be canceled. `}
      What is ingested stays.
    </>
  );
}

function Counts({ scan: { counts, configuration } }: { readonly scan: ScanDetails }) {
  if (counts === null) {
    return (
      <section aria-label="Files">
        <h2>Files</h2>
        <Empty title="Nothing was counted yet">A dry run counts what an ingest would take.</Empty>
      </section>
    );
  }
  const rules = counts.rules ?? configuration.files_to_ingest;
  return (
    <section aria-label="Files">
      <div className="section-head">
        <h2>{counts.mode === 'dry_run' ? 'Files, counted by the dry run' : 'Files of the last ingest'}</h2>
        {counts.ended !== null && (
          <span className="soft number">
            as of <Instant at={counts.ended} />
          </span>
        )}
      </div>
      {counts.rules !== null && (
        <p className="note">
          These are the rules that it was counted by. The scan has other rules since: a dry run counts by
          those.
        </p>
      )}
      <Rows label="Files by rule" heads={['Rule', 'Files', 'Move to']}>
        {counts.by_rule.map((files, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name than their place
          <tr key={index}>
            <td className="mono">{rules[index]?.filename_regex ?? `rule ${index + 1}`}</td>
            <td className="number">{count(files)}</td>
            <td>{rules[index]?.new_workspace ?? <span className="soft">stays in place</span>}</td>
          </tr>
        ))}
        <tr>
          <td className="soft">No rule takes them</td>
          <td className="number">{count(counts.unmatched)}</td>
          <td />
        </tr>
      </Rows>
    </section>
  );
}

interface RunBeforeProps {
  readonly now: NonNullable<ScanDetails['counts']>;
  readonly before: NonNullable<ScanDetails['previous_counts']>;
}

/** The last run beside the one before it. */
function RunBefore({ now, before }: RunBeforeProps) {
  const runs = [
    { ...before, id: 0 },
    { ...now, id: 1 },
  ];
  return (
    <section aria-label="Run before">
      <h2>Compared with the run before</h2>
      <Rows label="The last two runs" heads={['', 'Run before', 'Last run']}>
        <ComparedRow title="Run" records={runs} cell={({ mode }) => runWord(mode)} />
        <ComparedRow title="Files matched" records={runs} isNumber cell={({ matched }) => count(matched)} />
        <ComparedRow
          title="No rule takes them"
          records={runs}
          isNumber
          cell={({ unmatched }) => count(unmatched)}
        />
        <ComparedRow
          title="Completed"
          records={runs}
          isNumber
          cell={({ ended }) => (ended === null ? 'not completed' : <Instant at={ended} />)}
        />
      </Rows>
    </section>
  );
}

function Troubled({ id }: { readonly id: number }) {
  return (
    <section aria-label="Files that were not ingested">
      <h2>Files that were not ingested</h2>
      <Loaded query={useQuery(troubledIngests(id))}>
        {({ results, count: total }) =>
          results.length === 0 ? (
            <Empty title="No file failed, was deferred, or is a duplicate" />
          ) : (
            <>
              <Rows label="Ingests" heads={['File', 'State', 'Reason']}>
                {results.map((one) => (
                  <tr key={one.id}>
                    <td>{one.file_name}</td>
                    <td>
                      <StatusMark status={one.status} />
                    </td>
                    <td className="soft">{sentence(one.reason)}</td>
                  </tr>
                ))}
              </Rows>
              {total > results.length && (
                <p className="soft">
                  The newest {results.length} of {counted(total, 'file')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
