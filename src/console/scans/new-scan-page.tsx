/** Creates a scan of a workspace. The service checks it while it is typed. */
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import { ObjectChoice, useFirstChoices } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { Field, Problems, problemAt } from '../parts/form.tsx';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { usableTypesByName } from '../recipes/queries.ts';
import {
  type WorkspaceDetails,
  workspaceDetails,
  workspacesById,
  workspacesByName,
} from '../workspace/queries.ts';

type ScanBody = BodyOf<'post', '/v6/scans/'>;

interface Choice {
  readonly title: string;
  /** Its id. */
  readonly workspace: string;
  readonly regex: string;
  readonly target: string;
  readonly recipe: string;
  readonly isRecursive: boolean;
}

const NONE: Choice = {
  ...{ title: '', workspace: '', regex: '.*', target: '', recipe: '', isRecursive: true },
};

/** `workspace`: the chosen one, when it is known. */
function bodyOf(choice: Choice, workspace: WorkspaceDetails | undefined): ScanBody | undefined {
  const { title, regex, target, recipe, isRecursive } = choice;
  if (title === '' || workspace === undefined) return undefined;
  return {
    title,
    configuration: {
      workspace: workspace.name,
      scanner:
        workspace.configuration.broker.type === 'objstore'
          ? { type: 'objstore' }
          : { type: 'dir', transfer_suffix: '_tmp' },
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
  const change = (some: Partial<Choice>) => setChoice((before) => ({ ...before, ...some }));
  const isWithoutWorkspaces = useFirstChoices(workspacesById).data?.count === 0;
  const details = useQuery({
    ...workspaceDetails(Number(choice.workspace)),
    enabled: choice.workspace !== '',
  });
  const body = bodyOf(choice, details.data);
  const found = useQuery(validation(body));
  const create = useMutation({
    mutationFn: (wanted: ScanBody) => client.post('/v6/scans/', { body: wanted }),
    onSuccess: ({ id }) => navigate({ to: '/console/scans/$id/', params: { id: String(id) } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined) create.mutate(body);
  };
  return (
    <div className="page">
      <PageHead above={{ title: 'Scans', href: '/console/scans/' }} title="New scan" />
      <OnlyWriters what="scans">
        <div className="columns two">
          <section aria-label="Scan">
            <form className="form" onSubmit={submit}>
              <ChoiceFields choice={choice} change={change} error={create.error} />
              {create.isError && <Failure error={create.error} />}
              <div className="actions">
                <button
                  type="submit"
                  className="primary"
                  disabled={found.data?.is_valid !== true || found.isFetching || create.isPending}
                >
                  Create the scan
                </button>
              </div>
            </form>
          </section>
          <section aria-label="Validation">
            <h2>Validation</h2>
            {details.isError ? (
              <Failure error={details.error} retry={() => void details.refetch()} />
            ) : isWithoutWorkspaces ? (
              <Empty title="There is no workspace yet">
                A scan finds the files of a workspace. <Link to="/console/workspaces/">Create one first</Link>
              </Empty>
            ) : body === undefined ? (
              <Empty title="Choose a title and a workspace" />
            ) : (
              <Loaded query={found}>
                {({ is_valid, errors, warnings }) => (
                  <div className="form">
                    <Problems title="It cannot be created" problems={errors} tone="bad" />
                    <Problems title="Note" problems={warnings} tone="wait" />
                    {is_valid && warnings.length === 0 && (
                      <p>The configuration is valid. A dry run then counts what it would ingest.</p>
                    )}
                  </div>
                )}
              </Loaded>
            )}
          </section>
        </div>
      </OnlyWriters>
    </div>
  );
}

interface FieldsProps {
  readonly choice: Choice;
  readonly change: (some: Partial<Choice>) => void;
  readonly error: unknown;
}

function ChoiceFields({ choice, change, error }: FieldsProps) {
  return (
    <>
      <Field label="Title" problem={problemAt(error, 'title')}>
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
          <ObjectChoice
            {...ids}
            source={workspacesById}
            value={choice.workspace}
            set={(workspace) => change({ workspace })}
          />
        )}
      </Field>
      <label className="check">
        <input
          type="checkbox"
          checked={choice.isRecursive}
          onChange={({ target }) => change({ isRecursive: target.checked })}
        />
        Directories below it too
      </label>
      <Field label="File names" hint="A regular expression that matches from the start of the name: .*\.h5$">
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
      <Field label="Move to" hint="The workspace that ingested files are moved to.">
        {(ids) => (
          <ObjectChoice
            {...ids}
            source={workspacesByName}
            value={choice.target}
            none="Keep in place"
            set={(target) => change({ target })}
          />
        )}
      </Field>
      <RecipeField recipe={choice.recipe} change={change} />
    </>
  );
}

interface RecipeProps {
  readonly recipe: string;
  readonly change: (some: Partial<Choice>) => void;
}

function RecipeField({ recipe, change }: RecipeProps) {
  return (
    <Field label="Recipe" hint="Started with each ingested file.">
      {(ids) => (
        <ObjectChoice
          {...ids}
          source={usableTypesByName}
          value={recipe}
          none="None"
          set={(name) => change({ recipe: name })}
        />
      )}
    </Field>
  );
}
