/** Creates a batch. While it is being chosen, the service says what the batch would create, or what is wrong. */
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { components } from '../../client/operations.ts';
import { ObjectChoice, useFirstChoices } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { datasetsById } from '../datasets/queries.ts';
import { count } from '../format/amounts.ts';
import { duration } from '../format/times.ts';
import { Fact } from '../parts/fact.tsx';
import { Field, Problems, problemAt } from '../parts/form.tsx';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure, Loaded, Loading } from '../parts/states.tsx';
import { usableTypesById } from '../recipes/queries.ts';
import { type Batch, type BatchBody, currentBatches, lastOfChain, rootOf } from './queries.ts';

const HOUR_MS = 3_600_000;

type Validation = components['schemas']['BatchValidationResult'];

interface Choice {
  readonly title: string;
  readonly recipeType: string;
  /** A dataset, or the root of a chain of batches. */
  readonly source: 'dataset' | 'batch';
  readonly dataset: string;
  readonly batch: string;
  readonly isAllForced: boolean;
  readonly priority: string;
}

function bodyOf(choice: Choice): BatchBody | undefined {
  const { title, recipeType, source, dataset, batch, isAllForced, priority } = choice;
  if (recipeType === '' || (source === 'dataset' ? dataset : batch) === '') return undefined;
  const forced = isAllForced ? { forced_nodes: { all: true } } : {};
  return {
    title,
    recipe_type_id: Number(recipeType),
    definition:
      source === 'dataset'
        ? { dataset: Number(dataset), ...forced }
        : { previous_batch: { root_batch_id: Number(batch), ...forced } },
    ...(priority === '' ? {} : { configuration: { priority: Number(priority) } }),
  };
}

