/** A small table. On a narrow page it scrolls sideways, or its rows are stacked. */
import type { CSSProperties, ReactNode } from 'react';

interface Props {
  /** The name of the table for screen readers. */
  readonly label: string;
  /** The titles. At most one is empty, for a column that needs none, such as actions. */
  readonly heads: readonly string[];
  /** On a narrow page, each row is a block of titles and values. Its cells then span one column each. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}

/** The titles for styles, which show them beside the values of stacked rows: `--head-1` and so on. */
function headsForStyles(heads: readonly string[]): CSSProperties {
  return Object.fromEntries(heads.map((head, index) => [`--head-${index + 1}`, JSON.stringify(head)]));
}

export function Rows({ label, heads, isStacked = false, children }: Props) {
  return (
    <section className="wide" tabIndex={0} aria-label={label}>
      <table
        className={isStacked ? 'plain stacked' : 'plain'}
        style={isStacked ? headsForStyles(heads) : undefined}
      >
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
