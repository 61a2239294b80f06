/** What changed from a recipe to the one that superseded it: inputs, revision and products. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bytes, counted } from '../format/amounts.ts';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { ChangedNodes } from '../recipe-type/changed-nodes.tsx';
import { ChangedValue } from '../type-pages/document-changes.tsx';
import { type RecipeDifference, recipeDifference } from './queries.ts';

export function ChainDifference({ recipeId }: { readonly recipeId: number }) {
  const difference = useQuery(recipeDifference(recipeId));
  return (
    <Loaded query={difference}>
      {(found) => (
        <div className="difference" role="region" aria-label={`Changes of recipe ${found.id}`}>
          <h3>
            Recipe {found.id}, compared with {found.from.id}
          </h3>
          <Revision found={found} />
          <Inputs inputs={found.inputs} />
          <Products products={found.products} count={found.product_count} />
        </div>
      )}
    </Loaded>
  );
}

function Revision({ found: { revision_num, from, diff } }: { readonly found: RecipeDifference }) {
  if (revision_num === from.revision_num) {
    return <p className="soft">Both are of revision {revision_num}: the definition is the same.</p>;
  }
  return (
    <>
      <p>
        Revision {revision_num} instead of {from.revision_num}:
      </p>
      <ChangedNodes diff={diff} />
    </>
  );
}

function Inputs({ inputs }: { readonly inputs: RecipeDifference['inputs'] }) {
  if (inputs.length === 0) return <p className="soft">Their inputs are equal.</p>;
  return (
    <Rows label="Inputs that differ" heads={['Input', 'Before', 'After']}>
      {inputs.map(({ name, before, after }) => (
        <tr key={name} className="document-change">
          <td>{name}</td>
          <td>
            <ChangedValue value={before} tone="bad" />
          </td>
          <td>
            <ChangedValue value={after} tone="good" />
          </td>
        </tr>
      ))}
    </Rows>
  );
}

type Product = RecipeDifference['products'][number];

interface ProductsProps {
  readonly products: readonly Product[];
  readonly count: number;
}

function Products({ products, count }: ProductsProps) {
  if (count === 0) return <p className="soft">Their products are equal.</p>;
  return (
    <>
      <Rows label="Products that differ" isStacked heads={['Product', 'Node', 'Before', 'After', 'Content']}>
        {products.map(({ path, file_name, output, before, after, is_same_content }) => (
          <tr key={`${before?.id} ${after?.id}`}>
            <td title={output === null ? undefined : `output ${output}`}>{file_name}</td>
            <td>{path.join(' / ')}</td>
            <td className="number">
              <FileLink file={before} />
            </td>
            <td className="number">
              <FileLink file={after} />
            </td>
            <td>{contentWord(is_same_content, after)}</td>
          </tr>
        ))}
      </Rows>
      {count > products.length && (
        <p className="soft">{counted(count - products.length, 'more product')} not listed.</p>
      )}
    </>
  );
}

function contentWord(isSame: boolean | null, after: Product['after']): string {
  if (isSame !== null) return isSame ? 'the same' : 'another';
  return after === null ? 'not made any more' : 'new';
}

function FileLink({ file }: { readonly file: Product['after'] }) {
  if (file === null) return <span className="soft">–</span>;
  return (
    <>
      <Link to="/console/files/$id/" params={{ id: String(file.id) }}>
        file {file.id}
      </Link>{' '}
      <span className="soft">{file.is_deleted ? 'deleted' : bytes(file.file_size)}</span>
    </>
  );
}