const validation = (body: BatchBody | undefined) =>
  queryOptions({
    queryKey: ['batch-validation', body],
    queryFn: ({ signal }) => client.post('/v6/batches/validation/', { body: body as BatchBody, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

/** `after`: the root of the chain of batches that the new one continues. */
export function NewBatchPage({ after }: { readonly after?: string }) {
  return (
    <div className="page">
      <PageHead above={{ title: 'Batches', href: '/console/batches/' }} title="New batch" />
      <OnlyWriters what="batches">
        {after === undefined ? <NewBatch previous={undefined} /> : <NextBatch root={after} />}
      </OnlyWriters>
    </div>
  );
}

/** The next batch of a chain. What was read of the chain earlier may lack its last batch. */
function NextBatch({ root }: { readonly root: string }) {
  const last = useQuery(lastOfChain(root));
  if (last.isFetching && !last.isFetchedAfterMount) return <Loading />;
  return (
    <Loaded query={last}>{(batch) => <NewBatch key={batch?.id ?? 0} previous={batch ?? undefined} />}</Loaded>
  );
}

interface NewBatchProps {
  /** The batch that the new one follows, if the address names it. */
  readonly previous: Batch | undefined;
}

function NewBatch({ previous }: NewBatchProps) {
  const navigate = useNavigate();
  const [choice, setChoice] = useState<Choice>({
    title: previous?.title ?? '',
    recipeType: previous === undefined ? '' : String(previous.recipe_type.id),
    source: previous === undefined ? 'dataset' : 'batch',
    dataset: '',
    batch: previous === undefined ? '' : String(rootOf(previous)),
    isAllForced: false,
    priority: '',
  });
  const change = (some: Partial<Choice>) => setChoice((before) => ({ ...before, ...some }));
  const body = bodyOf(choice);
  const found = useQuery(validation(body));
  const create = useMutation({
    mutationFn: (wanted: BatchBody) => client.post('/v6/batches/', { body: wanted }),
    onSuccess: ({ id }) => navigate({ to: '/console/batches/$id/', params: { id: String(id) } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined) create.mutate(body);
  };
  const isWithoutDatasets = useFirstChoices(datasetsById).data?.count === 0;
  return (
    <div className="columns two">
      <section aria-label="Batch">
        <form className="form" onSubmit={submit}>
          <Field label="Title" hint="Optional." problem={problemAt(create.error, 'title')}>
            {(ids) => (
              <input
                {...ids}
                maxLength={50}
                value={choice.title}
                onChange={({ target }) => change({ title: target.value })}
              />
            )}
          </Field>
          <Field label="Recipe type" hint="Its newest revision is used.">
            {(ids) => (
              <ObjectChoice
                {...ids}
                source={usableTypesById}
                value={choice.recipeType}
                set={(recipeType) => change({ recipeType, batch: '' })}
              />
            )}
          </Field>
          <div className="field">
            <span id="made-from" className="field-title">
              Made from
            </span>
            <div className="segments" role="group" aria-labelledby="made-from">
              <button
                type="button"
                aria-pressed={choice.source === 'dataset'}
                onClick={() => change({ source: 'dataset' })}
              >
                A dataset
              </button>
              <button
                type="button"
                aria-pressed={choice.source === 'batch'}
                onClick={() => change({ source: 'batch' })}
              >
                An earlier batch
              </button>
            </div>
          </div>
          {choice.source === 'dataset' ? (
            <Field label="Dataset" hint="One recipe for each of its members.">
              {(ids) => (
                <ObjectChoice
                  {...ids}
                  source={datasetsById}
                  value={choice.dataset}
                  set={(dataset) => change({ dataset })}
                />
              )}
            </Field>
          ) : (
            <Field label="Batch" hint="Its recipes are reprocessed; it is superseded by the new one.">
              {(ids) =>
                choice.recipeType === '' ? (
                  <select {...ids} disabled>
                    <option>Choose a recipe type first</option>
                  </select>
                ) : (
                  <ObjectChoice
                    {...ids}
                    source={currentBatches(choice.recipeType)}
                    value={choice.batch}
                    set={(batch) => change({ batch })}
                  />
                )
              }
            </Field>
          )}
          <label className="check">
            <input
              type="checkbox"
              checked={choice.isAllForced}
              onChange={({ target }) => change({ isAllForced: target.checked })}
            />
            Run all nodes again, although nothing about them changed
          </label>
          <Field label="Priority" hint="Smaller numbers run first. Empty: the priority of each job type.">
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={1}
                value={choice.priority}
                onChange={({ target }) => change({ priority: target.value })}
              />
            )}
          </Field>
          {create.isError && <Failure error={create.error} />}
          <div className="actions">
            <button
              type="submit"
              className="primary"
              disabled={found.data?.is_valid !== true || found.isFetching || create.isPending}
            >
              Create the batch
            </button>
          </div>
        </form>
      </section>
      <section aria-label="Preview">
        <h2>Preview</h2>
        {isWithoutDatasets && choice.source === 'dataset' ? (
          <Empty title="There is no dataset yet">
            A batch is made from a dataset, which names its files.{' '}
            <Link to="/console/datasets/new/">Create one first</Link>
          </Empty>
        ) : body === undefined ? (
          <Empty title="Choose a recipe type and what it is made from" />
        ) : (
          <Loaded query={found}>{(answer) => <Answer answer={answer} />}</Loaded>
        )}
      </section>
    </div>
  );
}

/** The service's validation of the chosen batch. */
function Answer({ answer }: { readonly answer: Validation }) {
  const { is_valid, errors, warnings, recipes_estimated, effects } = answer;
  const amount = (value: number | null | undefined, format: (known: number) => string) =>
    value === null || value === undefined ? 'not known before' : format(value);
  return (
    <div className="form">
      <Problems title="It cannot be created" problems={errors} tone="bad" />
      <Problems title="Note" problems={warnings} tone="wait" />
      {is_valid && (
        <dl className="facts">
          <Fact name="Recipes, at most">{amount(effects?.recipes ?? recipes_estimated, count)}</Fact>
          <Fact name="Jobs, at most">{amount(effects?.jobs, count)}</Fact>
          <Fact name="Processor time">
            {amount(effects?.processor_hours, (hours) => duration(hours * HOUR_MS))}
          </Fact>
          {(effects?.jobs_without_figures ?? 0) > 0 && (
            <Fact name="Not in it">{count(effects?.jobs_without_figures ?? 0)} jobs without figures</Fact>
          )}
        </dl>
      )}
    </div>
  );
}
