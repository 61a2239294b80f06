/** Creates a batch. While it is being chosen, the service says what the batch would create, or what is wrong. */
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { components } from '../../client/operations.ts';
import { ObjectChoice } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { count } from '../format/amounts.ts';
import { duration } from '../format/times.ts';
import { Fact } from '../parts/fact.tsx';
import { Field, Problems, problemAt } from '../parts/form.tsx';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure, Loaded, Loading } from '../parts/states.tsx';
import { usableTypesById } from '../recipes/queries.ts';
import { type BatchBody, currentBatches, datasetChoices } from './queries.ts';

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
  const batches = useQuery(currentBatches);
  const datasets = useQuery(datasetChoices);
  // Lists that were read earlier do not have the new batch.
  const isOld = after !== undefined && batches.isFetching && !batches.isFetchedAfterMount;
  return (
    <div className="page">
      <PageHead above={{ title: 'Batches', href: '/console/batches/' }} title="New batch" />
      <OnlyWriters what="batches">
        <Loaded query={datasets}>
          {({ results: datasetsFound }) => (
            <Loaded query={batches}>
              {({ results }) => {
                const previous = results.find((batch) => rootOf(batch) === after);
                if (previous === undefined && isOld) return <Loading />;
                const choices = { datasets: datasetsFound, batches: results };
                return <NewBatch key={previous?.id ?? 0} {...choices} previous={previous} />;
              }}
            </Loaded>
          )}
        </Loaded>
      </OnlyWriters>
    </div>
  );
}

interface NewBatchProps {
  readonly datasets: readonly components['schemas']['Dataset'][];
  readonly batches: readonly components['schemas']['Batch'][];
  /** The batch that the new one follows, if the address names it. */
  readonly previous: components['schemas']['Batch'] | undefined;
}

const rootOf = (batch: components['schemas']['Batch']): string => String(batch.root_batch?.id ?? batch.id);

function NewBatch({ datasets, batches, previous }: NewBatchProps) {
  const navigate = useNavigate();
  const [choice, setChoice] = useState<Choice>({
    title: previous?.title ?? '',
    recipeType: previous === undefined ? '' : String(previous.recipe_type.id),
    source: previous === undefined ? 'dataset' : 'batch',
    dataset: '',
    batch: previous === undefined ? '' : rootOf(previous),
    isAllForced: false,
    priority: '',
  });
  const change = (some: Partial<Choice>) => setChoice({ ...choice, ...some });
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
  const isWithoutSources = datasets.length === 0 && batches.length === 0;
  const ofType = batches.filter(({ recipe_type }) => String(recipe_type.id) === choice.recipeType);
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
                <select
                  {...ids}
                  required
                  value={choice.dataset}
                  onChange={({ target }) => change({ dataset: target.value })}
                >
                  <option value="">Choose one</option>
                  {datasets.map(({ id, title, files }) => (
                    <option key={id} value={id}>
                      {title === '' ? `Dataset ${id}` : title}, {count(files ?? 0)} files
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ) : (
            <Field label="Batch" hint="Its recipes are reprocessed; it is superseded by the new one.">
              {(ids) => (
                <select
                  {...ids}
                  required
                  value={choice.batch}
                  onChange={({ target }) => change({ batch: target.value })}
                >
                  <option value="">Choose one</option>
                  {ofType.map((batch) => (
                    <option key={batch.id} value={rootOf(batch)}>
                      {batch.id} {batch.title}, {count(batch.recipes_total)} recipes
                    </option>
                  ))}
                </select>
              )}
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
        {isWithoutSources ? (
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
