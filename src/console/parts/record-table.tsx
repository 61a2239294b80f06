/**
 * The table of a list page. The service filters, sorts and pages; only the rows in view are in the document. On a
 * narrow page, a record takes two lines, with the columns that have `narrow`.
 */
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../shell/keys.ts';
import { useIsNarrow } from './narrow.ts';
import { type RecordRows, ROWS_MAX, type View } from './record-rows.ts';

const ROW_PX = 34;
const NARROW_ROW_PX = 64;

export interface Column<R> {
  /** Its class is `cell-<name>`. */
  readonly name: string;
  /** Empty for a column that needs no title, such as actions. */
  readonly title: string;
  /** The width, as a track of a CSS grid. */
  readonly width: string;
  /** The field that the service sorts by. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** The position on a narrow page. Without it, the column is not shown there. */
  readonly narrow?: 'start' | 'main' | 'end' | 'below' | 'below-end';
  /**
   * Whether the cell says what the record is, where another column links to it by its id. Then it links there as well,
   * for whoever clicks: the key Tab stops at the id alone.
   */
  readonly isTitle?: boolean;
  cell(record: R): ReactNode;
  /** Shown on hover, where the cell may be cut off. */
  hint?(record: R): string | undefined;
}

interface Selection {
  readonly selected: ReadonlySet<number>;
  readonly select: (selected: ReadonlySet<number>) => void;
  /** The noun for a record: "job". */
  readonly noun: string;
}

interface Props<R> {
  readonly label: string;
  readonly rows: RecordRows<R>;
  readonly columns: readonly Column<R>[];
  /** The current order: a field, or `-field`. The address holds it as `order`. */
  readonly order: string;
  /** The address of a record's page, if it has one. */
  readonly href?: (record: R) => string;
  readonly selection?: Selection | undefined;
  readonly onView: (view: View) => void;
}

export function RecordTable<R extends { readonly id: number }>(props: Props<R>) {
  const { label, rows, columns, selection, onView } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const total = Math.min(rows.total ?? 0, ROWS_MAX);
  const isNarrow = useIsNarrow();
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured again
  useEffect(() => virtual.measure(), [isNarrow]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onView({ first, last }), [first, last, onView]);
  const at = useRowKeys(props, total, {
    show: (index) => virtual.scrollToIndex(index),
    firstInView: () => virtual.range?.startIndex ?? 0,
  });
  const tracks = [...(selection === undefined ? [] : ['20px']), ...columns.map(({ width }) => width)];
  const layout = isNarrow ? {} : { gridTemplateColumns: tracks.join(' ') };
  return (
    <div
      className={rows.total === undefined ? 'table-scroller filling' : 'table-scroller'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={`List of ${label}`}
    >
      <table
        aria-label={label}
        aria-rowcount={total + 1}
        className={`grid${selection === undefined ? '' : ' selectable'}`}
      >
        <thead className="grid-head">
          <tr aria-rowindex={1} className="grid-row" style={layout}>
            {selection !== undefined && (
              <th scope="col" className="cell-select">
                <span className="hidden">Selected</span>
              </th>
            )}
            {columns.map((column, index) => (
              <Head key={column.name} column={column} index={index} order={props.order} />
            ))}
          </tr>
        </thead>
        <tbody className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              className={`grid-row${index === at ? ' at' : ''}`}
              style={{ height: size, transform: `translateY(${start}px)`, ...layout }}
            >
              <Cells record={rows.row(index)} columns={columns} href={props.href} selection={selection} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toggled(selected: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The row that the keyboard has chosen. The list changes meanwhile: the row stays with its record. */
interface Chosen {
  readonly index: number;
  readonly id: number | undefined;
  /** The visit of the list, as the history of the browser names it. */
  readonly visit: string | undefined;
}

/** The last chosen row of each list, by its label, for a return to it. */
const lastChosen = new Map<string, Chosen>();

interface Window {
  readonly show: (index: number) => void;
  readonly firstInView: () => number;
}

/** The index of the row that the keyboard has chosen. */
function useRowKeys<R extends { readonly id: number }>(
  { label, rows, href, selection }: Props<R>,
  total: number,
  { show, firstInView }: Window,
): number | undefined {
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const [chosen, setChosen] = useState(() => lastChosen.get(label));
  const at = chosen !== undefined && chosen.visit === visit ? indexOf(chosen, rows) : undefined;
  const navigate = useNavigate();
  const actions = useMemo(() => {
    const move = (by: number) => () => {
      const index = Math.max(0, Math.min(total - 1, at === undefined ? firstInView() : at + by));
      const next = { index, id: rows.row(index)?.id, visit };
      lastChosen.set(label, next);
      setChosen(next);
      show(index);
    };
    const record = at === undefined ? undefined : rows.row(at);
    return {
      j: move(1),
      k: move(-1),
      ...(record === undefined
        ? {}
        : {
            ...(href === undefined ? {} : { Enter: () => void navigate({ href: href(record) }) }),
            x: () => selection?.select(toggled(selection.selected, record.id)),
          }),
    };
  }, [label, at, rows, total, selection, show, firstInView, href, navigate, visit]);
  useKeys(actions);
  return at;
}

/** A record that has left the list leaves its place to the one that follows. */
function indexOf<R extends { readonly id: number }>(
  { index, id }: Chosen,
  rows: RecordRows<R>,
): number | undefined {
  return id === undefined || rows.row(index)?.id === id ? index : (rows.indexOf(id) ?? index);
}

/** Numbers are right-aligned, but not in the first column, which begins at the edge as the titles above it do. */
function cellClass<R>({ name, isNumber, narrow }: Column<R>, index: number): string {
  const amount = isNumber === true ? (index === 0 ? ' number' : ' number amount') : '';
  return `cell-${name}${amount} narrow-${narrow ?? 'none'}`;
}

interface HeadProps<R> {
  readonly column: Column<R>;
  readonly index: number;
  readonly order: string;
}

function Head<R>({ column, index, order }: HeadProps<R>) {
  const { sort, title } = column;
  if (title === '') return <td className={cellClass(column, index)} />;
  if (sort === undefined) {
    return (
      <th scope="col" className={cellClass(column, index)}>
        {title}
      </th>
    );
  }
  const isUp = order === sort;
  const isDown = order === `-${sort}`;
  return (
    <th
      scope="col"
      className={cellClass(column, index)}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
    >
      <Link to="./" search={(all: object) => ({ ...all, order: isDown ? sort : `-${sort}` }) as never}>
        {title}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </Link>
    </th>
  );
}

interface CellsProps<R> {
  readonly record: R | undefined;
  readonly columns: readonly Column<R>[];
  readonly href: ((record: R) => string) | undefined;
  readonly selection: Selection | undefined;
}

function Cells<R extends { readonly id: number }>({ record, columns, href, selection }: CellsProps<R>) {
  if (record === undefined) return <td className="unread" />;
  return (
    <>
      {selection !== undefined && (
        <td className="cell-select">
          <input
            type="checkbox"
            aria-label={`Select ${selection.noun} ${record.id}`}
            checked={selection.selected.has(record.id)}
            onChange={() => selection.select(toggled(selection.selected, record.id))}
          />
        </td>
      )}
      {columns.map((column, index) => (
        <td key={column.name} className={cellClass(column, index)} title={column.hint?.(record)}>
          {column.isTitle === true && href !== undefined ? (
            <Link to={href(record)} tabIndex={-1}>
              {column.cell(record)}
            </Link>
          ) : (
            column.cell(record)
          )}
        </td>
      ))}
    </>
  );
}
