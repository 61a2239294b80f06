/** One recipe type: its last recipes node by node, its definition as a graph, its revisions, and its editor. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useAccount } from '../account.ts';
import { Loaded, Loading } from '../parts/states.tsx';
import { Tabs } from '../type-pages/tabs.tsx';
import { Definition } from './definition.tsx';
import { RecipeGrid } from './grid.tsx';
import { type RecipeType, recipeTypeDetails, recipeTypeGrid } from './queries.ts';
import type { RecipeTypeSearch } from './recipe-type-search.ts';
import { Revisions } from './revisions.tsx';

/** The code of these parts is fetched when they are opened. */
const Start = lazy(() => import('./start.tsx').then((found) => ({ default: found.Start })));

const RecipeTypeEditor = lazy(() =>
  import('../type-editor/recipe-type-editor.tsx').then((found) => ({ default: found.RecipeTypeEditor })),
);

type Tab = readonly [tab: NonNullable<RecipeTypeSearch['tab']>, title: string];

const TABS: readonly Tab[] = [
  ['recipes', 'Last recipes'],
  ['definition', 'Definition'],
  ['revisions', 'Revisions'],
];
const EDITABLE_TABS: readonly Tab[] = [...TABS, ['try', 'Try it'], ['edit', 'New revision']];

interface Props {
  readonly name: string;
  readonly search: RecipeTypeSearch;
}

export function RecipeTypePage({ name, search }: Props) {
  const client = useQueryClient();
  const isGrid = (search.tab ?? 'recipes') === 'recipes';
  useEffect(() => {
    // It is read at the same time as the type.
    if (isGrid) void client.prefetchQuery(recipeTypeGrid(name));
  }, [client, isGrid, name]);
  const type = useQuery(recipeTypeDetails(name));
  return (
    <div className="page wide-page">
      <Loaded query={type}>{(found) => <RecipeTypeView type={found} search={search} />}</Loaded>
    </div>
  );
}

function RecipeTypeView({ type, search }: { readonly type: RecipeType; readonly search: RecipeTypeSearch }) {
  const { mayWrite } = useAccount();
  const tabs = mayWrite && !type.is_system ? EDITABLE_TABS : TABS;
  const [tab] = tabs.find(([one]) => one === search.tab) ?? ['recipes'];
  return (
    <>
      <div className="page-head">
        <h1>
          <Link to="/console/recipe-types/" className="crumb">
            Recipe types
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          {type.title}
        </h1>
        <span className="soft">
          {type.name}, revision {type.revision_num}
          {!type.is_active && ', deprecated'}
        </span>
        <div className="page-actions">
          <Link className="button" to="/console/recipes/" search={{ type: type.name }}>
            All its recipes
          </Link>
        </div>
      </div>
      {type.description !== '' && <p className="soft">{type.description}</p>}
      <Tabs label="Parts of this recipe type" chosen={tab} tabs={tabs} />
      {tab === 'recipes' && <RecipeGrid type={type} />}
      {tab === 'definition' && <Definition type={type} />}
      {tab === 'revisions' && <Revisions type={type} search={search} />}
      {tab === 'try' && (
        <Suspense fallback={<Loading />}>
          <Start type={type} />
        </Suspense>
      )}
      {tab === 'edit' && (
        <Suspense fallback={<Loading />}>
          <RecipeTypeEditor type={type} />
        </Suspense>
      )}
    </>
  );
}
