/** Makes a scan of a workspace: the service checks it as one types. */
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import { recipeTypeChoices } from '../batches/queries.ts';
import { client } from '../client.ts';
import { Field, Problems, problemAt } from '../parts/form.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { workspaceChoices } from './queries.ts';

type ScanBody = BodyOf<'post', '/v6/scans/'>;

interface Choice {
  readonly title: string;
  readonly workspace: string;
  readonly regex: string;
  readonly target: string;
  readonly recipe: string;
  readonly isRecursive: boolean;
}

const NONE: Choice = { title: '', workspace: '', regex: '.*', target: '', recipe: '', isRecursive: true };

/** `isBucket`: the workspace is one of an object store. */
function bodyOf(choice: Choice, isBucket: boolean): ScanBody | undefined {
  const { title, workspace, regex, target, recipe, isRecursive } = choice;
  if (title === '' || workspace === '') return undefined;
  return {
    title,
    configuration: {
      workspace,
      scanner: isBucket ? { type: 'objstore' } : { type: 'dir', transfer_suffix: '_tmp' },
      recursive: isRecursive,
      files_to_ingest: [{ filename_regex: regex, ...(target === '' ? {} : { new_workspace: target }) }],
      ...(recipe === '' ? {} : { recipe: { name: recipe } }),
    },
  } as ScanBody;
}

const validation = (body: ScanBody | undefined) =>
  queryOptions({
    queryKey: ['scan-validation', body],
    queryFn: ({ signal }) => client.post('/v6/scans/validation/', { body: body as ScanBody, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

export function NewScanPage() {
  const navigate = useNavigate();
  const [choice, setChoice] = useState(NONE);
  const change = (some: Partial<Choice>) => setChoice({ ...choice, ...some });
  const workspaces = useQuery(workspaceChoices).data?.results ?? [];
  const types = useQuery(recipeTypeChoices).data?.results ?? [];
  const [isBucket, setIsBucket] = useState(false);
  const body = bodyOf(choice, isBucket);
  const found = useQuery(validation(body));
  const create = useMutation({
    mutationFn: (wanted: ScanBody) => client.post('/v6/scans/', { body: wanted }),
    onSuccess: ({ id }) => navigate({ to: '/console/scans/$id/', params: { id: String(id) } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined) create.mutate(body);
  };
  const names = workspaces.filter(({ is_active }) => is_active).map(({ name }) => name);
  return (
    <div className="page">
      <PageHead above={{ title: 'Scans', href: '/console/scans/' }} title="New scan" />
      <div className="columns two">
        <section aria-label="Scan">
          <form className="form" onSubmit={submit}>
            <Field label="Title" problem={problemAt(create.error, 'title')}>
              {(ids) => (
                <input
                  {...ids}
                  required
                  maxLength={50}
                  value={choice.title}
                  onChange={({ target }) => change({ title: target.value })}
                />
              )}
            </Field>
            <Field label="Workspace" hint="Its files are examined; nothing happens before you start it.">
              {(ids) => (
                <select
                  {...ids}
                  required
                  value={choice.workspace}
                  onChange={({ target }) => change({ workspace: target.value })}
                >
                  <option value="">Choose one</option>
                  {names.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
            <div className="checks">
              <label className="check">
                <input
                  type="checkbox"
                  checked={choice.isRecursive}
                  onChange={({ target }) => change({ isRecursive: target.checked })}
                />
                Directories below it too
              </label>
              <label className="check">
                <input
                  type="checkbox"
                  checked={isBucket}
                  onChange={({ target }) => setIsBucket(target.checked)}
                />
                It is a bucket
              </label>
            </div>
            <Field
              label="File names"
              hint="A regular expression that matches from the start of the name: .*\.h5$"
            >
              {(ids) => (
                <input
                  {...ids}
                  className="mono"
                  required
                  spellCheck={false}
                  value={choice.regex}
                  onChange={({ target }) => change({ regex: target.value })}
                />
              )}
            </Field>
            <Field label="Move to" hint="Empty: files stay where they are.">
              {(ids) => (
                <select
                  {...ids}
                  value={choice.target}
                  onChange={({ target }) => change({ target: target.value })}
                >
                  <option value="">They stay</option>
                  {names.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Recipe" hint="Started with each ingested file.">
              {(ids) => (
                <select
                  {...ids}
                  value={choice.recipe}
                  onChange={({ target }) => change({ recipe: target.value })}
                >
                  <option value="">None</option>
                  {types.map(({ id, name, title }) => (
                    <option key={id} value={name}>
                      {title} ({name})
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {create.isError && <Failure error={create.error} />}
            <div className="actions">
              <button
                type="submit"
                className="primary"
                disabled={found.data?.is_valid !== true || found.isFetching || create.isPending}
              >
                Make the scan
              </button>
            </div>
          </form>
        </section>
        <section aria-label="What the service says">
          <h2>What the service says</h2>
          {body === undefined ? (
            <Empty title="Choose a title and a workspace" />
          ) : (
            <Loaded query={found}>
              {({ is_valid, errors, warnings }) => (
                <div className="form">
                  <Problems title="It cannot be made" problems={errors} tone="bad" />
                  <Problems title="Note" problems={warnings} tone="wait" />
                  {is_valid && warnings.length === 0 && (
                    <p>It can be made. A dry run then counts what it would ingest.</p>
                  )}
                </div>
              )}
            </Loaded>
          )}
        </section>
      </div>
    </div>
  );
}
