/** When each job of a recipe waited and ran, one line each, on one scale. Only the lines in view are in the page. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { counted } from '../format/amounts.ts';
import { duration, instant } from '../format/times.ts';
import { useNowMs } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { toneOf, wordOf } from '../parts/status.tsx';
import type { RecipeNode } from '../recipe-graph/node-box.tsx';
import { recipeGraph } from './queries.ts';

const LINE_PX = 26;
const HEIGHT_MAX_PX = 340;

interface Span {
  readonly node: string;
  readonly jobId: number;
  readonly state: string;
  readonly queuedMs: number;
  /** Undefined: it has not started, or not ended. */
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
}

const msOf = (at: string | null): number | undefined => (at === null ? undefined : Date.parse(at));

/** The jobs that were queued, in the order in which they were. Those of recipes inside are on their own pages. */
export function spansOf(nodes: readonly RecipeNode[]): readonly Span[] {
  return nodes
    .flatMap(({ name, state, job }) => {
      const queuedMs = msOf(job?.queued ?? null);
      if (job === null || queuedMs === undefined) return [];
      const { id, started, ended } = job;
      const [startedMs, endedMs] = [msOf(started), msOf(ended)];
      return { node: name, jobId: id, state, queuedMs, startedMs, endedMs };
    })
    .sort((a, b) => a.queuedMs - b.queuedMs);
}

export function Timeline({ recipeId }: { readonly recipeId: number }) {
  const graph = useQuery(recipeGraph(recipeId));
  return (
    <section aria-label="Time line">
      <Loaded query={graph}>{({ nodes }) => <Spans spans={spansOf(nodes)} />}</Loaded>
    </section>
  );
}

function Spans({ spans }: { readonly spans: readonly Span[] }) {
  const nowMs = useNowMs();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: spans.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 10,
  });
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
          </span>
        )}
        <span className="keys" aria-hidden="true">
          <span className="key load-queued">waited</span>
          <span className="key">ran</span>
        </span>
      </div>
      {spans.length === 0 && <p className="soft">No job of it has been queued yet.</p>}
      <div
        className="spans"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Times of jobs"
        style={{ height: Math.min(HEIGHT_MAX_PX, spans.length * LINE_PX) }}
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
  const { node, jobId, state, queuedMs, startedMs, endedMs } = span;
  const { beginMs, lengthMs, nowMs } = scale;
  const share = (ms: number) => `${(100 * Math.max(0, ms)) / lengthMs}%`;
  const lastMs = endedMs ?? nowMs;
  const ranFromMs = startedMs ?? lastMs;
  const words = [
    wordOf(state),
    `waited ${duration(ranFromMs - queuedMs)}`,
    ...(startedMs === undefined ? [] : [`ran ${duration(lastMs - startedMs)}`]),
  ].join(', ');
  return (
    <>
      <Link to="/console/jobs/$id/" params={{ id: String(jobId) }} className="span-name" title={node}>
        {node}
      </Link>
      <span className="span-track" title={words}>
        <span
          className="phase-bar wait"
          style={{ marginLeft: share(queuedMs - beginMs), width: share(ranFromMs - queuedMs) }}
        />
        {startedMs !== undefined && (
          <span
            className={`phase-bar ${toneOf(state) === 'bad' ? 'bad' : 'busy'}`}
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
