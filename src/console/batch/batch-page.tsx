/** One batch: its progress, what failed and why, and a comparison with the batches before it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { type BatchDetails, batchDetails, batchFailures } from '../batches/queries.ts';
import { FailureEntry } from '../errors/failure-groups.tsx';
import { count, counted } from '../format/amounts.ts';
import { type JobAction, type JobRequest, RequestDialog } from '../jobs/request-dialog.tsx';
import { DeleteAction } from '../parts/delete-action.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Progress } from '../parts/progress.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Comparison } from './comparison.tsx';
import { JobMetrics } from './job-metrics.tsx';

export function BatchPage({ id }: { readonly id: number }) {
  return (
    <div className="page">
      <Loaded query={useQuery(batchDetails(id))}>{(batch) => <BatchView batch={batch} />}</Loaded>
    </div>
  );
}

function BatchView({ batch }: { readonly batch: BatchDetails }) {
  const { id, title } = batch;
  const [request, setRequest] = useState<JobRequest>();
  const { mayWrite } = useAccount();
  const ask = (action: JobAction) =>
    setRequest({
      action,
      choice: { batch_ids: [id], ...(action === 'requeue' ? { status: 'FAILED' as const } : {}) },
    });
  return (
    <>
      <PageHead
        above={{ title: 'Batches', href: '/console/batches/' }}
        title={
          <>
            <bdi>{title === '' ? 'Batch' : title}</bdi> <span className="head-id">{id}</span>
          </>
        }
        beside={<StatusMark status={batch.status} />}
      >
        {mayWrite && <Actions batch={batch} ask={ask} />}
      </PageHead>
      <ProgressSection batch={batch} />
      <Failures id={id} />
      <JobMetrics metrics={batch.job_metrics} />
      <Comparison id={id} />
      <Facts batch={batch} />
      <RequestDialog request={request} close={() => setRequest(undefined)} />
    </>
  );
}

interface ActionsProps {
  readonly batch: BatchDetails;
  readonly ask: (action: JobAction) => void;
}

function Actions({ batch, ask }: ActionsProps) {
  const { id, root_batch } = batch;
  const openJobs = batch.jobs_total - batch.jobs_completed - batch.jobs_canceled;
  return (
    <>
      {!batch.is_superseded && batch.is_creation_done && (
        <Link className="button" to="/console/batches/new/" search={{ after: String(root_batch?.id ?? id) }}>
          Run again…
        </Link>
      )}
      <button type="button" disabled={batch.jobs_failed === 0} onClick={() => ask('requeue')}>
        Requeue failed jobs…
      </button>
      <button type="button" disabled={openJobs === 0} onClick={() => ask('cancel')}>
        Cancel jobs…
      </button>
      <DeleteAction
        path={`/v6/batches/${id}/`}
        what={`batch ${id}`}
        changes={['batches']}
        then="/console/batches/"
      />
    </>
  );
}

function ProgressSection({ batch }: { readonly batch: BatchDetails }) {
  const { id } = batch;
  return (
    <section aria-label="Progress">
      <h2>Progress</h2>
      <dl className="facts">
        <Fact name="Recipes">
          <Progress total={batch.recipes_total} done={batch.recipes_completed} noun="recipe" />
        </Fact>
        <Fact name="Jobs">
          <Progress
            total={batch.jobs_total}
            done={batch.jobs_completed}
            failed={batch.jobs_failed}
            noun="job"
          />
        </Fact>
      </dl>
      <ul className="counts">
        {(['pending', 'blocked', 'queued', 'running', 'failed', 'canceled'] as const).map((name) => (
          <li key={name} className={batch[`jobs_${name}`] === 0 ? 'none' : ''}>
            <Link to="/console/jobs/" search={{ batch: String(id), status: name.toUpperCase() as 'PENDING' }}>
              <StatusMark status={name.toUpperCase()} />
            </Link>{' '}
            <span className="number">{count(batch[`jobs_${name}`])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ batch }: { readonly batch: BatchDetails }) {
  const { recipe_type, recipe_type_rev, superseded_batch } = batch;
  return (
    <section aria-label="Facts">
      <h2>Batch</h2>
      <dl className="facts">
        <Fact name="Recipe type">
          <Link to="/console/recipe-types/$name/" params={{ name: recipe_type.name }}>
            {recipe_type.title}
          </Link>{' '}
          <span className="soft">
            {recipe_type.name}, revision {recipe_type_rev.revision_num}
          </span>
        </Fact>
        {superseded_batch !== null && (
          <Fact name="Follows">
            <Link to="/console/batches/$id/" params={{ id: String(superseded_batch.id) }}>
              {superseded_batch.title} <span className="soft number">{superseded_batch.id}</span>
            </Link>
          </Fact>
        )}
        {typeof batch.definition.dataset === 'number' && (
          <Fact name="Dataset">
            <Link to="/console/datasets/$id/" params={{ id: String(batch.definition.dataset) }}>
              Dataset {batch.definition.dataset}
            </Link>
          </Fact>
        )}
        <Fact name="Description">{batch.description === '' ? '–' : batch.description}</Fact>
        <Fact name="Priority">{batch.configuration.priority ?? 'that of each job type'}</Fact>
        <Fact name="Estimated">{counted(batch.recipes_estimated, 'recipe')}</Fact>
        {batch.recipes_skipped > 0 && (
          <Fact name="Skipped">{counted(batch.recipes_skipped, 'member')} without a recipe</Fact>
        )}
        <Fact name="Created">
          <Instant at={batch.created} />
        </Fact>
        <Fact name="Changed">
          <Instant at={batch.last_modified} />
        </Fact>
      </dl>
    </section>
  );
}

function Failures({ id }: { readonly id: number }) {
  return (
    <section aria-label="Failures" className="attention">
      <h2>Failed jobs by type and error</h2>
      <Loaded query={useQuery(batchFailures(id))}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No job of the batch has failed" />
          ) : (
            <ul>
              {results.map((group) => (
                <FailureEntry key={`${group.job_type.id} ${group.error?.id}`} group={group} batchId={id} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
