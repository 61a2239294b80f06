/** The revisions of a recipe type, and what changed from one to another. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useAccount } from '../account.ts';
import { Loaded } from '../parts/states.tsx';
import { DefinitionGraph } from '../recipe-graph/definition-graph.tsx';
import { DocumentChanges } from '../type-pages/document-changes.tsx';
import { OnlyRevision, RevisionPair } from '../type-pages/revision-pair.tsx';
import { ChangedNodes } from './changed-nodes.tsx';
import {
  type RecipeType,
  recipeTypeRevision,
  recipeTypeRevisions,
  revisionDifference,
  revisionGraph,
} from './queries.ts';
import type { RecipeTypeSearch } from './recipe-type-search.ts';

interface Props {
  readonly type: RecipeType;
  readonly search: RecipeTypeSearch;
}

export function Revisions({ type, search }: Props) {
  const navigate = useNavigate();
  const { mayWrite } = useAccount();
  const revisions = useQuery(recipeTypeRevisions(type.name));
  const shown = Number(search.revision ?? type.revision_num);
  const before = Number(search.with ?? Math.max(1, shown - 1));
  const show = (revision: number, from: number) =>
    void navigate({
      to: '/console/recipe-types/$name/',
      params: { name: type.name },
      search: { tab: 'revisions', revision: String(revision), with: String(from) },
    });
  const [only, other] = revisions.data?.results ?? [];
  if (only !== undefined && other === undefined) {
    const edit = (
      <Link to="/console/recipe-types/$name/" params={{ name: type.name }} search={{ tab: 'edit' }}>
        Create a new revision
      </Link>
    );
    return <OnlyRevision revision={only} edit={mayWrite && !type.is_system && edit} />;
  }
  return (
    <>
      <Loaded query={revisions}>
        {({ results }) => <RevisionPair revisions={results} shown={shown} before={before} show={show} />}
      </Loaded>
      {shown === before ? (
        <p className="soft">A revision does not differ from itself: choose another to compare it with.</p>
      ) : (
        <Compared type={type} shown={shown} before={before} />
      )}
    </>
  );
}

interface ComparedProps {
  readonly type: RecipeType;
  readonly shown: number;
  readonly before: number;
}

function Compared({ type: { name, title }, shown, before }: ComparedProps) {
  const difference = useQuery(revisionDifference(name, shown, before));
  const graph = useQuery(revisionGraph(name, shown));
  const documents = [useQuery(recipeTypeRevision(name, before)), useQuery(recipeTypeRevision(name, shown))];
  const [old, current] = documents.map(({ data }) => data?.definition);
  return (
    <>
      <section aria-label="Graph">
        <h2>
          Revision {shown}, compared with {before}
        </h2>
        <Loaded query={difference}>
          {(diff) => (
            <>
              <ChangedNodes diff={diff} />
              <Loaded query={graph}>
                {({ nodes }) => (
                  <DefinitionGraph label={`Nodes of ${title}`} nodes={nodes} changes={diff.nodes} />
                )}
              </Loaded>
            </>
          )}
        </Loaded>
      </section>
      {old !== undefined && current !== undefined && <DocumentChanges before={old} after={current} />}
    </>
  );
}
