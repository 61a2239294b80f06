/** Creates a job type, a new version, or a new revision. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import type { JobType } from '../job-type/queries.ts';
import { DocumentChanges } from '../type-pages/document-changes.tsx';
import type { Known } from './completions.ts';
import { type Draft, useDraft } from './draft.ts';
import { type JobTypeDraft, jobTypeValidation, schemas } from './queries.ts';
import { TakeOver } from './take-over.tsx';
import { TypeForm } from './type-form.tsx';

/** Undefined: a new one. */
export function JobTypeEditor({ type }: { readonly type: JobType | undefined }) {
  const known = useKnown();
  const draft = useDraft({
    place: `job-type ${type === undefined ? '' : `${type.name} ${type.version}`}`,
    first: () => (type === undefined ? FIRST : documentOf(type)),
    revision: type?.revision_num,
  });
  const validation = useQuery({
    ...jobTypeValidation({ ...keptOf(type), ...draft.document }),
    enabled: draft.document !== undefined,
    placeholderData: keepPreviousData,
  });
  const [isPassedOn, setIsPassedOn] = useState(true);
  const save = useSave(type, draft, isPassedOn);
  return (
    <TypeForm
      label={type === undefined ? 'New job type' : 'New revision'}
      draft={draft}
      known={known}
      validation={validation}
      save={save}
      newest={type?.revision_num}
      action={type === undefined ? 'Create job type' : `Create revision ${type.revision_num + 1}`}
      options={<TakeOver users={type?.recipe_types ?? []} isChosen={isPassedOn} choose={setIsPassedOn} />}
    >
      {type === undefined ? (
        <section aria-label="How">
          <h2>How a job type is made</h2>
          <p className="soft">
            The manifest says what a job is given and what it makes; the command reads files by the names of
            its inputs and writes into its output directory. <code>process:default</code> as the image runs
            the command as a plain process. See <a href="/docs/guide/job-types/">job types</a>.
          </p>
        </section>
      ) : (
        draft.document !== undefined && <DocumentChanges before={documentOf(type)} after={draft.document} />
      )}
    </TypeForm>
  );
}

const COMMAND =
  `sh -c 'printf "{\\"BYTES\\": %d}" $(wc -c <"$1") >"$2/seed.outputs.json"' ` +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the manifest
  'count ${FILE} ${OUTPUT_DIR}';

/** An example that runs unchanged: it counts the bytes of a file. */
const FIRST = {
  container_image: 'process:default',
  configuration: { output_workspaces: {} },
  manifest: {
    seedVersion: '1.0.0',
    job: {
      ...{ name: 'count-bytes', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Count bytes' },
      description: 'Reports the size of a file',
      maintainer: { name: 'You', email: 'you@example.com' },
      timeout: 60,
      interface: {
        command: COMMAND,
        inputs: { files: [{ name: 'FILE' }] },
        outputs: { json: [{ name: 'BYTES', type: 'integer' }] },
      },
    },
  },
};

/** Without the configuration: the service does not show its secrets, so sending it back would lose them. */
const documentOf = ({ container_image, manifest }: JobType) => ({ container_image, manifest });

/** The parts of the type that a revision keeps. The validation needs them to check outputs. */
const keptOf = (type: JobType | undefined) =>
  type === undefined ? {} : { configuration: type.configuration };

function useKnown(): () => Promise<Known> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const all = await queries.ensureQueryData(schemas);
    return { schemas: all, root: all.JobTypeCreate ?? {}, values: {} };
  }, [queries]);
}

interface Made {
  readonly name: string;
  readonly version: string;
}

/** Goes to the created type. */
function useSave(type: JobType | undefined, { document, forget }: Draft, isPassedOn: boolean) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation<unknown, unknown, void>({
    mutationFn: async (): Promise<Made> => {
      const body = { ...document, ...(type === undefined ? {} : { auto_update: isPassedOn }) };
      if (type === undefined) return client.post('/v6/job-types/', { body: body as JobTypeDraft });
      const { name, version } = type;
      await client.patch('/v6/job-types/{name}/{version}/', {
        path: { name, version },
        body: body as BodyOf<'patch', '/v6/job-types/{name}/{version}/'>,
      });
      return { name, version };
    },
    onSuccess: async (made) => {
      const { name, version } = made as Made;
      forget();
      await queries.invalidateQueries({ queryKey: ['job-type'] });
      await navigate({
        to: '/console/job-types/$name/$version/',
        params: { name, version },
        search: { tab: type === undefined ? 'manifest' : 'revisions' },
      });
    },
  });
}
