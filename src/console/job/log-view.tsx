/** The log of an execution, followed while it runs. Only the lines in view are in the page. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { segmentsOf } from './log-colors.ts';
import { LogLines } from './log-lines.ts';
import { LogSearch } from './log-search.ts';

const LINE_PX = 18;
const HEIGHT_PX = 360;
const LINES_MIN = 4;
/** The least time between two drawings of new output, in ms. */
const PAINT_MS = 100;
const STREAMS = ['stdout', 'stderr'] as const;
export type Stream = (typeof STREAMS)[number];

interface LogState {
  readonly lines: LogLines;
  /** Raised with new output, so that the page is drawn again. */
  readonly version: number;
  readonly isComplete: boolean;
  readonly error?: unknown;
}

function useLog(executionId: number, stream: Stream, isRunning: boolean, attempt: number): LogState {
  const [state, setState] = useState<LogState>({ lines: new LogLines(), version: 0, isComplete: false });
  // The log of a running execution is followed to its end, which also changes `isRunning`.
  const isFollowed = useRef(isRunning);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads the log again
  useEffect(() => {
    const stopped = new AbortController();
    const lines = new LogLines();
    let version = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (rest: { isComplete: boolean; error?: unknown }) => {
      clearTimeout(timer);
      timer = undefined;
      if (stopped.signal.aborted) return;
      version += 1;
      setState({ lines, version, ...rest });
    };
    const read = async () => {
      const at = { executionId, stream, isFollowed: isFollowed.current };
      for await (const bytes of client.log(at, { signal: stopped.signal })) {
        lines.add(bytes);
        timer ??= setTimeout(() => show({ isComplete: false }), PAINT_MS);
      }
    };
    show({ isComplete: false });
    read().then(
      () => show({ isComplete: true }),
      (error: unknown) => show({ isComplete: true, error }),
    );
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [executionId, stream, attempt]);
  return state;
}

interface Props {
  readonly executionId: number;
  readonly status: string;
  /** Undefined: none was chosen. */
  readonly chosen: Stream | undefined;
  readonly choose: (stream: Stream) => void;
}

/** Shows the chosen stream of the log; by default, for a failed execution, its standard error if it wrote any. */
export function LogView({ executionId, status, chosen, choose }: Props) {
  const isFailed = status === 'FAILED';
  const [wasFailed] = useState(isFailed);
  const errors = useQuery({ ...hasErrors(executionId), enabled: isFailed });
  // If it fails while its log is shown, the log stays on the page until the stream is known.
  if (wasFailed && errors.isPending) return <Loading />;
  return (
    <StreamView
      executionId={executionId}
      isRunning={status === 'RUNNING'}
      stream={chosen ?? (errors.data === true ? 'stderr' : 'stdout')}
      choose={choose}
    />
  );
}

const hasErrors = (executionId: number) =>
  queryOptions({
    queryKey: ['log-errors', executionId],
    queryFn: async ({ signal }) => {
      const pieces = client.log({ executionId, stream: 'stderr', isFollowed: false }, { signal });
      for await (const piece of pieces) if (piece.byteLength > 0) return true;
      return false;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

interface StreamProps {
  readonly executionId: number;
  readonly isRunning: boolean;
  readonly stream: Stream;
  readonly choose: (stream: Stream) => void;
}

function StreamView({ executionId, isRunning, stream, choose }: StreamProps) {
  const [attempt, setAttempt] = useState(0);
  const [isFollowing, setIsFollowing] = useState(true);
  const log = useLog(executionId, stream, isRunning, attempt);
  const search = useSearch(log, () => setIsFollowing(false));
  return (
    <section className="log" aria-label="Log">
      <div className="section-head">
        <h2>Log</h2>
        <div className="segments" role="group" aria-label="Stream">
          {STREAMS.map((one) => (
            <button key={one} type="button" aria-pressed={one === stream} onClick={() => choose(one)}>
              {one}
            </button>
          ))}
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={({ target }) => setIsFollowing(target.checked)}
          />
          Follow
        </label>
        <SearchField search={search} />
        <span className="soft" role="status">
          {counted(log.lines.length + log.lines.dropped, 'line')}
          {!log.isComplete && (isRunning ? ', more as it comes' : ', reading')}
          {log.lines.dropped > 0 && `; the last ${log.lines.length} are shown`}
        </span>
        <a
          className="end"
          href={`/v6/job-executions/${executionId}/logs/combined/?format=txt`}
          download={`execution-${executionId}.txt`}
        >
          Download
        </a>
      </div>
      {log.error !== undefined && <Failure error={log.error} retry={() => setAttempt(attempt + 1)} />}
      <Lines log={log} search={search} isFollowing={isFollowing} leave={() => setIsFollowing(false)} />
    </section>
  );
}

interface SearchState {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The numbers of lines with the text, counted from the first line of the log. */
  readonly found: readonly number[];
  /** The index of the shown match; -1: none. */
  readonly at: number;
  readonly move: (by: 1 | -1) => void;
}

/** `leave`: stops following the end of the log, because a match is shown. */
function useSearch({ lines, version }: LogState, leave: () => void): SearchState {
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines of another log are searched from the first
  const search = useMemo(() => new LogSearch(text), [text, lines]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new version may have lines that match
  const found = useMemo(() => (text === '' ? [] : search.find(lines)), [search, version]);
  return {
    text,
    found,
    at: Math.min(at, found.length - 1),
    setText(next) {
      setText(next);
      setAt(-1);
    },
    move(by) {
      if (found.length === 0) return;
      leave();
      setAt(
        (Math.min(at, found.length - 1) + by + (at === -1 && by === -1 ? 1 : 0) + found.length) %
          found.length,
      );
    },
  };
}

function SearchField({ search: { text, setText, found, at, move } }: { readonly search: SearchState }) {
  return (
    <span className="choice log-search">
      <input
        type="search"
        aria-label="Find in the log"
        placeholder="Find in the log"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, shiftKey }) => key === 'Enter' && move(shiftKey ? -1 : 1)}
      />
      {text !== '' && (
        <span className="soft number" role="status">
          {at === -1 ? counted(found.length, 'line') : `${at + 1} of ${found.length}`}
        </span>
      )}
      <button type="button" className="quiet" disabled={found.length === 0} onClick={() => move(-1)}>
        <span aria-hidden="true">↑</span>
        <span className="hidden">Previous match</span>
      </button>
      <button type="button" className="quiet" disabled={found.length === 0} onClick={() => move(1)}>
        <span aria-hidden="true">↓</span>
        <span className="hidden">Next match</span>
      </button>
    </span>
  );
}

interface LinesProps {
  readonly log: LogState;
  readonly search: SearchState;
  readonly isFollowing: boolean;
  readonly leave: () => void;
}

function Lines({ log, search, isFollowing, leave }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: log.lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 30,
  });
  const last = log.lines.length - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new version may have moved the end
  useEffect(() => {
    if (isFollowing && last >= 0) virtual.scrollToIndex(last, { align: 'end' });
  }, [isFollowing, last, log.version]);
  const shown = search.found[search.at];
  // biome-ignore lint/correctness/useExhaustiveDependencies: moved to only when another match is chosen
  useEffect(() => {
    if (shown !== undefined) virtual.scrollToIndex(shown - log.lines.dropped, { align: 'center' });
  }, [shown]);
  return (
    <div
      className="log-lines"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Lines of the log"
      style={{ height: Math.min(HEIGHT_PX, (Math.max(LINES_MIN, log.lines.length) + 1) * LINE_PX) }}
      onWheel={({ deltaY }) => deltaY < 0 && leave()}
    >
      {log.lines.length === 0 && log.isComplete && (
        <p className="soft">Nothing was written to this stream.</p>
      )}
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            className={`log-line${index + log.lines.dropped === shown ? ' at' : ''}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            <span className="log-number" aria-hidden="true">
              {index + 1 + log.lines.dropped}
            </span>
            <span>
              <LogText lines={log.lines} index={index} search={search.text} />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

interface TextProps {
  readonly lines: LogLines;
  readonly index: number;
  /** What is marked in it. */
  readonly search: string;
}

function LogText({ lines, index, search }: TextProps) {
  const segments = segmentsOf(lines.line(index), lines.styled(index), search);
  return segments.map(({ text, className, isMatch }, place) => {
    const key = `${place}`;
    if (isMatch) return <mark key={key}>{text}</mark>;
    if (className === '') return text;
    return (
      <span key={key} className={className}>
        {text}
      </span>
    );
  });
}
