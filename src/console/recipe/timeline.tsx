/**
 * A time line of the jobs of a recipe and its inner recipes: one line for each job shows when it waited and ran. Only
 * the lines in view are in the page.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { AnswerOf } from '../../client/operations.ts';
import { counted } from '../format/amounts.ts';
import { duration, instant } from '../format/times.ts';
import { useNowMs } from '../parts/instants.tsx';
import { useIsNarrow } from '../parts/narrow.ts';
import { Loaded } from '../parts/states.tsx';
import { toneOf, wordOf } from '../parts/status.tsx';
import { recipeTimeline } from './queries.ts';

const LINE_PX = 26;
/** The height of a line. On a narrow page, the name is above the bars. */
const NARROW_LINE_PX = 44;
const HEIGHT_MAX_PX = 340;

type Job = AnswerOf<'get', '/v6/recipes/{id}/timeline/'>['jobs'][number];

interface Span extends Pick<Job, 'id' | 'path' | 'status' | 'is_kept'> {
  readonly queuedMs: number;
  /** Undefined: it has not started, or not ended. */
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
}

const msOf = (at: string | null): number | undefined => (at === null ? undefined : Date.parse(at));

function spanOf({ id, path, status, is_kept, queued, started, ended }: Job): Span {
  const times = { queuedMs: Date.parse(queued), startedMs: msOf(started), endedMs: msOf(ended) };
  return { id, path, status, is_kept, ...times };
}

/** Without jobs that were carried over: they ran long before, and would stretch the scale. */
export function Timeline({ recipeId }: { readonly recipeId: number }) {
  const timeline = useQuery(recipeTimeline(recipeId));
  return (
    <section aria-label="Time line">
      <Loaded query={timeline}>
        {({ jobs, count: total }) => {
          const own = jobs.filter(({ is_kept }) => !is_kept);
          return (
            <Spans
              spans={own.map(spanOf)}
              keptCount={jobs.length - own.length}
              moreCount={total - jobs.length}
            />
          );
        }}
      </Loaded>
    </section>
  );
}

interface SpansProps {
  readonly spans: readonly Span[];
  readonly keptCount: number;
  /** The number of jobs that are not listed. */
  readonly moreCount: number;
}

function Spans({ spans, keptCount, moreCount }: SpansProps) {
  const linePx = useIsNarrow() ? NARROW_LINE_PX : LINE_PX;
  const nowMs = useNowMs();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: spans.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => linePx,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines of another height are measured again
  useEffect(() => virtual.measure(), [linePx]);
  const beginMs = spans.reduce((least, { queuedMs }) => Math.min(least, queuedMs), nowMs);
  const endMs = spans.reduce((most, { endedMs = nowMs }) => Math.max(most, endedMs), beginMs + 1);
  const scale = { beginMs, lengthMs: endMs - beginMs, nowMs };
  return (
    <>
      <div className="section-head">
        <h2>Time line</h2>
        {spans.length > 0 && (
          <span className="soft number">
            {counted(spans.length, 'job')} from {instant(beginMs, nowMs)}, {duration(endMs - beginMs)} in all
            {keptCount > 0 && `; ${counted(keptCount, 'kept job')} not shown`}
            {moreCount > 0 && `; ${counted(moreCount, 'later job')} not listed`}
          </span>
        )}
        <span className="keys" aria-hidden="true">
          <span className="key load-queued">waited</span>
          <span className="key">ran</span>
        </span>
      </div>
      {spans.length === 0 && <p className="soft">None of its own jobs has been queued yet.</p>}
      <div
        className="spans"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Times of jobs"
        style={{ height: Math.min(HEIGHT_MAX_PX, spans.length * linePx) }}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const span = spans[index];
            return (
              span !== undefined && (
                <div key={index} className="span-line" style={{ transform: `translateY(${start}px)` }}>
                  <SpanLine span={span} scale={scale} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

interface Scale {
  readonly beginMs: number;
  readonly lengthMs: number;
  readonly nowMs: number;
}

function SpanLine({ span, scale }: { readonly span: Span; readonly scale: Scale }) {
  const { id, path, status, queuedMs, startedMs, endedMs } = span;
  const name = path.join(' / ');
  const { beginMs, lengthMs, nowMs } = scale;
  const share = (ms: number) => `${(100 * Math.max(0, ms)) / lengthMs}%`;
  const lastMs = endedMs ?? nowMs;
  const ranFromMs = startedMs ?? lastMs;
  const words = [
    wordOf(status),
    `waited ${duration(ranFromMs - queuedMs)}`,
    ...(startedMs === undefined ? [] : [`ran ${duration(lastMs - startedMs)}`]),
  ].join(', ');
  return (
    <>
      <Link to="/console/jobs/$id/" params={{ id: String(id) }} className="span-name" title={name}>
        {path.length > 1 && <span className="soft">{path.slice(0, -1).join(' / ')} / </span>}
        {path.at(-1)}
      </Link>
      <span className="span-track" title={words}>
        <span
          className="phase-bar wait"
          style={{ marginLeft: share(queuedMs - beginMs), width: share(ranFromMs - queuedMs) }}
        />
        {startedMs !== undefined && (
          <span
            className={`phase-bar ${toneOf(status) === 'bad' ? 'bad' : 'busy'}`}
            style={{ width: share(lastMs - startedMs) }}
          />
        )}
        <span className="hidden">{words}</span>
      </span>
      <span className="number soft span-took">
        {startedMs === undefined ? '–' : duration(lastMs - startedMs)}
      </span>
    </>
  );
}
