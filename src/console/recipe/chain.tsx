/** The chain of recipes that superseded each other: the nodes that each one ran again, and those that it kept. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../format/amounts.ts';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { ChainDifference } from './difference.tsx';
import { recipeChain } from './queries.ts';

interface Props {
  readonly recipeId: number;
  /** The recipe whose changes are shown. */
  readonly compared: number | undefined;
  readonly compare: (recipeId: number | undefined) => void;
}

export function Chain({ recipeId, compared, compare }: Props) {
  const chain = useQuery(recipeChain(recipeId));
  return (
    <Loaded query={chain}>
      {({ results }) =>
        results.length < 2 ? null : (
          <section aria-label="Chain">
            <div className="section-head">
              <h2>Runs of this recipe</h2>
              <span className="soft">{counted(results.length, 'recipe')} superseded each other</span>
            </div>
            <Rows
              label="Recipes that superseded each other"
              isStacked
              heads={['Recipe', 'State', 'Created', 'Revision', 'Made again', 'Kept', 'Changes']}
            >
              {results.map((one, index) => (
                <tr key={one.id} aria-current={one.id === recipeId}>
                  <td className="number">
                    {one.id === recipeId ? (
                      <strong>{one.id}</strong>
                    ) : (
                      <Link to="/console/recipes/$id/" params={{ id: String(one.id) }}>
                        {one.id}
                      </Link>
                    )}
                  </td>
                  <td>
                    <StatusMark status={one.is_superseded ? 'SUPERSEDED' : one.state} />
                  </td>
                  <td className="number">
                    <Instant at={one.created} />
                  </td>
                  <td className="number">
                    {one.revision_num}
                    {isOtherRevision(one, results[index + 1]) && <span className="soft"> changed</span>}
                  </td>
                  <td>
                    {one.superseded_recipe === null ? (
                      <span className="soft">all {counted(one.made_count, 'node')}</span>
                    ) : (
                      <MadeNodes names={one.made_nodes} total={one.made_count} />
                    )}
                  </td>
                  <td className="number">{counted(one.kept_count, 'node')}</td>
                  <td>
                    {one.superseded_recipe !== null && (
                      <button
                        type="button"
                        className="link"
                        aria-expanded={compared === one.id}
                        onClick={() => compare(compared === one.id ? undefined : one.id)}
                      >
                        {compared === one.id ? 'Hide' : 'Show'}
                        <span className="hidden"> what changed in recipe {one.id}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </Rows>
            {results.some((one) => one.id === compared && one.superseded_recipe !== null) &&
              compared !== undefined && <ChainDifference recipeId={compared} />}
          </section>
        )
      }
    </Loaded>
  );
}

interface OfRevision {
  readonly revision_num: number;
}

function isOtherRevision(one: OfRevision, before: OfRevision | undefined): boolean {
  return before !== undefined && before.revision_num !== one.revision_num;
}

function MadeNodes({ names, total }: { readonly names: readonly string[]; readonly total: number }) {
  const more = total - names.length;
  return (
    <>
      {names.join(', ')}
      {more > 0 && <span className="soft"> and {counted(more, 'more node')}</span>}
    </>
  );
}
