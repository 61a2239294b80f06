/** The inputs of a recipe, and the products of its jobs. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileLinks } from '../files/file-links.tsx';
import { bytes, counted } from '../format/amounts.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Recipe, recipeInputs, recipeProducts } from './queries.ts';

export function Inputs({ recipe }: { readonly recipe: Recipe }) {
  const files = useQuery(recipeInputs(recipe.id));
  const values = Object.entries(recipe.input.json);
  const given = Object.entries(recipe.input.files);
  return (
    <section aria-label="Input">
      <h2>Input</h2>
      <Loaded query={files}>
        {({ results }) => {
          return (
            <dl className="facts">
              {given.map(([name, ids]) => (
                <Fact key={name} name={name}>
                  <FileLinks ids={ids} known={results} />
                </Fact>
              ))}
              {values.map(([name, value]) => (
                <Fact key={name} name={name}>
                  <code>{JSON.stringify(value)}</code>
                </Fact>
              ))}
            </dl>
          );
        }}
      </Loaded>
      {given.length + values.length === 0 && <p className="soft">No inputs.</p>}
    </section>
  );
}

export function Products({ recipeId }: { readonly recipeId: number }) {
  const products = useQuery(recipeProducts(recipeId));
  return (
    <section aria-label="Products">
      <h2>Products</h2>
      <Loaded query={products}>
        {({ results, count }) =>
          results.length === 0 ? (
            <p className="soft">None yet. Products that it took over belong to the recipe that made them.</p>
          ) : (
            <>
              <Rows label="List of products" isStacked heads={['Product', 'Node', 'Job', 'Size', 'Made']}>
                {results.map((file) => (
                  <tr key={file.id}>
                    <td>
                      <Link to="/console/files/$id/" params={{ id: String(file.id) }}>
                        {file.file_name}
                      </Link>
                    </td>
                    <td>{file.recipe_node ?? '–'}</td>
                    <td className="number">
                      {file.job === null ? (
                        '–'
                      ) : (
                        <Link to="/console/jobs/$id/" params={{ id: String(file.job.id) }}>
                          {file.job.id}
                        </Link>
                      )}
                    </td>
                    <td className="number">{bytes(file.file_size)}</td>
                    <td className="number">
                      <Instant at={file.created} />
                    </td>
                  </tr>
                ))}
              </Rows>
              {count > results.length && (
                <p className="soft">
                  The last {results.length} of {counted(count, 'product')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
