/** The durations of an execution's phases side by side, from the wait in the queue to the last phase. */
import type { components } from '../../client/operations.ts';
import { duration } from '../format/times.ts';
import { useNowMs } from '../parts/instants.tsx';

type Execution = components['schemas']['JobExecutionDetails'];

interface Phase {
  readonly name: string;
  readonly beginMs: number;
  /** Undefined: it has not ended. */
  readonly endMs: number | undefined;
  readonly exitCode?: number | null;
  readonly hasFailed: boolean;
}

/** The form of `task_results`, which the OpenAPI document does not describe. */
interface TaskResults {
  readonly tasks?: readonly {
    readonly type: string;
    readonly started: string | null;
    readonly ended: string | null;
    readonly status: string;
    readonly exit_code: number | null;
  }[];
}

/** What happens in each phase. `run`: all of them, while none is reported. */
const MEANINGS: Readonly<Record<string, string>> = {
  queued: 'Waited for a node',
  launch: 'Sent to the agent of its node, which began with it',
  start: 'Its program was started',
  log: 'The rest of its output was stored',
  pull: 'Made the image available',
  pre: 'Staged inputs',
  main: 'The job itself',
  post: 'Checked and stored outputs',
  report: 'The agent reported the end, and the service saved it',
  run: 'On its node; its phases are reported at its end',
};

/** What the agent does between two tasks, by the later one. */
const BEFORE: Readonly<Record<string, string>> = { main: 'start', post: 'log' };
/** Times in which no task runs. */
const BETWEEN: ReadonlySet<string> = new Set(['queued', 'launch', 'start', 'log', 'report']);

/**
 * The phases of an execution in their order, the wait in the queue first. Its tasks lie within the execution: what is
 * before them is the launch, and what is behind them the report.
 */
function phasesOf(execution: Execution): readonly Phase[] {
  const { queued, started, ended, status } = execution;
  const startedMs = Date.parse(started);
  const endedMs = ended === null ? undefined : Date.parse(ended);
  const waiting = { name: 'queued', beginMs: Date.parse(queued), endMs: startedMs, hasFailed: false };
  const results = (execution.task_results as TaskResults | null)?.tasks ?? [];
  const tasks = results.flatMap((task) =>
    task.started === null
      ? []
      : {
          name: task.type,
          beginMs: Date.parse(task.started),
          endMs: task.ended === null ? undefined : Date.parse(task.ended),
          exitCode: task.exit_code,
          hasFailed: task.status === 'FAILED',
        },
  );
  const [first, last] = [tasks[0], tasks.at(-1)];
  if (first === undefined) {
    return [waiting, { name: 'run', beginMs: startedMs, endMs: endedMs, hasFailed: status === 'FAILED' }];
  }
  const launch = { name: 'launch', beginMs: startedMs, endMs: first.beginMs, hasFailed: false };
  if (endedMs === undefined || last?.endMs === undefined) return [waiting, launch, ...tasks];
  const report = { name: 'report', beginMs: last.endMs, endMs: endedMs, hasFailed: false };
  return [waiting, launch, ...withTimesBetween(tasks), report];
}

function withTimesBetween(tasks: readonly Phase[]): readonly Phase[] {
  return tasks.flatMap((task, index) => {
    const [name, beginMs] = [BEFORE[task.name], tasks[index - 1]?.endMs];
    if (name === undefined || beginMs === undefined || beginMs >= task.beginMs) return task;
    return [{ name, beginMs, endMs: task.beginMs, hasFailed: false }, task];
  });
}

export function Phases({ execution }: { readonly execution: Execution }) {
  const nowMs = useNowMs();
  const phases = phasesOf(execution);
  const beginMs = Math.min(...phases.map((phase) => phase.beginMs));
  const endMs = Math.max(beginMs + 1, ...phases.map((phase) => phase.endMs ?? nowMs));
  const share = (ms: number) => `${(100 * ms) / (endMs - beginMs)}%`;
  return (
    <table className="phases">
      <caption className="hidden">Phases</caption>
      <thead className="hidden">
        <tr>
          <th scope="col">Phase</th>
          <th scope="col">Share</th>
          <th scope="col">Duration</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {phases.map(({ name, beginMs: fromMs, endMs: toMs = nowMs, exitCode, hasFailed }) => (
          <tr key={name} title={MEANINGS[name]}>
            <th scope="row">{name}</th>
            <td className="phase-track" aria-hidden="true">
              <span
                className={`phase-bar ${hasFailed ? 'bad' : BETWEEN.has(name) ? 'wait' : 'busy'}`}
                style={{ marginLeft: share(fromMs - beginMs), width: share(Math.max(0, toMs - fromMs)) }}
              />
            </td>
            <td className="number">{duration(Math.max(0, toMs - fromMs))}</td>
            <td className={hasFailed ? 'bad' : 'soft'}>
              {exitCode === undefined || exitCode === null
                ? hasFailed
                  ? 'failed'
                  : ''
                : `exit code ${exitCode}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
