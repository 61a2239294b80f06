/** A row of a table that shows records beside each other: one column for each record. */
import type { ReactNode } from 'react';

interface ComparedRowProps<R extends { readonly id: number }> {
  readonly title: string;
  readonly records: readonly R[];
  readonly isNumber?: boolean;
  readonly cell: (record: R, index: number) => ReactNode;
}

export function ComparedRow<R extends { readonly id: number }>(props: ComparedRowProps<R>) {
  const { title, records, isNumber = false, cell } = props;
  return (
    <tr>
      <th scope="row">{title}</th>
      {records.map((record, index) => (
        <td key={record.id} className={isNumber ? 'number' : undefined}>
          {cell(record, index)}
        </td>
      ))}
    </tr>
  );
}
