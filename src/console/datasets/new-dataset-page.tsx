/** Creates a dataset of stored files. The service first says which files match, without storing anything. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client } from '../client.ts';
import { FileLinks } from '../files/file-links.tsx';
import { counted } from '../format/amounts.ts';
import { shows } from '../live/shown.ts';
import { Field, problemAt } from '../parts/form.tsx';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import type { DatasetBody } from './queries.ts';

interface Member {
  readonly files?: Readonly<Record<string, readonly number[]>>;
}

interface Choice {
  readonly title: string;
  readonly parameter: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly fileType: '' | 'SOURCE' | 'PRODUCT';
  readonly recipeId: string;
}

const NONE: Choice = {
  ...{ title: '', parameter: 'FILE', fileName: '', mediaType: '', fileType: 'SOURCE', recipeId: '' },
};
/** limit: files that the preview names. */
const SHOWN_MAX = 20;

function bodyOf({ title, parameter, fileName, mediaType, fileType, recipeId }: Choice): DatasetBody {
  return {
    title,
    definition: { version: '7', parameters: { files: [{ name: parameter }] } },
    data_template: { files: { [parameter]: 'FILE_VALUE' } },
    ...(fileName === '' ? {} : { file_name_search: fileName }),
    ...(mediaType === '' ? {} : { media_type: mediaType }),
    ...(fileType === '' ? {} : { file_type: fileType }),
    ...(recipeId === '' ? {} : { recipe_id: Number(recipeId) }),
  } as DatasetBody;
}

/** The members that would be created; none if no file matches. */
function membersOf(answer: unknown): readonly Member[] {
  return Array.isArray(answer) ? answer : [];
}

/** The first files that the choice matches, with their names. */
const firstFiles = ({ fileName, mediaType, fileType, recipeId }: Choice) =>
  queryOptions({
    queryKey: ['dataset-files', fileName, mediaType, fileType, recipeId],
    queryFn: ({ signal }) =>
      client.get('/v6/files/', {
        query: {
          ...(fileName === '' ? {} : { file_name_search: fileName }),
          ...(mediaType === '' ? {} : { media_type: [mediaType] }),
          ...(fileType === '' ? {} : { file_type: [fileType] }),
          ...(recipeId === '' ? {} : { recipe_id: [Number(recipeId)] }),
          ...{ order: ['id'], page_size: SHOWN_MAX, fields: 'id,file_name' },
        },
        signal,
      }),
    ...shows(['file']),
  });

export function NewDatasetPage() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [choice, setChoice] = useState(NONE);
  const preview = useMutation({
    mutationFn: (body: DatasetBody): Promise<unknown> =>
      client.post('/v6/datasets/', { body: { ...body, dry_run: true } as DatasetBody }),
  });
  const create = useMutation({
    mutationFn: (body: DatasetBody): Promise<unknown> => client.post('/v6/datasets/', { body }),
    async onSuccess(made) {
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      const { id } = made as { readonly id?: number };
      if (id !== undefined) await navigate({ to: '/console/datasets/$id/', params: { id: String(id) } });
    },
  });
  const change = (some: Partial<Choice>) => {
    setChoice((before) => ({ ...before, ...some }));
    preview.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    preview.mutate(bodyOf(choice));
  };
  const members = membersOf(preview.data);
  return (
    <div className="page">
      <PageHead above={{ title: 'Datasets', href: '/console/datasets/' }} title="New dataset" />
      <OnlyWriters what="datasets">
        <div className="columns two">
          <section aria-label="Dataset">
            <form className="form" onSubmit={submit}>
              <ChoiceFields choice={choice} change={change} error={preview.error} />
              <div className="actions">
                <button type="submit" disabled={preview.isPending}>
                  Find the files
                </button>
              </div>
            </form>
          </section>
          <section aria-label="Preview">
            <h2>Preview</h2>
            {preview.isError && <Failure error={preview.error} />}
            {preview.isIdle && (
              <Empty title="Find the files first">Nothing is stored until you create the dataset.</Empty>
            )}
            {preview.isSuccess && members.length === 0 && <Empty title="No stored file matches" />}
            {preview.isSuccess && members.length > 0 && (
              <Members
                members={members}
                choice={choice}
                error={create.error}
                isOff={create.isPending}
                make={() => create.mutate(bodyOf(choice))}
              />
            )}
          </section>
        </div>
      </OnlyWriters>
    </div>
  );
}

interface MembersProps {
  readonly members: readonly Member[];
  readonly choice: Choice;
  readonly error: unknown;
  readonly isOff: boolean;
  readonly make: () => void;
}

/** Shows the files of the members that would be created. */
function Members({ members, choice, error, isOff, make }: MembersProps) {
  const known = useQuery(firstFiles(choice)).data?.results;
  const ids = members.flatMap(({ files = {} }) => Object.values(files).flat());
  return (
    <div className="form">
      <p>{counted(members.length, 'member')}, one for each file.</p>
      <FileLinks ids={ids} known={known} shown={SHOWN_MAX} />
      {error !== null && <Failure error={error} />}
      <div className="actions">
        <button type="button" className="primary" disabled={isOff} onClick={make}>
          Create the dataset
        </button>
      </div>
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
            maxLength={50}
            value={choice.title}
            onChange={({ target }) => change({ title: target.value })}
          />
        )}
      </Field>
      <Field label="Parameter" hint="The name of the input that each file is for.">
        {(ids) => (
          <input
            {...ids}
            required
            spellCheck={false}
            value={choice.parameter}
            onChange={({ target }) => change({ parameter: target.value })}
          />
        )}
      </Field>
      <FileFields choice={choice} change={change} error={error} />
    </>
  );
}

function FileFields({ choice, change, error }: FieldsProps) {
  return (
    <>
      <h2>Files</h2>
      <Field
        label="Part of the name"
        hint="Only files that are stored now; later files are not included."
        problem={problemAt(error, 'file_name_search')}
      >
        {(ids) => (
          <input
            {...ids}
            spellCheck={false}
            value={choice.fileName}
            onChange={({ target }) => change({ fileName: target.value })}
          />
        )}
      </Field>
      <Field label="Media type" problem={problemAt(error, 'media_type')}>
        {(ids) => (
          <input
            {...ids}
            placeholder="text/plain"
            spellCheck={false}
            value={choice.mediaType}
            onChange={({ target }) => change({ mediaType: target.value })}
          />
        )}
      </Field>
      <Field label="Kind">
        {(ids) => (
          <select
            {...ids}
            value={choice.fileType}
            onChange={({ target }) => change({ fileType: target.value as Choice['fileType'] })}
          >
            <option value="SOURCE">Sources</option>
            <option value="PRODUCT">Products</option>
            <option value="">Both</option>
          </select>
        )}
      </Field>
      <Field label="Recipe id" hint="Only for products: those of this recipe.">
        {(ids) => (
          <input
            {...ids}
            type="number"
            min={1}
            value={choice.recipeId}
            onChange={({ target }) => change({ recipeId: target.value })}
          />
        )}
      </Field>
    </>
  );
}
