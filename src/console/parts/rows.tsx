/** A small table, which scrolls sideways by itself where the page is narrow. */
import type { ReactNode } from 'react';

interface Props {
  /** Names it for those who do not see the page. */
  readonly label: string;
  /** At most one is empty: that of a column which needs none, such as actions. */
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

export function Rows({ label, heads, children }: Props) {
  return (
    <section className="wide" tabIndex={0} aria-label={label}>
      <table className="plain">
        <thead>
          <tr>
            {heads.map((head) =>
              head === '' ? (
                <td key={head} />
              ) : (
                <th key={head} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
