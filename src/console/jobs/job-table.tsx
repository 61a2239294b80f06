/** The table of jobs. Only the rows in view are in the page, however many there are. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useAccount } from '../account.ts';
import { Ago, Elapsed } from '../parts/instants.tsx';
import { StatusMark } from '../parts/status.tsx';
import { useKeys } from '../shell/keys.ts';
import { type Job, type JobRows, ROWS_MAX } from './job-rows.ts';
import { DEFAULT_ORDER, type JobSearch, type Sort } from './job-search.ts';

const ROW_PX = 34;
const NARROW_ROW_PX = 64;
const NARROW = matchMedia('(max-width: 700px)');

function onNarrow(change: () => void): () => void {
  NARROW.addEventListener('change', change);
  return () => NARROW.removeEventListener('change', change);
}

interface Props {
  readonly rows: JobRows;
  readonly search: JobSearch;
  readonly selected: ReadonlySet<number>;
  readonly select: (selected: ReadonlySet<number>) => void;
  readonly onView: (view: { first: number; last: number }) => void;
}

const COLUMNS: readonly (readonly [title: string, sort: Sort | undefined, name: string])[] = [
  ['Status', 'status', 'status'],
  ['Job', 'id', 'id'],
  ['Type', 'job_type__name', 'type'],
  ['Node', 'node__hostname', 'node'],
  ['Duration', 'duration', 'duration'],
  ['Changed', 'last_modified', 'changed'],
  ['Reason', undefined, 'reason'],
];

export function JobTable({ rows, search, selected, select, onView }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { mayWrite } = useAccount();
  const total = Math.min(rows.total ?? 0, ROWS_MAX);
  const isNarrow = useSyncExternalStore(onNarrow, () => NARROW.matches);
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
  const toggle = (id: number) => select(toggled(selected, id));
  const at = useRowKeys(rows, total, mayWrite ? toggle : undefined, (index) => virtual.scrollToIndex(index));
  return (
    <div className="table-scroller" ref={scroller} tabIndex={0} role="region" aria-label="List of jobs">
      <table
        aria-label="Jobs"
        aria-rowcount={total + 1}
        className={`grid jobs${mayWrite ? ' selectable' : ''}`}
      >
        <thead className="grid-head">
          <tr aria-rowindex={1} className="grid-row">
            {mayWrite && (
              <th scope="col" className="cell-select">
                <span className="hidden">Selected</span>
              </th>
            )}
            {COLUMNS.map(([title, sort, name]) => (
              <Head key={name} title={title} sort={sort} name={name} search={search} />
            ))}
          </tr>
        </thead>
        <tbody className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              className={`grid-row${index === at ? ' at' : ''}`}
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <Cells job={rows.row(index)} selected={selected} toggle={mayWrite ? toggle : undefined} />
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

/** The row that the keyboard is at. */
function useRowKeys(
  rows: JobRows,
  total: number,
  toggle: ((id: number) => void) | undefined,
  show: (index: number) => void,
): number | undefined {
  const [at, setAt] = useState<number>();
  const navigate = useNavigate();
  const actions = useMemo(() => {
    const move = (by: number) => () => {
      const next = Math.max(0, Math.min(total - 1, at === undefined ? 0 : at + by));
      setAt(next);
      show(next);
    };
    const id = at === undefined ? undefined : rows.row(at)?.id;
    return {
      j: move(1),
      k: move(-1),
      ...(id === undefined
        ? {}
        : {
            Enter: () => void navigate({ to: '/console/jobs/$id/', params: { id: String(id) } }),
            x: () => toggle?.(id),
          }),
    };
  }, [at, rows, total, toggle, show, navigate]);
  useKeys(actions);
  return at;
}

interface HeadProps {
  readonly title: string;
  readonly sort: Sort | undefined;
  readonly name: string;
  readonly search: JobSearch;
}

function Head({ title, sort, name, search }: HeadProps) {
  const order = search.order ?? DEFAULT_ORDER;
  const isUp = order === sort;
  const isDown = order === `-${sort}`;
  if (sort === undefined) {
    return (
      <th scope="col" className={`cell-${name}`}>
        {title}
      </th>
    );
  }
  return (
    <th
      scope="col"
      className={`cell-${name}`}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
    >
      <Link to="/console/jobs/" search={{ ...search, order: isDown ? sort : `-${sort}` }}>
        {title}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </Link>
    </th>
  );
}

interface CellsProps {
  readonly job: Job | undefined;
  readonly selected: ReadonlySet<number>;
  readonly toggle: ((id: number) => void) | undefined;
}

function Cells({ job, selected, toggle }: CellsProps) {
  if (job === undefined) return <td className="cell-reason unread" />;
  return (
    <>
      {toggle !== undefined && (
        <td className="cell-select">
          <input
            type="checkbox"
            aria-label={`Select job ${job.id}`}
            checked={selected.has(job.id)}
            onChange={() => toggle(job.id)}
          />
        </td>
      )}
      <td className="cell-status">
        <StatusMark status={job.status} />
      </td>
      <td className="cell-id number">
        <Link to="/console/jobs/$id/" params={{ id: String(job.id) }}>
          {job.id}
        </Link>
      </td>
      <td className="cell-type" title={`${job.job_type.name} ${job.job_type.version}`}>
        {job.job_type.title} <span className="soft">{job.job_type.version}</span>
      </td>
      <td className="cell-node">{job.node?.hostname ?? <span className="soft">–</span>}</td>
      <td className="cell-duration number">
        <Elapsed from={job.started} to={job.ended} />
      </td>
      <td className="cell-changed number">
        <Ago at={job.last_modified} />
      </td>
      <td className="cell-reason soft" title={job.reason ?? undefined}>
        {job.reason ?? job.error?.title}
      </td>
    </>
  );
}
