/** A small table, which scrolls sideways on a narrow page. */
import type { ReactNode } from 'react';

interface Props {
  /** The name of the table for screen readers. */
  readonly label: string;
  /** The titles. At most one is empty, for a column that needs none, such as actions. */
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
