/** Creates a recipe type, or a new revision. The graph beside the text shows the draft. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import type { ChoiceSource } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { type JobType, jobTypeVersions } from '../job-type/queries.ts';
import { jobTypeNames } from '../jobs/queries.ts';
import { DefinitionGraph } from '../recipe-graph/definition-graph.tsx';
import { ChangedNodes } from '../recipe-type/changed-nodes.tsx';
import type { Difference, RecipeType } from '../recipe-type/queries.ts';
import { recipeTypesByName } from '../recipes/queries.ts';
import type { FindValues, Known } from './completions.ts';
import { type Draft, useDraft } from './draft.ts';
import { nodesOfDraft } from './drawn-draft.ts';
import { FirstNode } from './first-node.tsx';
import { firstDraft } from './first-recipe-type.ts';
import { type RecipeTypeDraft, recipeTypeValidation, schemas } from './queries.ts';
import { TakeOver } from './take-over.tsx';
import { TypeForm } from './type-form.tsx';

interface Props {
  /** Undefined: a new one. */
  readonly type: RecipeType | undefined;
  /** The job type that the first node of a new one runs. */
  readonly jobType?: JobType;
}

export function RecipeTypeEditor({ type, jobType }: Props) {
  const known = useKnown();
  const draft = useDraft({
    place: `recipe-type ${type?.name ?? ''} ${jobType === undefined ? '' : `${jobType.name} ${jobType.version}`}`,
    first: () => (type === undefined ? firstDraft(jobType) : documentOf(type)),
    revision: type?.revision_num,
  });
  const validation = useQuery({
    ...recipeTypeValidation(draft.document ?? {}, type?.name),
    enabled: draft.document !== undefined,
    placeholderData: keepPreviousData,
  });
  const [isPassedOn, setIsPassedOn] = useState(true);
  const save = useSave(type, draft, isPassedOn);
  const warnings = validation.data?.warnings;
  const nodes = useMemo(() => nodesOfDraft(draft.document ?? {}, warnings ?? []), [draft.document, warnings]);
  const found = validation.data?.diff;
  const diff = found !== undefined && isDifference(found) ? found : undefined;
  return (
    <TypeForm
      label={type === undefined ? 'New recipe type' : 'New revision'}
      draft={draft}
      known={known}
      validation={validation}
      save={save}
      newest={type?.revision_num}
      nextStep={type === undefined && nodes.length === 0 ? NEXT_STEP : undefined}
      action={type === undefined ? 'Create recipe type' : `Create revision ${type.revision_num + 1}`}
      options={
        <TakeOver users={type?.super_recipe_types ?? []} isChosen={isPassedOn} choose={setIsPassedOn} />
      }
    >
      <section aria-label="Graph">
        <h2>Graph</h2>
        {nodes.length === 0 ? (
          <FirstNode />
        ) : (
          <DefinitionGraph label="Nodes of the draft" nodes={nodes} changes={diff?.nodes} direction="DOWN" />
        )}
      </section>
      {diff !== undefined && (
        <section aria-label="Changes">
          <h2>Changes to revision {type?.revision_num}</h2>
          <ChangedNodes diff={diff} />
        </section>
      )}
    </TypeForm>
  );
}

const NEXT_STEP = 'Next: write a title between the quotes, and choose the job type of the first node.';

const documentOf = ({ title, description, definition }: RecipeType) => ({ title, description, definition });

/** False for a new type, which has nothing to compare with. */
const isDifference = (diff: Difference | Record<string, never>): diff is Difference => 'nodes' in diff;

const namesIn =
  ({ read }: ChoiceSource): FindValues =>
  async (typed, _beside, signal) =>
    (await read(typed, signal)).choices;

function useKnown(): () => Promise<Known> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const all = await queries.ensureQueryData(schemas);
    const values: Known['values'] = {
      job_type_name: namesIn(jobTypeNames),
      async job_type_version(_typed, { job_type_name: name }) {
        if (name === undefined) return [];
        const { results } = await queries.fetchQuery(jobTypeVersions(name));
        return results.flatMap(({ version }) => (version === undefined ? [] : [[version, version]]));
      },
      recipe_type_name: namesIn(recipeTypesByName),
    };
    return { schemas: all, root: all.RecipeTypeCreate ?? {}, values };
  }, [queries]);
}

/** Goes to the created type. */
function useSave(type: RecipeType | undefined, { document, forget }: Draft, isPassedOn: boolean) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation<unknown, unknown, void>({
    mutationFn: async () => {
      if (type === undefined) {
        return (await client.post('/v6/recipe-types/', { body: document as RecipeTypeDraft })).name;
      }
      await client.patch('/v6/recipe-types/{name}/', {
        path: { name: type.name },
        body: { ...document, auto_update: isPassedOn } as BodyOf<'patch', '/v6/recipe-types/{name}/'>,
      });
      return type.name;
    },
    onSuccess: async (name) => {
      forget();
      await queries.invalidateQueries({ queryKey: ['recipe-type', name] });
      await navigate({
        to: '/console/recipe-types/$name/',
        params: { name: String(name) },
        search: { tab: type === undefined ? 'definition' : 'revisions' },
      });
    },
  });
}
