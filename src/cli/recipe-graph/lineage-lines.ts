/** The lineage of a file as lines: what was made from something is below it and further to the right. */
import type { AnswerOf } from '../../client/operations.ts';

type Graph = AnswerOf<'get', '/v6/files/{id}/lineage/'>;

interface Row {
  readonly id: number;
  readonly text: string;
  /** How many steps from the file, each from a file to a job or from a job to a file. */
  readonly step: number;
  readonly makers: Row[];
  readonly made: Row[];
}

/** Each file and job once, after all that it was made from. */
export function lineageLines(graph: Graph): string[] {
  const files = new Map(graph.files.map((file) => [file.id, fileRow(graph, file)]));
  const jobs = new Map(graph.jobs.map((job) => [job.id, jobRow(job)]));
  for (const { job, file, role } of graph.links) {
    const ends = [files.get(file.id), jobs.get(job.id)] as const;
    const [maker, made] = role === 'input' ? ends : ends.toReversed();
    if (maker === undefined || made === undefined) continue;
    maker.made.push(made);
    made.makers.push(maker);
  }
  const rows = [...files.values(), ...jobs.values()].sort(
    (one, other) => one.step - other.step || one.id - other.id,
  );
  const first = rows[0]?.step ?? 0;
  const shown = new Set<Row>();
  const show = (row: Row): void => {
    if (shown.has(row) || row.makers.some((maker) => !shown.has(maker))) return;
    shown.add(row);
    for (const next of row.made.toSorted((one, other) => one.id - other.id)) show(next);
  };
  for (const row of rows) show(row);
  return [...shown].map(({ step, text }) => `${'  '.repeat(step - first)}${text}`);
}

function fileRow({ file: { id: asked } }: Graph, file: Graph['files'][number]): Row {
  const mark = file.id === asked ? '  <-' : '';
  const text = `file ${file.id}  ${file.workspace.name}:${file.file_path}${mark}`;
  return { id: file.id, text, step: 2 * file.level, makers: [], made: [] };
}

/** A job has the level of the files at its far side. */
function jobRow({ id, level, status, job_type: type }: Graph['jobs'][number]): Row {
  const step = 2 * level - Math.sign(level);
  return { id, text: `job ${id}  ${type.name} ${type.version} ${status}`, step, makers: [], made: [] };
}
