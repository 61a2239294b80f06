/** The definition of a recipe type: its graph, its inputs, and the document itself. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../format/amounts.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { DefinitionGraph } from '../recipe-graph/definition-graph.tsx';
import { InputFacts } from '../type-pages/input-facts.tsx';
import { RecipeTypeLinks } from '../type-pages/recipe-type-links.tsx';
import { type RecipeType, revisionGraph } from './queries.ts';

export function Definition({ type }: { readonly type: RecipeType }) {
  const graph = useQuery(revisionGraph(type.name, type.revision_num));
  return (
    <>
      <section aria-label="Graph">
        <Loaded query={graph}>
          {({ nodes }) => (
            <>
              <div className="section-head">
                <h2>Graph</h2>
                <span className="soft">{counted(nodes.length, 'node')}</span>
              </div>
              <DefinitionGraph label={`Nodes of ${type.title}`} nodes={nodes} />
            </>
          )}
        </Loaded>
      </section>
      <div className="columns">
        <Takes type={type} />
        <Runs type={type} />
      </div>
      <section aria-label="Document">
        <details className="first">
          <summary>The definition as JSON</summary>
          <pre className="command" tabIndex={0}>
            {JSON.stringify(type.definition, null, 2)}
          </pre>
        </details>
      </section>
    </>
  );
}

function Takes({ type }: { readonly type: RecipeType }) {
  const { files, json } = type.definition.input;
  const taken = (files ?? []).map(({ media_types, ...file }) => ({ ...file, mediaTypes: media_types ?? [] }));
  return <InputFacts files={taken} values={json ?? []} />;
}

function Runs({ type }: { readonly type: RecipeType }) {
  return (
    <section aria-label="Facts">
      <h2>Recipe type</h2>
      <dl className="facts">
        <Fact name="Job types">
          <ul className="plain-list">
            {type.job_types.map(({ name, version, title }) => (
              <li key={`${name} ${version}`}>
                <Link to="/console/job-types/$name/$version/" params={{ name, version }}>
                  {title} {version}
                </Link>
              </li>
            ))}
          </ul>
        </Fact>
        {type.sub_recipe_types.length > 0 && (
          <Fact name="Contains">
            <RecipeTypeLinks types={type.sub_recipe_types} />
          </Fact>
        )}
        {type.super_recipe_types.length > 0 && (
          <Fact name="Used by">
            <RecipeTypeLinks types={type.super_recipe_types} />
          </Fact>
        )}
        <Fact name="Created">
          <Instant at={type.created} />
        </Fact>
        <Fact name="Changed">
          <Instant at={type.last_modified} />
        </Fact>
      </dl>
    </section>
  );
}
