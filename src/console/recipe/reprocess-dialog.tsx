/** Reprocesses a recipe: first shows which nodes would run again and which would be kept, and starts when confirmed. */
import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Failure } from '../parts/states.tsx';
import {
  type Recipe,
  type ReprocessBody,
  type ReprocessPreview,
  recipeDetails,
  reprocessPreview,
} from './queries.ts';

/** Undefined: the nodes that differ in the newest revision. */
export interface ReprocessStart {
  readonly node: string | undefined;
}

type Reach = 'all' | 'node' | 'changed';

interface Props {
  readonly recipe: Recipe;
  readonly start: ReprocessStart;
  readonly close: () => void;
}

export function ReprocessDialog({ recipe, start, close }: Props) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Run recipe {recipe.id} again</Dialog.Title>
          <ReprocessForm {...{ recipe, start, close }} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function bodyOf(reach: Reach, node: string, isNewest: boolean, recipe: Recipe): ReprocessBody {
  const nodes = reach === 'node' ? { nodes: [node] } : {};
  return {
    forced_nodes: { all: reach === 'all', ...nodes },
    ...(isNewest ? {} : { revision_num: recipe.recipe_type_rev.revision_num }),
  };
}

function ReprocessForm({ recipe, start, close }: Props) {
  const names = Object.keys(recipe.recipe_type_rev.definition.nodes);
  const hasNewer = recipe.recipe_type_rev.revision_num < recipe.recipe_type.revision_num;
  const [reach, setReach] = useState<Reach>(start.node === undefined ? 'all' : 'node');
  const [node, setNode] = useState(start.node ?? names[0] ?? '');
  const [isNewest, setIsNewest] = useState(hasNewer);
  const body = bodyOf(reach, node, isNewest, recipe);
  const preview = useQuery({ ...reprocessPreview(recipe.id, body), placeholderData: keepPreviousData });
  const send = useSend(recipe.id, body, close);
  const reaches: readonly (readonly [Reach, string])[] = [
    ['all', 'All nodes'],
    ['node', 'From one node on'],
    ...(hasNewer ? [['changed', 'What changed in the newest revision'] as const] : []),
  ];
  return (
    <>
      <fieldset className="radios">
        <legend className="hidden">What runs again</legend>
        {reaches.map(([one, text]) => (
          <label key={one} className="check">
            <input type="radio" name="reach" checked={reach === one} onChange={() => setReach(one)} />
            {text}
          </label>
        ))}
      </fieldset>
      {reach === 'node' && (
        <label className="field">
          Node
          <select value={node} onChange={({ target }) => setNode(target.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {hasNewer && (
        <label className="check">
          <input type="checkbox" checked={isNewest} onChange={({ target }) => setIsNewest(target.checked)} />
          Use the newest revision, {recipe.recipe_type.revision_num}, instead of{' '}
          {recipe.recipe_type_rev.revision_num}
        </label>
      )}
      {preview.isError ? (
        <Failure error={preview.error} />
      ) : (
        preview.data !== undefined && <PreviewText preview={preview.data} />
      )}
      {send.isError && <Failure error={send.error} />}
      <div className="actions">
        <Dialog.Close>Close</Dialog.Close>
        <button
          type="button"
          className="primary"
          disabled={!preview.isSuccess || preview.isFetching || send.isPending}
          onClick={() => send.mutate()}
        >
          Run again
        </button>
      </div>
    </>
  );
}

/** Goes to the new recipe once it exists. */
function useSend(id: number, body: ReprocessBody, close: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => client.post('/v6/recipes/{id}/reprocess/', { path: { id }, body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['recipe', id] });
      const next = (await queries.fetchQuery({ ...recipeDetails(id), staleTime: 0 })).superseded_by_recipe;
      close();
      if (next !== null) await navigate({ to: '/console/recipes/$id/', params: { id: String(next.id) } });
    },
  });
}

function PreviewText({ preview }: { readonly preview: ReprocessPreview }) {
  const { nodes, new_jobs, superseded_jobs, canceled_job_count, warnings } = preview;
  return (
    <>
      <Dialog.Description>
        A new recipe takes its place with {counted(new_jobs, 'new job')}. {counted(superseded_jobs, 'job')}{' '}
        {superseded_jobs === 1 ? 'is' : 'are'} superseded
        {canceled_job_count > 0 && `, ${counted(canceled_job_count, 'unfinished job')} canceled`}. What is
        behind conditions is decided when they are.
      </Dialog.Description>
      <dl className="facts">
        <NodeNames name="Made again" names={nodes.made} />
        <NodeNames name="Kept" names={nodes.kept} />
      </dl>
      {warnings.map(({ description }) => (
        <p key={description} className="note">
          {description}
        </p>
      ))}
    </>
  );
}

/** limit: listed names. */
const NAMES_MAX = 30;

function NodeNames({ name, names }: { readonly name: string; readonly names: readonly string[] }) {
  const more = names.length - NAMES_MAX;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {names.length === 0 ? (
          <span className="soft">none</span>
        ) : (
          `${counted(names.length, 'node')}: ${names.slice(0, NAMES_MAX).join(', ')}`
        )}
        {more > 0 && ` and ${more} more`}
      </dd>
    </div>
  );
}
