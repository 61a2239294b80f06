/** Comma or tab separated values as a table. */
import Papa from 'papaparse';
import { useMemo } from 'react';
import { count } from '../../format/amounts.ts';

const ROWS_MAX = 500;
const COLUMNS_MAX = 60;

interface Props {
  readonly text: string;
  /** The last row may be incomplete, and is left out. */
  readonly isCut: boolean;
}

export function TablePreview({ text, isCut }: Props) {
  const { rows, isLonger, columnCount } = useMemo(() => readTable(text, isCut), [text, isCut]);
  const [head = [], ...body] = rows;
  const columns = head.slice(0, COLUMNS_MAX);
  return (
    <>
      <div className="content table-content" role="region" tabIndex={0} aria-label="Table of the file">
        <table className="plain">
          <thead>
            <tr>
              {/* The position is the key: names of columns may repeat. */}
              {columns.map((text, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the position is what a column is known by
                <th key={at} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file never move
              <tr key={row}>
                {columns.map((_, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  <td key={at} className={isNumber(cells[at]) ? 'number amount' : undefined}>
                    {cells[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="soft graph-note">
        {isLonger || isCut ? 'The first ' : ''}
        {count(body.length)} rows
        {columnCount > COLUMNS_MAX ? `, the first ${COLUMNS_MAX} of ${count(columnCount)} columns` : ''}. The
        first row is taken for the names of the columns.
      </p>
    </>
  );
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text);
}

function readTable(text: string, isCut: boolean) {
  const { data } = Papa.parse<string[]>(text, { preview: ROWS_MAX + 2, skipEmptyLines: true });
  const isLonger = data.length > ROWS_MAX + 1;
  const whole = isLonger ? data.slice(0, ROWS_MAX + 1) : isCut ? data.slice(0, -1) : data;
  return { rows: whole, isLonger, columnCount: whole[0]?.length ?? 0 };
}
